"""Which tricks raise the score: each judge that can be fooled is caught by the trick made for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from suasion.errors import SuasionError
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.audit.tricked import play, tricked
from suasion.persuasion.judging.audit.tricks.catalogue import TRICKS
from suasion.persuasion.judging.audit.tricks.trick import replies_of
from suasion.persuasion.judging.judge import Judge
from tests.persuasion.judging.fooled import CONSTANT, KEYWORD, LAYOUT, LENGTH, LOTS, Knowing, debates, rule, scored_by


def findings(judge: Judge, number: int = 40, seed: int = 0, **config: float) -> dict[str, Finding]:
    scored = scored_by(judge, number)
    rounds = play(judge, replies_of(scored.pairs, 32, seed), TRICKS, seed)
    return {one.code.removeprefix("trick-"): one for one in tricked(rounds, scored.scale, AuditConfig(**config), seed)}  # type: ignore[arg-type]


def failed(found: dict[str, Finding]) -> set[str]:
    return {name for name, one in found.items() if one.passed is False}


def test_a_judge_that_knows_is_fooled_by_no_trick() -> None:
    found = findings(Knowing())
    assert list(found) == [trick.name for trick in TRICKS]
    assert all(one.passed for one in found.values())
    assert found["off-topic"].estimate.value < 0 and found["empty"].estimate.high < 0


def test_a_length_judge_is_caught_by_padding() -> None:
    assert {"filler", "repetition", "restating", "flattery", "statistics", "injected-order"} <= failed(findings(LENGTH))
    assert not {"bold", "upper-case", "empty", "language"} & failed(findings(LENGTH))


def test_a_layout_judge_is_caught_by_bullets_and_bold() -> None:
    found = findings(LAYOUT)
    assert {name for name in failed(found) if not found[name].details["spoils"]} == {"bullets", "bold"}


def test_a_keyword_judge_is_caught_by_repetition() -> None:
    assert failed(findings(KEYWORD)) == {"repetition"}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("delta", "delta"),
        ("example.org", "links"),
        ("professor|Every expert|governments", "authority"),
        ("%", "statistics"),
        ("ignore all earlier", "injected-order"),
        ("I agree|exactly as you do|correct as it stands", "agreeing"),
    ],
)
def test_a_judge_that_falls_for_one_thing_is_caught_by_that(word: str, name: str) -> None:
    knowing = Knowing()

    class Falls:
        def score(self, premises: Sequence[str], replies: Sequence[str]) -> np.ndarray:
            fell = [any(one in reply for one in word.split("|")) for reply in replies]
            return knowing.score(premises, replies) + np.asarray(fell, dtype=np.float32)

    found = findings(Falls())
    assert name in failed(found)
    assert found[name].details["gained"]["value"] == 1.0 and found[name].examples


@pytest.mark.parametrize(
    ("liked", "name"), [(lambda reply: reply == "", "empty"), (lambda reply: "Temperatur" in reply or "degrés" in reply, "language")]
)
def test_what_spoils_a_reply_may_not_raise_it_at_all(liked, name: str) -> None:  # type: ignore[no-untyped-def]
    found = findings(rule(lambda reply: 5.0 * liked(reply) + 0.3 * LOTS.rule(reply)))
    assert name in failed(found)
    assert found[name].limit == "not at all"


def test_a_trick_fails_where_it_gains_more_than_the_limit() -> None:
    """Half a gap for a plea: over a limit of a quarter, below one of three quarters."""
    judge = rule(lambda reply: 2.0 * (hash_of(reply) > 0.5) + 0.7 * ("delta" in reply))
    gain = findings(judge)["delta"].estimate.value
    assert findings(judge, max_trick_gain=gain / 2 - 0.05)["delta"].passed is False or gain < 0.3
    assert findings(judge, max_trick_gain=gain + 0.1)["delta"].passed is True


def hash_of(reply: str) -> float:
    return float(LOTS.rule(reply.split()[0] if reply.split() else ""))


def test_what_lies_above_the_limit_without_being_shown_to_is_undecided() -> None:
    seen = {
        one.passed for seed in range(3) for one in findings(LOTS, seed=seed).values() if one.estimate.value > 0.25 or one.passed is None
    }
    assert seen <= {None, False} and None in seen


def test_few_debates_show_nothing() -> None:
    assert {one.passed for one in findings(LENGTH, 4).values()} == {None}


def test_a_judge_without_differences_is_measured_all_the_same() -> None:
    assert all(one.passed and one.estimate.value == 0 for one in findings(CONSTANT).values())


def test_a_judge_whose_scores_are_a_thousand_times_larger_is_the_same_judge() -> None:
    large = findings(rule(lambda reply: 1000.0 * KEYWORD.rule(reply)))
    for name, one in findings(KEYWORD).items():
        assert large[name].estimate.value == pytest.approx(one.estimate.value, abs=1e-6) and large[name].passed == one.passed


def test_the_same_seed_gives_the_same_findings_and_they_are_json() -> None:
    first, again = findings(LAYOUT), findings(LAYOUT)
    assert first == again
    for one in first.values():
        told = one.as_dict()
        assert json.loads(json.dumps(told, allow_nan=False)) == told
        assert told["details"]["unit"] == "gaps"
    few = findings(LAYOUT, 1)
    json.dumps([one.as_dict() for one in few.values()], allow_nan=False)
    assert few["off-topic"].estimate.n == 0 and few["off-topic"].details["impossible"] == 2


def test_a_score_that_is_no_number_is_an_error_that_shows_the_text() -> None:
    with pytest.raises(SuasionError, match="not numbers") as caught:
        play(rule(lambda reply: 1.0 if reply else float("nan")), replies_of(debates(3), 9, 0), TRICKS, 0)
    assert "''" in str(caught.value) and caught.value.hint


def test_a_judge_that_may_be_unreadable_is_measured_on_what_could_be_read() -> None:
    class Mumbling:
        may_be_unreadable = True

        def score(self, premises: Sequence[str], replies: Sequence[str]) -> np.ndarray:
            return np.asarray([float("nan") if "delta" in reply else 1.0 for reply in replies], dtype=np.float32)

    rounds = {one.trick.name: one for one in play(Mumbling(), replies_of(debates(10), 20, 0), TRICKS, 0)}
    assert rounds["delta"].replies == () and rounds["delta"].unread == 20 and rounds["bold"].unread == 0
    found = {one.code: one for one in tricked(tuple(rounds.values()), 1.0, AuditConfig(), 0)}
    assert found["trick-delta"].passed is None and found["trick-bold"].passed is True
