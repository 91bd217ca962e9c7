"""Several processes that train together: which one this is, what only the first does, and how one's end becomes everybody's.

They are started by ``torchrun`` (or ``accelerate launch``), which tells each its *rank* (0, 1, …) and how many there are in the
environment. Rank 0 makes the run, writes its files and talks; the others compute, see :mod:`suasion.runs.following`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

from suasion.errors import SuasionError
from suasion.progress import mute

T = TypeVar("T")

_TRAINING = timedelta(minutes=30)
"""How long a step waits for a process that neither answers nor has ended."""
_LEADING = timedelta(days=7)
"""How long the others wait while rank 0 works alone (an evaluation, say). One that ends is noticed at once."""

#: What gloo and NCCL say, in a plain RuntimeError, of a process that is gone.
_GONE = (
    "Connection closed by peer",
    "Connection reset by peer",
    "Broken pipe",
    "Connection refused",
    "Timed out",
    "NCCL",
    "remote process",
)

_leading_group: Any = None


def size() -> int:
    """How many processes train together; 1 where none was told otherwise.

    Raises:
        SuasionError: what the environment says is not a number.
    """
    return max(_told("WORLD_SIZE", "1"), 1)


def rank() -> int:
    """Of this process; 0 is the first, which makes the run. Raises as :func:`size`."""
    return _told("RANK", "") if size() > 1 else 0


def leads() -> bool:
    """Whether this is rank 0."""
    return rank() == 0


def signature() -> str:
    """What a process other than the first puts before its errors; never raises."""
    with suppress(SuasionError):
        return "" if leads() else f"[rank {rank()}] "
    return ""


def join() -> None:
    """Meet the other processes, once; does nothing for one that is alone. All but rank 0 fall silent.

    Raises:
        SuasionError: they cannot be reached, or are not as many as was said.
    """
    global _leading_group
    if size() == 1 or _leading_group is not None:
        return
    if not leads():
        mute()
    import torch
    from accelerate import PartialState

    with named_ends():
        # by accelerate, so that the trainers find what they would have made themselves: the device, DDP, FSDP or DeepSpeed
        PartialState(cpu=not torch.cuda.is_available(), timeout=_TRAINING)
        world = torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1
        if world != size():
            raise SuasionError(
                f"The environment speaks of {size()} processes and {world} met.",
                hint="Start them with torchrun; one line for each machine.",
            )
        _leading_group = torch.distributed.new_group(backend="gloo", timeout=_LEADING)


def leave() -> None:
    """The work is done; part from the others."""
    global _leading_group
    if _leading_group is not None:
        import torch

        _leading_group = None
        with suppress(RuntimeError):
            torch.distributed.destroy_process_group()


def require(processes: int) -> None:
    """Refuse to train in another number of processes than the recipe says: the number decides what a step learns from.

    Separately started copies, each of which believes to be alone (what ``accelerate launch --cpu`` makes), are found out by this.

    Raises:
        SuasionError: there are more, or fewer.
    """
    if size() != processes:
        alone = size() == 1
        if _leading_group is not None:
            meet()  # all have come, so each says it, and none hears first that another has ended
        raise SuasionError(
            f"The recipe says processes={processes}, and {'this one is alone' if alone else f'there are {size()}'}.",
            where=f"rank {rank()} of {size()}",
            hint=(
                f"Start them together: torchrun --nproc-per-node {processes} -m suasion …; accelerate launch --cpu starts separate copies."
                if alone
                else f"Say processes={size()}: a step then learns from {size()} times as many examples."
            ),
        )


def shards() -> bool:
    """Whether each process is to hold only a part of the model (accelerate's FSDP); the launcher says so in the environment.

    Raises:
        SuasionError: DeepSpeed's stage 3 was asked for, which is not supported.
    """
    if deepspeed() and os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE") == "3":
        raise SuasionError(
            "DeepSpeed's ZeRO stage 3 is not supported: it keeps adapters from being saved and resumed exactly.",
            hint="Use recipes/cluster/fsdp2.yaml, which shares the base's weights out in the same way, or zero2.yaml.",
        )
    return os.environ.get("ACCELERATE_USE_FSDP", "").lower() == "true"


def deepspeed() -> bool:
    """Whether DeepSpeed is to keep gradients and optimiser state."""
    return os.environ.get("ACCELERATE_USE_DEEPSPEED", "").lower() == "true"


def apart(weights: Any) -> float:
    """The largest difference between any process's ``weights`` (a tensor, shape (n,), on the CPU) and those of rank 0."""
    import torch

    if size() == 1:
        return 0.0
    theirs = weights.clone()
    with named_ends():
        torch.distributed.broadcast(theirs, src=0, group=_leading_group)
        largest = (weights - theirs).abs().max()
        torch.distributed.all_reduce(largest, op=torch.distributed.ReduceOp.MAX, group=_leading_group)
    return float(largest)


def lead(work: Callable[[], T]) -> T:
    """Have rank 0 do something and tell everybody what came of it, a failure too. All processes must call it at the same point.

    Args:
        work: called in rank 0 only; what it returns must be picklable.

    Raises:
        SuasionError: rank 0 failed (in the others), or has ended.
    """
    if size() == 1:
        return work()
    if leads():
        try:
            outcome = work()
        except BaseException as error:
            with suppress(RuntimeError, SuasionError):  # the first error is the one to raise
                _broadcast((False, str(error) or type(error).__name__))
            raise
        _broadcast((True, outcome))
        return outcome
    well, told = _broadcast(None)
    if not well:
        raise SuasionError(f"Rank 0 has stopped, and with it all: {told}")
    result: T = told
    return result


def meet() -> None:
    """Wait until all processes have come to this point.

    Raises:
        SuasionError: one has ended.
    """
    lead(lambda: None)
    if size() > 1:
        import torch

        with named_ends():
            torch.distributed.barrier(group=_leading_group)


@contextmanager
def named_ends() -> Iterator[None]:
    """Within, a process that is gone is told in words instead of a library's.

    Raises:
        SuasionError: another process has ended or does not answer.
    """
    try:
        yield
    except RuntimeError as error:
        if size() == 1 or not any(sign in str(error) for sign in _GONE):
            raise
        raise SuasionError(
            "Another process of this training has ended or cannot be reached, so this one ends too.",
            where=f"rank {rank()} of {size()}: {str(error).strip().splitlines()[0]:.160}",
            hint="Its own output says why. Start all of them again: training goes on from the last whole checkpoint.",
        ) from error


def _broadcast(value: Any) -> Any:
    import torch

    if _leading_group is None:
        raise SuasionError("This process has not met the others yet (suasion.runs.ranks.join).")
    box = [value]
    with named_ends():
        torch.distributed.broadcast_object_list(box, src=0, group=_leading_group)
    return box[0]


def _told(name: str, default: str) -> int:
    text = os.environ.get(name) or default
    if not text.isdecimal():
        raise SuasionError(f"The environment says {name}={text!r}, which is not a number.", hint="Start the processes with torchrun.")
    return int(text)
