from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from suasion.analysis.hirpo.general.instructions import instructions
from suasion.analysis.hirpo.rehearsal import RehearsalConfig, read_chats, read_pairs, rehearsal
from suasion.analysis.hirpo.retention import ChatNumbers, RetentionLimits, chat_numbers, measure, passed_limits, spills
from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.training.chats import Chat
from tests.nano import shaken

CHATS = [Chat([{"role": "user", "content": f"Tell me about tea number {number}."}], f"Tea is good, {number} times.") for number in range(3)]
RULES = instructions(12, 0)


@pytest.fixture(scope="module")
def models(nano: Base) -> tuple[Any, Any]:
    torch.manual_seed(0)
    base = load_base(nano, "CAUSAL_LM").eval()
    moved = shaken(with_new_adapter(load_base(nano, "CAUSAL_LM"), nano, LoraConfig(rank=4), "CAUSAL_LM"), scale=0.1).eval()
    return base, moved


def test_a_model_has_not_moved_from_itself(models: tuple[Any, Any], renderer: Renderer) -> None:
    base, moved = models
    before = chat_numbers(base, base, renderer, CHATS, 500)
    assert before.divergence == pytest.approx([0, 0, 0], abs=1e-6)
    now = chat_numbers(moved, base, renderer, CHATS, 500)
    assert all(value > 0.001 for value in now.divergence) and now.loss != before.loss


def test_divergence_and_loss_are_what_their_formulas_say(models: tuple[Any, Any], renderer: Renderer) -> None:
    base, moved = models
    now = chat_numbers(moved, base, renderer, CHATS[:1], 500)
    ids = renderer.ids(list(CHATS[0].turns))
    answer = [*renderer.tokenizer(CHATS[0].answer, add_special_tokens=False)["input_ids"], renderer.end_id]
    with torch.inference_mode():
        ours, theirs = (
            model(input_ids=torch.tensor([ids + answer])).logits[0, len(ids) - 1 : -1].double().log_softmax(-1) for model in (moved, base)
        )
    assert now.loss[0] == pytest.approx(float(-ours[range(len(answer)), answer].mean()), rel=1e-4)
    expected = torch.nn.functional.kl_div(ours, theirs, log_target=True, reduction="sum") / len(answer)
    assert now.divergence[0] == pytest.approx(float(expected), rel=1e-3)


def numbers(rise: float, kept: int, spilled: int = 0, n: int = 12) -> Any:
    before = ChatNumbers([1.0 + 0.01 * (i % 3) for i in range(n)], [0.0] * n)
    now = ChatNumbers([value + rise for value in before.loss], [rise / 2] * n)
    answers = ["```argdown\n[A]: a\n```" if i < spilled else "Tea is fine." for i in range(n)]
    return measure(
        now, before, answers, ["Tea is very fine indeed."] * n, [i < kept for i in range(12)], [True] * 10 + [False] * 2, RULES, 0
    )


def test_each_number_has_its_interval_and_n() -> None:
    found = numbers(0.2, 8, spilled=3)
    assert found.numbers["chat_loss_rise"].value == pytest.approx(0.2) and found.numbers["chat_loss_rise"].n == 12
    assert found.numbers["instructions"].value == pytest.approx(8 / 12)
    assert found.numbers["instructions"].low < 8 / 12 < found.numbers["instructions"].high
    assert found.numbers["spilled"].value == 0.25
    assert sum(one.n for one in found.by_kind.values()) == 12
    json.dumps(found.as_dict())


@pytest.mark.parametrize(
    ("found", "limits", "what"),
    [
        ({"rise": 0.2, "kept": 10}, {}, None),
        ({"rise": 0.9, "kept": 10}, {"chat_loss_rise": 0.5}, "chat loss rise"),
        ({"rise": 0.9, "kept": 10}, {"chat_loss_rise": None, "divergence": None}, None),
        ({"rise": 0.0, "kept": 0}, {}, "instructions"),
        ({"rise": 0.0, "kept": 9}, {}, None),  # a little less is within what chance does
        ({"rise": 0.0, "kept": 10, "spilled": 12}, {}, "spilled"),
        ({"rise": 0.0, "kept": 10, "spilled": 3}, {}, None),  # a quarter of twelve: the interval still holds the limit of a fifth
    ],
)
def test_limits(found: dict[str, Any], limits: dict[str, Any], what: str | None) -> None:
    said = passed_limits(numbers(**found), RetentionLimits(**limits))
    assert (not said) if what is None else (len(said) == 1 and what in said[0])


@pytest.mark.parametrize(
    ("answer", "spilt"),
    [
        ("```argdown\n[A]: a", True),
        ("Here:\n~~~ xml\n<x/>", True),
        ('<proposition id="1">Tea</proposition> is good.', True),
        ("[Tea]: Tea is good.\n    <+ <Taste>: It tastes.", True),
        ("Tea is good. Use ```python\nprint(1)\n``` for it.", False),
        ("[1]: see there", False),
        ("", False),
    ],
)
def test_unasked_blocks_are_seen(answer: str, spilt: bool) -> None:
    assert spills(answer) is spilt


def test_rehearsal_goes_round_by_share_and_batch(renderer: Renderer) -> None:
    found = rehearsal(RehearsalConfig(share=0.5), renderer, CHATS, 500)
    batches = [found.of_batch(number, 3) for number in range(4)]
    assert [len(batch) for batch in batches] == [1, 2, 1, 2]
    flat = [row["input_ids"] for batch in batches for row in batch]
    assert flat == [found.rows[i % 3]["input_ids"] for i in range(6)]
    assert not rehearsal(RehearsalConfig(share=0), renderer, CHATS, 500).of_batch(0, 8)
    with pytest.raises(SuasionError, match="nothing to rehearse"):
        rehearsal(RehearsalConfig(), renderer, CHATS, 5)


def test_own_chats_and_pairs_are_read(tmp_path: Path) -> None:
    chats, pairs = tmp_path / "chats.jsonl", tmp_path / "pairs.jsonl"
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    chats.write_text(json.dumps({"messages": turns}) + "\n\n", encoding="utf-8")
    assert read_chats(chats) == [Chat(turns[:1], "Hello")]
    pairs.write_text(json.dumps({"prompt": "Hi", "chosen": [turns[1]], "rejected": "Bye"}), encoding="utf-8")
    (pair,) = read_pairs(pairs)
    assert (pair.turns, pair.chosen, pair.rejected) == (turns[:1], "Hello", "Bye")


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '{"messages": []}', '{"messages": [{"role": "user", "content": "a"}]}', '{"messages": 1}', "7"]
)
def test_other_rows_are_refused_with_their_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(SuasionError, match=r"row|JSON|nothing") as caught:
        read_chats(file)
    assert str(file) in str(caught.value)
    with pytest.raises(SuasionError, match="Cannot read"):
        read_chats(tmp_path / "absent.jsonl")


def test_pairs_need_a_source() -> None:
    with pytest.raises(ValidationError, match="needs a source"):
        RehearsalConfig(form="pairs")
    assert not math.isnan(RehearsalConfig(form="pairs", share=0).share)
