"""What the methods share: arguments for TRL's trainers, a run's log, sealed checkpoints, exact resume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.models.base import Base
from suasion.models.loading import device
from suasion.progress import say, track
from suasion.runs import ranks
from suasion.runs.checkpoints import discard_incomplete, newest_complete, seal
from suasion.training.timing import COLUMNS

if TYPE_CHECKING:
    from transformers import Trainer, TrainerCallback

    from suasion.training.monitors import Watch
    from suasion.training.spent import Spent


class Place(Protocol):
    """Where a training keeps what it writes: a run, or one of several trainings in a run."""

    @property
    def checkpoints(self) -> Path:
        """The folder for checkpoints."""
        ...

    def log(self, step: int, **numbers: Any) -> None:
        """Write a step's numbers down."""
        ...


class TrainConfig(Config):
    """What every method is told."""

    learning_rate: float = Field(1e-4, gt=0)
    warmup: float = Field(0.1, ge=0, lt=1)
    """Share of the steps in which the learning rate rises."""
    scheduler: Literal["linear", "cosine", "constant_with_warmup"] = "cosine"
    max_grad_norm: float = Field(1.0, gt=0)
    gradient_checkpointing: bool = False
    """Trades a third more time for much less memory: needed for 8B on one GPU."""
    checkpoint_every: int = Field(50, ge=0)
    """Optimiser steps between checkpoints; 0: none, a killed run starts again."""
    log_every: int = Field(1, ge=1)


class EpochsConfig(TrainConfig):
    """For the methods that go through a table of examples."""

    epochs: float = Field(2.0, gt=0)
    max_steps: int = Field(0, ge=0)
    """Stop after so many optimiser steps, whatever the epochs say; 0: the epochs decide."""
    batch_size: int = Field(4, ge=1)
    """Examples a forward pass, on each device."""
    accumulation: int = Field(1, ge=1)
    """Forward passes an optimiser step."""


def epochs_arguments(config: EpochsConfig, place: Place, base: Base | None, seed: int) -> dict[str, Any]:
    """Keyword arguments for a trainer that goes through a table."""
    return trainer_arguments(config, place, base, seed) | {
        "num_train_epochs": config.epochs,
        "max_steps": config.max_steps or -1,
        "per_device_train_batch_size": config.batch_size,
        "gradient_accumulation_steps": config.accumulation,
    }


def trainer_arguments(config: TrainConfig, place: Place, base: Base | None, seed: int) -> dict[str, Any]:
    """Keyword arguments that all of TRL's configurations understand, and transformers' own. ``base``: of what is trained, if on one."""
    on_cpu = device() == "cpu"
    if ranks.shards() and base is not None and base.config.quantization != "none":
        raise SuasionError(
            "A base in 4 bit cannot be shared out by FSDP.", hint="Use DDP (recipes/cluster/ddp.yaml), or base.quantization=none."
        )
    full_precision = base is not None and base.config.dtype == "float32"
    return {
        "output_dir": str(place.checkpoints),
        "seed": seed,
        "data_seed": seed,
        "use_cpu": on_cpu,
        "bf16": not on_cpu and not full_precision,  # TRL's default is True, which a CPU refuses
        "learning_rate": config.learning_rate,
        "warmup_steps": config.warmup,  # a float below 1 is a share of the steps
        "lr_scheduler_type": config.scheduler,
        "max_grad_norm": config.max_grad_norm,
        "gradient_checkpointing": config.gradient_checkpointing,
        "gradient_checkpointing_kwargs": {"use_reentrant": False} if config.gradient_checkpointing else None,
        "save_strategy": "steps" if config.checkpoint_every else "no",
        "save_steps": config.checkpoint_every or 500,
        "save_total_limit": 2,  # the newest may be torn by a kill: then the one before it serves
        "logging_steps": config.log_every,
        "logging_first_step": True,
        "disable_tqdm": True,
        "report_to": [],  # our own log and trackers, which can never stop a run
        "dataloader_num_workers": 0,
        "ddp_find_unused_parameters": False,  # every adapter weight takes part in every step; looking for others costs a walk
    }


def fit(
    trainer: Trainer,
    place: Place,
    label: str,
    shown: Mapping[str, str],
    updates: int = 1,
    watch: Callable[[int], Watch] | None = None,
    spent: Callable[[int], Spent] | None = None,
) -> None:
    """Train to the end, from the newest whole checkpoint if the run was killed.

    Args:
        label: the stage's name on the progress line.
        shown: TRL's name of a number -> the name it has in ``metrics.jsonl`` and on the progress line.
        updates: of the trainer, that make a step of the log and the progress line.
        watch: given the step at which training begins, what follows its numbers.
        spent: likewise, what adds up judge calls, tokens and seconds.

    Raises:
        SuasionError: the disk is full.
        Refused: ``watch`` stopped it.
    """
    from safetensors import SafetensorError
    from transformers import PrinterCallback

    _require_the_world(trainer)
    checkpoint = ranks.lead(lambda: _newest(place.checkpoints, label))
    if checkpoint and _is_the_end(checkpoint):
        say(f"{label}: was trained to its end, {checkpoint.name} is taken")
        # PPO's model holds the writer beside a value head, which is not needed any more
        _take_weights(getattr(trainer.model, "policy", trainer.model), checkpoint)
        return
    if checkpoint:
        say(f"{label}: goes on from {checkpoint.name}")
    trainer.remove_callback(PrinterCallback)
    try:
        with ExitStack() as stack:
            trainer.add_callback(_run_callback(place, label, shown, updates, watch, spent, stack))
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except (OSError, SafetensorError, RuntimeError) as error:
        if not isinstance(error, OSError | SafetensorError) and not any(sign in str(error) for sign in _TORN_WRITE):
            raise
        raise SuasionError(
            f"Training stopped because a file could not be written: {error!s:.200}",
            where=place.checkpoints.parent,
            hint="Free some space and start it again: it resumes from its last whole checkpoint.",
        ) from error
    _require_one_model(trainer.model, label)


