"""The whole audit: the oracle passes, and each judge that is known to be bad fails, by the probe made for it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from suasion.errors import SuasionError
from suasion.models.scoring import Scores
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.audit import Audit, audit
from suasion.persuasion.judging.audit.best_of_four import quartets
from suasion.persuasion.judging.audit.material import Material
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.baselines.fit import fit_one
from suasion.persuasion.judging.judge import RULES, Judge, word_count
from tests.persuasion.judging.synthetic import ORACLE, Known, noise, synthetic_pairs, weighs

HELD_OUT, TRAIN = synthetic_pairs(40), synthetic_pairs(60, seed=1)
QUICK = {"replies": 16}


def audited(judge: Judge, held_out: Sequence[Pair] = HELD_OUT, more: Mapping[str, Any] | None = None, **config: Any) -> Audit:
    return audit(judge, Material(held_out, **({"train": TRAIN} | dict(more or {}))), AuditConfig(**(QUICK | config)), seed=0)


def failed(found: Audit) -> set[str]:
    return {finding.code for finding in found.failed}


def permuted(pairs: Sequence[Pair]) -> Judge:
    """The oracle's scores, each given to another reply: a head that was swapped for another's."""
    texts = [(pair.premise, reply) for pair in pairs for reply in (pair.winner, pair.loser)]
    scores = [weighs(*text) for text in texts]
    random.Random(0).shuffle(scores)
    known = dict(zip(texts, scores, strict=True))
    return Known(lambda premise, reply: known.get((premise, reply), 0.0))


@pytest.fixture(scope="module")
def of_oracle() -> Audit:
    return audited(ORACLE)


def test_a_judge_that_knows_passes_every_probe(of_oracle: Audit) -> None:
    assert failed(of_oracle) == set() and of_oracle.passed
    assert {"accuracy", "beats-longest", "beats-shortest", "beats-shallow", "beats-words", "loser-longer", "length-correlation"} <= {
        finding.code for finding in of_oracle.findings if finding.passed
    }
    assert {"length-at-fixed-content", "cut-in-half", "reads-premise", "overconfidence", "trick-filler"} <= {
        finding.code for finding in of_oracle.findings if finding.passed
    }


def test_the_debates_are_hard_for_whoever_does_not_read_both_texts(of_oracle: Audit) -> None:
    assert set(of_oracle.baselines) == {"longest", "shortest", "shallow", "words"}
    assert all(one.value < 0.75 and one.low < 0.5 for one in of_oracle.baselines.values()), of_oracle.baselines


WINNERS = {pair.winner for pair in [*HELD_OUT, *TRAIN]}

BAD: dict[str, tuple[Judge, set[str]]] = {
    "counts words": (RULES["longest"], {"length-correlation", "loser-longer", "beats-longest", "length-at-fixed-content", "trick-filler"}),
    "counts words the other way": (RULES["shortest"], {"length-correlation", "beats-shortest", "cut-in-half"}),
    "knows, and counts words": (
        Known(lambda premise, reply: weighs(premise, reply) + 0.05 * word_count(reply)),
        {"length-at-fixed-content", "trick-filler"},
    ),
    "likes lists and bold type": (
        Known(lambda premise, reply: weighs(premise, reply.replace("**", "")) + 2.0 * ("**" in reply) + 2.0 * ("\n- " in f"\n{reply}")),
        {"trick-bullets", "trick-bold"},
    ),
    "knows one word": (Known(lambda premise, reply: reply.lower().count("because")), {"accuracy", "search-reply", "search-universal"}),
    "knows, and likes one word": (Known(lambda premise, reply: weighs(premise, reply) + 2.0 * reply.count("ecause")), {"search-tricks"}),
    "does not look at the premise": (Known(lambda premise, reply: 2.0 * (reply in WINNERS)), {"reads-premise"}),
    "has its head on backwards": (Known(lambda premise, reply: -weighs(premise, reply)), {"accuracy", "loser-longer", "beats-shortest"}),
    "has another's head": (permuted(HELD_OUT), {"accuracy"}),
    "draws lots": (Known(lambda premise, reply: noise(premise, reply + "!")), {"accuracy"}),
    "says nothing": (Known(lambda premise, reply: 1.0), {"accuracy", "reads-premise"}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_judge_known_to_be_bad_fails_by_the_probe_made_for_it(name: str) -> None:
    judge, probes = BAD[name]
    found = audited(judge)
    assert not found.passed
    assert probes <= failed(found), f"{name}: {sorted(failed(found))}"


def test_the_learned_baselines_cannot_beat_themselves() -> None:
    """Where words give the winner away, counting words is right, and still no judge that is worth more than they are."""
    told = [replace(pair, winner=f"Evidently. {pair.winner}", loser=f"Frankly. {pair.loser}") for pair in [*HELD_OUT, *TRAIN]]
    held_out, train = told[: len(HELD_OUT)], told[len(HELD_OUT) :]
    found = audited(fit_one("words", train, seed=0), held_out, {"train": train}, search_calls=0)
    assert found.baselines["words"].value > 0.9
    assert {"beats-words", "reads-premise"} <= failed(found) and "accuracy" not in failed(found)


def test_a_lead_that_the_recipe_asks_for_must_be_reached(of_oracle: Audit) -> None:
    assert "beats-longest" in failed(audited(ORACLE, search_calls=0, min_lead=0.4))
    assert "beats-longest" not in failed(of_oracle)


# What the data cannot answer, and what is no judge.


def test_few_debates_cannot_pass_a_judge() -> None:
    """Right five times of five in one debate is one observation, not five."""
    found = audited(ORACLE, [replace(pair, debate_id="d") for pair in HELD_OUT[:5]], search_calls=0)
    assert "accuracy" in failed(found)
    assert {"loser-longer", "equal-length", "reads-premise"} <= set(found.as_dict()["undecided"])


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers_are_an_error(score: float) -> None:
    judge = Known(lambda premise, reply: score if premise == HELD_OUT[3].premise else 1.0)
    with pytest.raises(SuasionError, match="not numbers") as caught:
        audited(judge)
    assert caught.value.hint


def test_no_pair_is_an_error() -> None:
    with pytest.raises(SuasionError, match="no pair in the test split"):
        audited(ORACLE, [])


class Mumbling:
    """Knows, but what it says about some texts cannot be read."""

    may_be_unreadable = True

    def __init__(self, share: float) -> None:
        self.share = share

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        scores = ORACLE.score(premises, replies)
        mumbled = [noise(premise, reply) < self.share for premise, reply in zip(premises, replies, strict=True)]
        return np.where(mumbled, np.float32("nan"), scores)


def test_answers_that_cannot_be_read_are_counted_and_never_a_score() -> None:
    found = audited(Mumbling(0.2), more={"fours": quartets(synthetic_pairs(20, losers=3))})
    assert found.passed
    assert 0.1 * found.texts < found.unreadable < 0.3 * found.texts
    assert len(found.scored.pairs) < 40 and found.as_dict()["findings"][0]["value"] == 1
    assert found.best_of_four is not None and 0 < found.best_of_four.judge.n < 20
    with pytest.raises(SuasionError, match="no readable score"):
        audited(Mumbling(1.0))


# What else is at hand.


def test_judges_of_other_seeds_are_held_beside_it() -> None:
    others = {"others": (ORACLE, Known(lambda premise, reply: weighs(premise, reply) + 0.1))}
    assert audited(ORACLE, more=others, search_calls=0).agreement is not None
    lots = tuple(Known(lambda premise, reply, k=k: noise(premise, f"{k}{reply}")) for k in range(3))
    found = audited(ORACLE, more={"others": lots}, search_calls=0)
    assert failed(found) == {"seeds-agree"} and found.as_dict()["agreement"]["value"] < 0.6
    assert failed(audited(ORACLE, more={"others": lots[:1]}, search_calls=0)) == {"seeds-agree"}


def test_transfer_is_told_beside_the_baselines_and_judged_where_the_recipe_says_so() -> None:
    elsewhere = {"a-quarrel": synthetic_pairs(30, seed=5), "backwards": [swapped(pair) for pair in synthetic_pairs(30, seed=6)]}
    told = audited(ORACLE, more={"transfer": elsewhere}, search_calls=0, transfer_pairs=20)
    assert told.passed
    found = told.as_dict()["transfer"]
    assert found["a-quarrel"]["judge"]["value"] == 1 and found["backwards"]["judge"]["value"] == 0
    assert found["a-quarrel"]["judge"]["n"] == 20 and set(found["a-quarrel"]["baselines"]) == {"longest", "shortest", "shallow", "words"}
    held = audited(ORACLE, more={"transfer": elsewhere}, search_calls=0, min_transfer_accuracy=0.5)
    assert failed(held) == {"transfer-backwards"}


def swapped(pair: Pair) -> Pair:
    return replace(pair, winner=pair.loser, loser=pair.winner)


def test_quartets_are_taken_where_there_are_some_and_made_where_not() -> None:
    pairs = synthetic_pairs(40, losers=3)
    made = audited(ORACLE, pairs, search_calls=0)
    assert made.best_of_four is not None and made.best_of_four.judge.n == 40
    given = audited(ORACLE, pairs, {"fours": quartets(pairs)[:10]}, search_calls=0)
    assert given.best_of_four is not None and given.best_of_four.judge.n == 10
    assert audited(ORACLE, search_calls=0).best_of_four is None


def test_embeddings_make_one_more_baseline() -> None:
    def embed(texts: Sequence[str]) -> Scores:
        return np.asarray([[len(text), text.count("e")] for text in texts], dtype=np.float32)

    found = audited(ORACLE, more={"embed": embed}, search_calls=0)
    assert "sentences" in found.baselines and "beats-sentences" in {finding.code for finding in found.findings}
    assert set(audited(ORACLE, more={"train": ()}, search_calls=0).baselines) == {"longest", "shortest"}


# The record.


def test_the_whole_audit_is_json(of_oracle: Audit) -> None:
    for found in (of_oracle, audited(ORACLE, HELD_OUT[:1]), audited(RULES["longest"], HELD_OUT[:3])):
        told = found.as_dict()
        assert json.loads(json.dumps(told, allow_nan=False)) == told
        assert told["verdict"] == ("pass" if found is of_oracle else "fail")
        assert set(told["failed"]).isdisjoint(told["undecided"])
        assert sum(one["n"] for one in told["length_bins"]) == told["pairs"] == len(found.scored.pairs)
        assert sum(one["n"] for one in told["reliability"]) == told["pairs"]


def test_no_text_is_scored_twice(of_oracle: Audit) -> None:
    asked: list[tuple[str, str]] = []

    class Asked:
        def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
            asked.extend(zip(premises, replies, strict=True))
            return ORACLE.score(premises, replies)

    found = audited(Asked())
    assert len(asked) == len(set(asked)) == found.texts == of_oracle.texts


def test_the_same_seed_gives_the_same_audit_and_pairs_are_bounded() -> None:
    first, again = (audited(BAD["draws lots"][0]).as_dict() for _ in range(2))
    assert first == again
    assert len(audited(ORACLE, search_calls=0, pairs=10).scored.pairs) == 10
