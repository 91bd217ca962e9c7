"""A model's weights laid out for products with the few rows that a token's pass has."""

from __future__ import annotations

from typing import Any


def for_few_rows(model: Any) -> Any:
    """The model, on a CPU with each projection's weights transposed in memory.

    float32 products with 4 to 16 rows take half the time or less that way, for the library need not pack the weights anew at every call.
    Larger products take the same time, and the function stays the same. Elsewhere nothing is done. Only for a model that draws:
    the input embedding is cut loose from a head it is tied to.
    """
    import torch

    if model.device.type != "cpu":
        return model
    embedding = model.get_input_embeddings()
    embedding.weight = torch.nn.Parameter(embedding.weight.detach().clone(), requires_grad=False)  # looked up by rows, tied or not
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear) and layer.weight.dtype == torch.float32:
            layer.weight = torch.nn.Parameter(layer.weight.detach().t().contiguous().t(), requires_grad=False)
    return model
