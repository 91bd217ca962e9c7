from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.models import scoring
from suasion.models.loading import load_base, merged, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.scoring import families, packed, score_rows
from tests.nano import nano_base, shaken

PAD = 2
Ids = st.lists(st.integers(3, 99), min_size=0, max_size=12)


@lru_cache
def random_model(architecture: str) -> Any:
    """A random one-number classifier: two layers, 32 wide, 100 tokens."""
    import transformers

    torch.manual_seed(0)
    same: dict[str, Any] = {"vocab_size": 100, "pad_token_id": PAD, "num_labels": 1, "bos_token_id": 0, "eos_token_id": 1}
    small = same | {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    small |= {"max_position_embeddings": 128, "initializer_range": 0.3}
    if architecture == "GPT2":
        config = transformers.GPT2Config(**same, n_embd=32, n_layer=2, n_head=4, n_positions=128, initializer_range=0.3)
    elif architecture == "Mistral with a short window":
        config = transformers.MistralConfig(**small, num_key_value_heads=2, sliding_window=16)
    elif architecture in ("Bert", "Longformer"):
        config = getattr(transformers, f"{architecture}Config")(**small)
        if architecture == "Longformer":
            config.attention_window, config.max_position_embeddings = [8, 8], 140
    else:
        config = getattr(transformers, f"{architecture}Config")(**small, num_key_value_heads=2)
    return transformers.AutoModelForSequenceClassification.from_config(config).eval()


DECODERS = ["Llama", "Qwen2", "GPT2", "Mistral with a short window"]
ENCODERS = ["Bert", "Longformer"]


def one_by_one(model: Any, rows: Sequence[Sequence[int]]) -> Any:
    """What the model itself says of each row alone, as the trainers see it."""
    with torch.inference_mode():
        return np.asarray([model(input_ids=torch.tensor([list(row)])).logits[0, 0].item() for row in rows], dtype=np.float32)


@st.composite
def conversations(draw: st.DrawFn) -> list[list[int]]:
    """Rows with beginnings in common, of all lengths, some twice, in any order; end tokens (1) inside."""
    beginnings = draw(st.lists(st.lists(st.integers(3, 99), min_size=1, max_size=60), min_size=1, max_size=3))
    rows = [draw(st.sampled_from(beginnings)) + draw(Ids) + [1] + draw(Ids) for _ in range(draw(st.integers(0, 10)))]
    again = draw(st.lists(st.sampled_from(rows), max_size=3)) if rows else []
    return draw(st.permutations(rows + again))


@pytest.mark.parametrize("architecture", DECODERS)
@settings(max_examples=25, deadline=None)
@given(
    rows=conversations(),
    budget=st.sampled_from([1, 100, 300, 5000]),
    worth=st.sampled_from([1, 8, 32]),
    enough=st.sampled_from([1, 50, 512]),
)
def test_a_score_is_the_same_whatever_else_is_scored(
    architecture: str, rows: list[list[int]], budget: int, worth: int, enough: int
) -> None:
    model = random_model(architecture)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "_WORTH", worth)
        patch.setitem(scoring._ENOUGH, "cpu", enough)
        counted: list[int] = []
        scores = score_rows(model, rows, pad_id=PAD, budget=budget, advance=counted.append)
    assert scores.dtype == np.float32 and scores.shape == (len(rows),)
    assert sum(counted) == len(rows)
    np.testing.assert_allclose(scores, one_by_one(model, rows), atol=1e-4)


@pytest.mark.parametrize("architecture", ENCODERS)
@settings(max_examples=5, deadline=None)
@given(rows=conversations(), budget=st.sampled_from([100, 5000]))
def test_an_encoder_is_asked_for_its_own_logits(architecture: str, rows: list[list[int]], budget: int) -> None:
    model = random_model(architecture)
    np.testing.assert_allclose(score_rows(model, rows, pad_id=PAD, budget=budget), one_by_one(model, rows), atol=1e-4)


def test_the_random_models_tell_rows_apart() -> None:
    """Without this the tests above would hold for a model that says the same of everything."""
    rows = [[5, 6, 7, 1], [5, 6, 8, 1], [9] * 50 + [1]]
    for architecture in DECODERS + ENCODERS:
        assert np.ptp(one_by_one(random_model(architecture), rows)) > 1e-2, architecture


class Watched:
    """Every pass of a model's backbone: rows, width, and tokens held in the cache before it."""

    def __init__(self, model: Any) -> None:
        self.passes: list[tuple[int, int, int]] = []
        backbone = getattr(model, model.base_model_prefix)
        self.hook = backbone.register_forward_pre_hook(self.look, with_kwargs=True)

    def look(self, module: Any, arguments: Any, named: dict[str, Any]) -> None:
        rows, width = named["input_ids"].shape
        cache = named.get("cache", named.get("past_key_values"))
        self.passes.append((rows, width, 0 if cache is None else cache.get_seq_length()))


@pytest.fixture
def watch() -> Any:
    watched: list[Watched] = []

    def start(model: Any) -> Watched:
        watched.append(Watched(model))
        return watched[-1]

    yield start
    for one in watched:
        one.hook.remove()


