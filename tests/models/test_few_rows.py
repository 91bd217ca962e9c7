"""Other memory, same function."""

from __future__ import annotations

from pathlib import Path

import torch

from suasion.models.base import BaseConfig, resolve_base
from suasion.models.few_rows import for_few_rows
from suasion.models.loading import load_base


def test_the_function_stays_the_same(nano_folder: Path) -> None:
    base = resolve_base(BaseConfig(model=str(nano_folder), dtype="float32"))
    ids = torch.randint(5, 60, (3, 17), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        before = load_base(base, "CAUSAL_LM").eval()(input_ids=ids).logits
        model = for_few_rows(load_base(base, "CAUSAL_LM").eval())
        after = model(input_ids=ids).logits
    assert torch.allclose(before, after, atol=1e-5)
    projections = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)]
    assert projections and all(layer.weight.t().is_contiguous() for layer in projections)
    assert model.get_input_embeddings().weight.is_contiguous()
