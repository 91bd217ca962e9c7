"""The published training file, as it stands: keys of TRL and transformers, of several versions, in this project's words.

Every key is one of four sorts: it has a counterpart; it is an old name, which is translated with a notice; it says what is done anyway or
cannot be done, which is noticed; or it is unknown, which is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from suasion.analysis.hirpo.names import nearest
from suasion.errors import SuasionError

_COUNTERPARTS = {
    "model_name_or_path": "base.model",
    "model_revision": "base.revision",
    "dtype": "base.dtype",
    "seed": "seed",
    "max_length": "training.max_length",
    "num_train_epochs": "training.epochs",
    "max_steps": "training.max_steps",
    "per_device_train_batch_size": "training.batch_size",
    "gradient_accumulation_steps": "training.accumulation",
    "gradient_checkpointing": "training.gradient_checkpointing",
    "learning_rate": "training.learning_rate",
    "lr_scheduler_type": "training.scheduler",
    "warmup_steps": "training.warmup",
    "max_grad_norm": "training.max_grad_norm",
    "logging_steps": "training.log_every",
    "loss_type": "training.dpo.loss_type",
    "beta": "training.dpo.beta",
    "push_to_hub": "hub.push",
    "hub_private_repo": "hub.private",
    "hub_model_id": "hub.model",
}
"""The file's key -> the recipe's."""

_OLD = {
    "torch_dtype": "dtype",
    "warmup_ratio": "warmup_steps",
    "evaluation_strategy": "eval_strategy",
    "use_liger_loss": "use_liger_kernel",
    "use_liger": "use_liger_kernel",
    "rpo_alpha": "nll_weight",
}
"""Names of earlier versions -> what they are called now. ``warmup_steps`` below 1 is a share of the steps, as ``warmup_ratio`` was."""

_NOTICES = {
    "attn_implementation": "attn_implementation {value}: left to transformers, which takes the fastest that is installed.",
    "use_liger_kernel": "{key} {value}: not used; these kernels are gone from TRL. The numbers are the same, the memory is not.",
    "bf16": "bf16 {value}: the precision is base.dtype's (auto is bfloat16 on a GPU that has it).",
    "tf32": "tf32 {value}: left to torch.",
    "max_prompt_length": "max_prompt_length {value}: gone from TRL. No prompt is cut; pairs over max_length are left out, and counted.",
    "gradient_checkpointing_kwargs": "gradient_checkpointing_kwargs: checkpointing is never reentrant here.",
    "logging_strategy": "logging_strategy {value}: the log is written every logging_steps steps.",
    "eval_strategy": "eval_strategy {value}: there is no evaluation within training; each HIRPO epoch ends with one.",
    "save_total_limit": "save_total_limit {value}: the two newest checkpoints of an epoch are kept, for resuming.",
    "hub_strategy": "hub_strategy {value}: the model of the last epoch is pushed, when the run is done.",
    "report_to": "report_to {value}: give --tracker on the command line, once for each.",
    "dataset_num_proc": "dataset_num_proc {value}: not needed.",
    "output_dir": "output_dir {value}: a run's folder is made and named by the run.",
    "run_name": "run_name {value}: a run is named by date, kind and number.",
}
"""Keys without a counterpart, and what is said of them."""

_CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "gradient_checkpointing_kwargs": (lambda value: value in (None, {}, {"use_reentrant": False}), "only use_reentrant: false can be had"),
    "logging_strategy": (lambda value: value == "steps", "only 'steps' can be had"),
    "bf16": (lambda value: isinstance(value, bool), "it is true or false"),
}


def translated_training(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The file as dotted keys of a recipe with their values, and the notices.

    The published run trained all weights, so ``training.weights`` is ``full``; values are not checked here but as those of a recipe are.

    Raises:
        SuasionError: a key is unknown, stands under its old and its new name, or asks for what cannot be had; all of them are told.
    """
    found: dict[str, Any] = {"training.weights": "full"}
    notices, wrong = [], []
    for key, value in ((str(name), value) for name, value in given.items()):
        now = _OLD.get(key, key)
        if now != key:
            notices.append(f"{key}: an old name; it is called {now} now{_ours(now)}.")
            if now in given and now not in ("use_liger_kernel",):
                wrong.append(f"{key} and {now} are the same; keep one")
        if now in _CHECKS and not _CHECKS[now][0](value):
            wrong.append(f"{key}: {_CHECKS[now][1]} (got {value!r:.80})")
        elif now == "nll_weight":
            found["training.dpo.nll_weight"] = value
        elif now in _COUNTERPARTS:
            found[_COUNTERPARTS[now]] = value
        elif now in _NOTICES:
            notices.append(_NOTICES[now].format(key=key, value=_shown(value)))
        elif now not in ("save_strategy", "save_steps"):
            wrong.append(f"{key}: unknown key{nearest(key, [*_COUNTERPARTS, *_OLD, *_NOTICES, 'save_strategy', 'save_steps'])}")
    if "save_strategy" in given or "save_steps" in given:
        found["training.checkpoint_every"], told = _checkpoints(given)
        notices += told
    if wrong:
        raise SuasionError("The published training configuration has errors:\n" + "\n".join(f"  - {one}" for one in wrong))
    return found, notices


def _checkpoints(given: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """How often a checkpoint is written: with the word ``no``, never, whatever ``save_steps`` says."""
    if str(given.get("save_strategy", "steps")) == "steps":
        return given.get("save_steps", 500), []
    return 0, [f"save_strategy {_shown(given['save_strategy'])}: no checkpoints within an epoch's training; a killed one trains it again."]


def _ours(name: str) -> str:
    ours = "training.dpo.nll_weight" if name == "nll_weight" else _COUNTERPARTS.get(name)
    return f", and {ours} in a recipe" if ours else ""


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