def replies_to_premises(premises: int, replies: int) -> list[list[int]]:
    generator = np.random.default_rng(0)

    def some(length: int) -> list[int]:
        return [int(number) for number in generator.integers(3, 100, length)]

    return [[*premise, *some(int(generator.integers(2, 20))), 1] for premise in (some(60) for _ in range(premises)) for _ in range(replies)]


def test_a_common_beginning_is_computed_once(watch: Callable[[Any], Watched]) -> None:
    rows = replies_to_premises(5, 4)
    seen = watch(random_model("Llama"))
    score_rows(random_model("Llama"), rows, pad_id=PAD, budget=10_000)
    assert seen.passes[0] == (5, 60, 0)
    assert [number for number, _, held in seen.passes[1:]] == [20] and seen.passes[1][2] == 60


@pytest.mark.parametrize("budget", [1, 150, 400, 10_000])
def test_the_budget_bounds_what_is_held(watch: Callable[[Any], Watched], budget: int) -> None:
    rows = replies_to_premises(6, 3) + replies_to_premises(1, 1)
    seen = watch(random_model("Llama"))
    score_rows(random_model("Llama"), rows, pad_id=PAD, budget=budget)
    beginnings = 0
    for number, width, held in seen.passes:
        if not held:
            beginnings = number * width if width == 60 else 0
        assert number == 1 or number * (held + width) + (beginnings if held else 0) <= budget


def test_equal_rows_are_computed_once(watch: Callable[[Any], Watched]) -> None:
    seen = watch(random_model("Llama"))
    scores = score_rows(random_model("Llama"), [[5, 6, 1], [7, 1], [5, 6, 1], [5, 6, 1]], pad_id=PAD, budget=1000)
    assert seen.passes == [(2, 3, 0)]
    assert scores[0] == scores[2] == scores[3] != scores[1]


def test_a_short_window_is_never_laid_over_a_gap(watch: Callable[[Any], Watched]) -> None:
    model = random_model("Mistral with a short window")
    seen = watch(model)
    score_rows(model, replies_to_premises(2, 3), pad_id=PAD, budget=10_000)
    assert all(held == 0 for _, _, held in seen.passes)


@pytest.mark.parametrize("quantization", ["none", "nf4"])
@pytest.mark.parametrize("merge", [False, True])
def test_adapters_and_4_bit_share_too(nano_folder: Path, watch: Callable[[Any], Watched], quantization: str, merge: bool) -> None:
    base = nano_base(nano_folder, quantization=quantization, dtype="float32")
    torch.manual_seed(0)
    model = shaken(with_new_adapter(load_base(base, "SEQ_CLS"), base, LoraConfig(), "SEQ_CLS")).eval()
    model = merged(model, base) if merge else model
    rows = replies_to_premises(3, 4)
    pad = int(base.tokenizer.pad_token_id)
    expected = one_by_one(model, rows)
    seen = watch(model.get_base_model() if hasattr(model, "get_base_model") else model)
    scores = score_rows(model, rows, pad_id=pad, budget=10_000)
    assert any(held for _, _, held in seen.passes)
    assert np.ptp(scores) > 0.05
    np.testing.assert_allclose(scores, score_rows(model, rows, pad_id=pad, budget=10_000, padding="left"), atol=1e-4)
    np.testing.assert_allclose(scores, expected, atol=1e-4)


@given(rows=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8).map(tuple), max_size=7, unique=True), worth=st.integers(1, 3))
def test_families_part_the_rows_and_save_the_most(rows: list[tuple[int, ...]], worth: int) -> None:
    rows = sorted(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "_WORTH", worth)
        found = families(rows)
    assert [index for family in found for index in family.members] == list(range(len(rows)))
    for family in found:
        assert (family.shared == 0) == (len(family.members) == 1)
        assert len({rows[index][: family.shared] for index in family.members}) == 1
        assert all(family.shared < len(rows[index]) for index in family.members)
    assert sum((len(family.members) - 1) * family.shared for family in found) == most_saved(rows, worth)


def most_saved(rows: list[tuple[int, ...]], worth: int) -> int:
    """By trying every parting into neighbours."""

    def saving(part: list[tuple[int, ...]]) -> int:
        lengths = [n for n in range(min(map(len, part))) if len({row[:n] for row in part}) == 1]
        shared = max(lengths)
        return (len(part) - 1) * shared if shared >= worth else 0

    best = [0]
    for end in range(1, len(rows) + 1):
        best.append(max(best[start] + saving(rows[start:end]) for start in range(end)))
    return best[-1]


@given(lengths=st.lists(st.integers(1, 50), max_size=30), budget=st.integers(1, 200), before=st.integers(0, 20), enough=st.integers(0, 300))
def test_packing_keeps_to_the_budget_and_pads_little(lengths: list[int], budget: int, before: int, enough: int) -> None:
    batches = list(packed(lengths, budget, before=before, enough=enough))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) == 1 or len(batch) * (before + longest) <= budget
        busy = -(-enough // longest)  # rows that keep the machine busy; those beyond them are about as long
        assert all(lengths[index] >= 0.9 * longest for index in batch[max(1, busy) :])
