from __future__ import annotations

import numpy as np
import pytest

from suasion.persuasion.arena.ballots import Ballot, from_row
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.screening import Screening, screen
from suasion.persuasion.arena.simulate import World
from suasion.persuasion.arena.strengths import COVARIATES, bradley_terry
from suasion.persuasion.arena.winrates import credit_of

SYSTEMS = ("base", "sft", "grpo")

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
#: American League, Eastern Division, 1987 (Agresti 2002, table 10.10): wins and losses at home, against the other teams in order.
HOME = (
    "43 42 43 61 42 60",
    "33 42 43 60 61 43",
    "25 43 24 43 42 60",
    "33 51 25 43 42 61",
    "51 25 33 42 52 60",
    "25 33 34 43 42 24",
    "25 15 16 24 16 34",
)


def baseball() -> list[Ballot]:
    ballots: list[Ballot] = []
    for home, games in zip(TEAMS, HOME, strict=True):
        for away, (wins, losses) in zip([team for team in TEAMS if team != home], games.split(), strict=True):
            for answer, times in (("left", int(wins)), ("right", int(losses))):
                for _ in range(times):
                    ballots.append(
                        from_row(
                            {"rater": f"r{len(ballots)}", "premise": f"p{len(ballots)}", "left": home, "right": away, "answer": answer}
                        )
                    )
    return ballots


def test_the_baseball_example_of_agresti() -> None:
    """Published: Agresti 2002, section 10.6.1, and Turner & Firth 2012 (J. Stat. Software 48(9)), models 1 and 2, with standard errors."""
    games = baseball()
    assert len(games) == 273
    plain = bradley_terry(games)
    last = plain.systems["Baltimore"].value
    published = (1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0)
    assert [plain.systems[team].value - last for team in TEAMS] == pytest.approx(published, abs=0.006)
    at_home = bradley_terry(games, ["side"])
    last = at_home.systems["Baltimore"].value
    published = (1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047, 0.0)
    assert [at_home.systems[team].value - last for team in TEAMS] == pytest.approx(published, abs=5e-5)
    home = at_home.covariates["side"]
    assert home.value == pytest.approx(0.3023, abs=5e-5)
    assert (home.high - home.low) / 2 / 1.9687 == pytest.approx(0.131, abs=0.001)  # Student's quantile with 272 degrees of freedom


def test_choix_finds_the_same_strengths() -> None:
    choix = pytest.importorskip("choix")
    games = baseball()
    wins = [(TEAMS.index(one.left), TEAMS.index(one.right))[:: 1 if one.answer == "left" else -1] for one in games]
    theirs = choix.ilsr_pairwise(len(TEAMS), wins)
    ours = bradley_terry(games)
    assert [ours.systems[team].value for team in TEAMS] == pytest.approx(list(theirs - theirs.mean()), abs=1e-6)


def test_ties_are_half_a_win_and_sides_do_not_matter() -> None:
    games = imagined_study(World(strengths={"grpo": 1.0}), seed=0)
    swapped = [
        from_row(
            one.as_dict() | {"left": one.right, "right": one.left, "answer": {"left": "right", "right": "left"}.get(one.answer, one.answer)}
        )
        for one in games
    ]
    one, other = bradley_terry(games, ["side"]), bradley_terry(swapped, ["side"])
    assert one.systems["grpo"].low == pytest.approx(other.systems["grpo"].low)
    assert one.covariates["side"].value == pytest.approx(-other.covariates["side"].value)
    assert sum(strength.value for strength in one.systems.values()) == pytest.approx(0)
    assert one.differences["base", "grpo"].value == pytest.approx(one.systems["base"].value - one.systems["grpo"].value)


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([("a", "b", "left")] * 5, "won every ballot"),
        ([("a", "b", "tie"), ("c", "d", "tie")], "never compared"),
        ([], "fewer than two"),
    ],
)
def test_strengths_that_do_not_exist_are_not_made_up(results: list[tuple[str, str, str]], said: str) -> None:
    ballots = [from_row({"rater": f"r{i}", "premise": f"p{i}", "left": a, "right": b, "answer": c}) for i, (a, b, c) in enumerate(results)]
    found = bradley_terry(ballots, COVARIATES)
    assert said in found.why_not and not found.systems


def test_a_covariate_that_explains_everything_is_refused_not_reported() -> None:
    ballots = [
        from_row(
            {
                "rater": f"r{i}",
                "premise": f"p{i}",
                "left": "ab"[i % 2],
                "right": "ba"[i % 2],
                "answer": answer,
                "left_words": words,
                "right_words": 50,
            }
        )
        for i, (answer, words) in enumerate([("left", 100), ("left", 90), ("right", 25), ("right", 20)] * 5)
    ]
    assert "too few" in bradley_terry(ballots, ["length"]).why_not
    assert bradley_terry(ballots).systems["a"].value == pytest.approx(0, abs=1)


def test_length_is_told_apart_from_strength() -> None:
    """A world in which only length counts, and one system writes twice as much."""
    world = World(length=0.8, ties=0.0)
    games = [ballot for seed in range(3) for ballot in _renamed(imagined_study(world, seed=seed, words={"grpo": 200}), seed)]
    plain, held = bradley_terry(games), bradley_terry(games, COVARIATES)
    assert plain.differences["base", "grpo"].high < -0.4
    assert held.differences["base", "grpo"].low < 0 < held.differences["base", "grpo"].high
    assert held.covariates["length"].low < 0.8 < held.covariates["length"].high and held.covariates["length"].low > 0.3


def _renamed(ballots: list[Ballot], seed: int) -> list[Ballot]:
    return [from_row(one.as_dict() | {"rater": f"{one.rater}-{seed}", "premise": f"{one.premise}-{seed}"}) for one in ballots]


def test_the_intervals_hold_the_known_strengths_as_often_as_they_say_and_not_under_a_biased_rule() -> None:
    """100 simulated studies with lazy raters and a side bias; seen: 0.94, and 0.5 where the rule looks at votes."""
    world = World(strengths={"sft": 0.5, "grpo": 1.0}, side=0.3, lazy=0.15, premise=0.3, taste=0.15)
    truth = world.truth(SYSTEMS)
    held, biased = [], []
    for seed in range(100):
        kept = screen(imagined_study(world, seed=seed), Screening()).kept
        for found, told in ((bradley_terry(kept, COVARIATES), held), (bradley_terry(_who_like("base", kept), COVARIATES), biased)):
            told += [found.systems[name].low <= truth[name] <= found.systems[name].high for name in SYSTEMS]
    assert 0.90 <= np.mean(held) <= 0.985
    assert np.mean(biased) < 0.75


def _who_like(system: str, ballots: list[Ballot]) -> list[Ballot]:
    """A rule that no study has: it keeps the half of the raters to whom ``system`` appeals most."""
    credits: dict[str, list[float]] = {}
    for ballot in ballots:
        if ballot.kind == "ballot" and system in ballot.pair:
            credits.setdefault(ballot.rater, []).append(credit_of(system, ballot))
    means = {rater: float(np.mean(theirs)) for rater, theirs in credits.items()}
    middle = float(np.median(list(means.values())))
    return [ballot for ballot in ballots if means.get(ballot.rater, 0) >= middle]
