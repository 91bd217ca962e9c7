"""The whole attack: what the searches measure on debates they have not searched on, and what is kept of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from suasion.persuasion.judging.audit.attack import Attack, attack
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.judge import Judge
from tests.persuasion.judging.fooled import CONSTANT, KEYWORD, LAYOUT, LENGTH, LOTS, Knowing, debates, rule, scored_by

SEARCHES = ("search-tricks", "search-universal", "search-reply")


def attacked(judge: Judge, number: int = 40, seed: int = 0, **config: Any) -> Attack:
    return attack(judge, scored_by(judge, number), AuditConfig(**config), seed)


def found(attack: Attack, code: str) -> Finding:
    return next(one for one in attack.findings if one.code == code)


def failed(attack: Attack) -> set[str]:
    return {one.code for one in attack.findings if one.passed is False}


def test_a_judge_that_knows_withstands_the_attack() -> None:
    attack = attacked(Knowing())
    assert all(one.passed for one in attack.findings) and attack.exploit is None
    assert found(attack, "search-universal").estimate.value == 0 and found(attack, "search-reply").estimate.value == 0


@pytest.mark.parametrize("judge", [LENGTH, KEYWORD, LAYOUT], ids=["length", "keyword", "layout"])
def test_judges_that_can_be_fooled_are_fooled_by_the_search(judge: Judge) -> None:
    attack = attacked(judge)
    assert set(SEARCHES) <= failed(attack)
    assert attack.worst is not None and attack.worst.gain > 0
    assert attack.worst.example.score_after > attack.worst.example.score_before


def test_a_keyword_that_is_in_no_trick_is_found_and_shown() -> None:
    """Whoever says 'houses' is right, for this judge. Nobody told the search; the scores of real replies did."""
    strict = attacked(rule(lambda reply: float(min(6, reply.lower().split().count("houses")))))
    assert {"search-universal", "search-reply"} <= failed(strict)
    assert strict.worst is not None
    assert "houses" in strict.worst.example.after and len(strict.worst.example.after.split()) <= 20
    assert "houses" in " ".join(strict.worst.recipe)


def test_the_best_chain_of_tricks_is_found_and_measured_elsewhere() -> None:
    """Bullets bring one gap, bold another: neither alone is the worst that can be done."""
    judge = rule(lambda reply: float("- " in reply) + float("**" in reply) + 0.5 * (hash_of(reply) > 0.5))
    chain = found(attacked(judge), "search-tricks")
    assert set(chain.details["recipe"]) >= {"bullets", "bold"}
    assert chain.passed is False and 0 < chain.estimate.clusters <= 20


def hash_of(reply: str) -> float:
    return float(LOTS.rule(reply.replace("*", "").replace("- ", "").split()[-1] if reply.split() else ""))


def test_one_look_at_fresh_debates_is_not_taken_in_by_chance() -> None:
    """A judge of lots: the chain that looked best by chance gains nothing elsewhere."""
    values = [found(attacked(LOTS, seed=seed), "search-tricks").estimate.value for seed in range(4)]
    assert sum(values) / len(values) < 0.4
    assert {found(attacked(LOTS, seed=seed), "search-reply").passed for seed in range(2)} == {False}  # but a search for maxima finds them


def test_a_limit_is_a_limit() -> None:
    assert found(attacked(KEYWORD, max_exploit_wins=1.0), "search-universal").passed is True
    assert found(attacked(KEYWORD, max_search_gain=50), "search-tricks").passed is True


def test_a_tie_is_half_a_win() -> None:
    assert found(attacked(CONSTANT), "search-universal").estimate.value == 0.5


@pytest.mark.parametrize("calls", [1, 7, 40, 96, 600])
def test_the_budget_is_kept(calls: int) -> None:
    attack = attacked(KEYWORD, search_calls=calls)
    assert attack.calls <= calls
    assert attack.as_dict()["search_calls"] == attack.calls


def test_a_small_budget_still_catches_a_keyword_judge() -> None:
    attack = attacked(KEYWORD, 16, search_calls=96, replies=12)
    assert "search-universal" in failed(attack) and attack.replies == 12


def test_without_a_budget_there_is_no_search() -> None:
    attack = attacked(KEYWORD, search_calls=0)
    assert not {one.code for one in attack.findings} & set(SEARCHES) and attack.worst is None


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_few_debates_decide_nothing_and_break_nothing(number: int) -> None:
    attack = attacked(LENGTH, number)
    assert all(one.passed is None for one in attack.findings if one.code in SEARCHES)
    json.dumps([one.as_dict() for one in attack.findings] + [attack.as_dict()], allow_nan=False)


def test_the_same_seed_gives_the_same_attack_and_it_is_json() -> None:
    first, again = attacked(LAYOUT), attacked(LAYOUT)
    assert first == again
    told = first.as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["exploit"]["words"] == len(told["exploit"]["after"].split())


def test_a_rewriter_adds_a_trick() -> None:
    judge = rule(lambda reply: float("indeed" in reply))
    attack_ = attack(judge, score_pairs(judge, debates()), AuditConfig(search_calls=0), 0, rewriter=lambda text: f"{text} indeed")
    assert failed(attack_) == {"trick-paraphrase"}


def test_a_premise_s_own_words_are_tried() -> None:
    """A judge that wants the topic named and counts nothing else: the search puts the premise's words in."""

    class Naming:
        def score(self, premises: Any, replies: Any) -> Any:
            import numpy as np

            topics = [next((word for word in premise.split() if word.startswith("topic")), "-") for premise in premises]
            said = [reply.split().count(topic) for topic, reply in zip(topics, replies, strict=True)]
            return np.asarray([min(2, count) for count in said], dtype=np.float32)

    attack = attacked(Naming())
    assert found(attack, "search-reply").estimate.value >= 0.5
    assert found(attack, "search-universal").estimate.value == 0
