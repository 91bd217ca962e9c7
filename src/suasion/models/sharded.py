"""A model that FSDP has shared out over several processes, each holding a slice of every weight."""

from __future__ import annotations

from typing import Any


def whole_state(model: Any) -> dict[str, Any] | None:
    """The adapter's and the head's weights put together from all processes, by name; None where nothing is in slices.

    All processes must call it at the same point. The base's weights are left out: only what is saved is gathered.
    """
    from torch.distributed.tensor import DTensor

    sliced = {name for name, weight in model.named_parameters() if isinstance(weight, DTensor)}
    if not sliced:
        return None
    trained = {name: weight for name, weight in model.named_parameters() if ".lora_" in name or ".modules_to_save." in name}
    return {name: weight.full_tensor().cpu() if name in sliced else weight.detach().cpu() for name, weight in trained.items()}