def _require_the_world(trainer: Trainer) -> None:
    """The trainer must see the processes that have met, else each would train a model of its own."""
    seen = int(trainer.args.world_size)
    if seen != ranks.size():
        raise SuasionError(
            f"{ranks.size()} processes were started, but the trainer works in {seen}: each would train a model of its own.",
            where=f"rank {ranks.rank()}",
            hint="Start them with torchrun, and through the `suasion` command.",
        )


def _require_one_model(model: Any, label: str) -> None:
    """All processes must have come to the same weights. In shards each has its own part, and nothing to compare."""
    import torch

    if ranks.size() == 1 or ranks.shards():
        return
    trained = torch.cat([weight.detach().float().cpu().flatten() for weight in model.parameters() if weight.requires_grad])
    difference = ranks.apart(trained)
    if difference > _EQUAL * float(trained.abs().max()):
        raise SuasionError(
            f"{label}: the {ranks.size()} processes have come to different models (weights up to {difference:.3g} apart), so their "
            "gradients were not shared.",
            hint="Start them with torchrun, on machines with the same versions of all packages (manifest.json lists them).",
        )
    say(f"{label}: the {ranks.size()} processes hold the same weights (largest difference {difference:.3g})")


def _newest(checkpoints: Path, label: str) -> Path | None:
    """The checkpoint to go on from; torn ones are dropped."""
    for torn in discard_incomplete(checkpoints):
        say(f"{label}: {torn} was torn by a kill and is dropped")
    return newest_complete(checkpoints)


def _take_weights(model: Any, checkpoint: Path) -> None:
    """A checkpoint's weights into the model: of its adapter, or of all of it."""
    from peft import set_peft_model_state_dict
    from safetensors.torch import load_file, load_model

    adapter = checkpoint / "adapter_model.safetensors"
    if adapter.is_file():
        set_peft_model_state_dict(model, load_file(adapter))
    else:
        load_model(model, checkpoint / "model.safetensors")


def _is_the_end(checkpoint: Path) -> bool:
    """Whether no step is left. The trainer, asked to resume there, would make one more if the last step does not end an epoch."""
    state = read_json(checkpoint / "trainer_state.json")
    return int(state["global_step"]) >= int(state["max_steps"])


def _run_callback(
    place: Place,
    label: str,
    shown: Mapping[str, str],
    updates: int,
    watch: Callable[[int], Watch] | None,
    spent: Callable[[int], Spent] | None,
    stack: ExitStack,
) -> TrainerCallback:
    """Writes what the trainer logs to the run and to the progress line, and seals checkpoints."""
    from transformers import TrainerCallback

    class RunCallback(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.seen = state.global_step // updates
            self.watch = watch(self.seen) if watch else None
            self.spent = spent(self.seen) if spent else None
            self.bar = stack.enter_context(track(label, state.max_steps // updates, unit="step", done=self.seen))

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.bar.advance(state.global_step // updates - self.seen)
            self.seen = state.global_step // updates

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
            numbers = {shown[key]: float(value) for key, value in (logs or {}).items() if key in shown}
            if numbers:
                step = state.global_step // updates
                numbers |= self.watch.measure(numbers) if self.watch else {}
                place.log(step, **numbers, **(self.spent.measure(step, numbers) if self.spent else {}))
                self.bar.note(**{name: value for name, value in numbers.items() if name not in COLUMNS})
                if self.watch:
                    self.watch.check(step)

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            ranks.meet()  # each process has written its random state
            if ranks.leads():
                seal(Path(args.output_dir) / f"checkpoint-{state.global_step}")

    return RunCallback()


#: Of the largest weight; what unlike GPUs may round differently.
_EQUAL = 1e-4

#: What torch says, in a plain RuntimeError, when it cannot write a file to its end.
_TORN_WRITE = ("PytorchStreamWriter", "inline_container", "iostream")

#: What every method logs.
COMMON_NUMBERS = {"loss": "loss", "grad_norm": "gradient_norm", "learning_rate": "learning_rate"}

Reward = Callable[[list[str], list[str]], list[float]]
"""Premises and replies in, one number a reply out."""
