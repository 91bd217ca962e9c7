from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suasion.config import validate
from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.contest import Contender, Contest, Entrant, JudgeSeat, Milestone
from suasion.persuasion.evaluation.length_trap.numbers import numbers_of
from suasion.persuasion.evaluation.length_trap.report import write_length_trap
from suasion.persuasion.evaluation.length_trap.verdict import Verdict, verdict_on
from suasion.persuasion.recipe import Recipe
from suasion.runs.run import Run
from tests.persuasion.evaluation.test_evaluation_report import EVIL, Page

PREMISES = 12
STEPS = 8


def finding(code: str, value: float, passed: bool) -> dict[str, Any]:
    estimate = {"value": value, "low": value - 0.1, "high": value + 0.1, "n": 40, "clusters": 10}
    return {"code": code, "question": f"{code}? {EVIL}", "limit": "a limit", "passed": passed} | estimate


class Experiment:
    """Arms whose judges love length to a degree, and whose writers grew to another.

    Args:
        arms: name -> (share of pairs in which the longer one won, words gained, effect of practice on the outsider's score).
    """

    def __init__(self, root: Path, arms: dict[str, tuple[float, float, float]], seeds: int = 2) -> None:
        self.root, self.draw = root, np.random.default_rng(3)
        self.recipe = validate({"name": f"trap {EVIL}", "evaluate": {"samples": 3}, "arms": {name: {} for name in arms}}, Recipe)
        contenders, entrants = [], [self.entrant("base", None, None, 0, 0), self.entrant("sft", None, None, 0, 0)]
        seats = []
        for name, (share, gained, liked) in arms.items():
            judge, audit = self.judged(share)
            seats.append(JudgeSeat(f"judge-of-{name}", judge, (name,)))
            for seed in range(seeds):
                run = self.done("GRPO")
                contenders.append(Contender(name, seed, self.recipe, run, judge, audit))
                entrants.append(self.entrant(f"{name}-seed{seed}", name, seed, gained, liked))
        seats.append(JudgeSeat("outsider", None, ()))
        milestones = {one.name: [Milestone(step, 30.0, {"outsider": -step}) for step in range(1, STEPS)] for one in contenders}
        premises = [Premise(f"d{number}", f"View {number} {EVIL}", ()) for number in range(PREMISES)]
        self.run = Run.start(root, "LengthTrap", config=self.recipe)
        self.contest = Contest(self.run, self.recipe, premises, contenders, entrants, seats, 0, milestones)
        labels = [seat.label for seat in seats]
        for entrant in entrants:
            assert isinstance(entrant.scores, dict)
            outside = entrant.scores.pop("outside")
            # judges of biased pairs count words; the others have an opinion of their own
            mind = {f"judge-of-{name}" for name, (share, _, _) in arms.items() if share <= 0.5} | {"outsider"}
            entrant.scores.update({label: (outside if label in mind else entrant.words / 10).copy() for label in labels})

    def entrant(self, name: str, arm: str | None, seed: int | None, gained: float, liked: float) -> Entrant:
        words = np.maximum(1, np.round(38 + gained + self.draw.normal(0, 3, (PREMISES, 3)))).astype(int)
        replies = [[Reply(f"{EVIL} " + "so " * int(n), int(n), n < 60) for n in row] for row in words]
        return Entrant(name, arm, seed, replies, {"outside": liked + self.draw.normal(0, 1, (PREMISES, 3))})

    def done(self, kind: str, **parents: Run) -> Run:
        run = Run.start(self.root, kind, config=self.recipe, parents=parents)
        with run:
            for step in range(1, STEPS):
                run.log(step, reward=float(step), reply_tokens=50.0 + step)
        return run

    def judged(self, share: float) -> tuple[Run, Run]:
        pairs = Run.start(self.root, "Pairs", config=self.recipe)
        with pairs:
            pairs.results = {"longer_wins": {"train": {"value": share, "low": share, "high": share, "n": 70, "clusters": 20}}}
        judge = self.done("Judge", pairs=pairs)
        audit = Run.start(self.root, "Audit", config=self.recipe, parents={"judge": judge})
        with audit:
            follows = 2 * share - 1
            findings = [finding("length-correlation", follows, follows < 0.3), finding("trick-filler", follows, True)]
            audit.results = {"verdict": "fail", "findings": findings}
        return judge, audit


def verdict_of(contest: Contest) -> Verdict:
    return verdict_on(contest, numbers_of(contest))


def test_a_planted_trap_is_found_and_told(tmp_path: Path) -> None:
    found = verdict_of(Experiment(tmp_path, {"matched": (0.5, 0, 0), "trapped": (1.0, 30, -3)}).contest)
    assert (found.trapped.name, found.control.name, found.outcome, found.foretold) == ("trapped", "matched", "sprung", True)
    assert 25 < found.apart.value < 35 and found.apart.low > 0
    assert found.trapped.gains["judge-of-trapped"].low > 0 > found.trapped.gains["outsider"].high
    assert "The trap was sprung" in found.told() and "outsider likes them less" in found.told()
    assert "which fails it" in found.told_of_audit() and "which does not fail it" in found.told_of_audit()


def test_the_order_of_the_arms_does_not_matter(tmp_path: Path) -> None:
    found = verdict_of(Experiment(tmp_path, {"trapped": (1.0, 30, -3), "matched": (0.5, 0, 0)}).contest)
    assert (found.trapped.name, found.control.name, found.outcome) == ("trapped", "matched", "sprung")


@pytest.mark.parametrize(
    ("trapped", "matched", "outcome"),
    [
        ((0, -3), (0, 0), "not shown"),  # worse for another reason than length
        ((30, -3), (30, 0), "not shown"),  # both grew: it was not the bias
        ((-10, -3), (-30, 0), "not shown"),  # shrank less
        ((30, 0), (0, 0), "by length alone"),
        ((30, 4), (0, 0), "by length alone"),
    ],
)
def test_nothing_is_claimed_that_did_not_happen(
    tmp_path: Path, trapped: tuple[float, float], matched: tuple[float, float], outcome: str
) -> None:
    found = verdict_of(Experiment(tmp_path, {"trapped": (1.0, *trapped), "matched": (0.5, *matched)}).contest)
    told = found.told()
    assert found.outcome == outcome
    assert ("not shown" in told) == (outcome == "not shown") and "sprung" not in told
    if outcome == "by length alone" and trapped[1] > 0:
        assert "outsider likes them more" in told


def test_an_audit_that_failed_both_or_neither_told_nothing(tmp_path: Path) -> None:
    found = verdict_of(Experiment(tmp_path, {"trapped": (1.0, 30, -3), "also": (0.9, 0, 0)}).contest)
    assert found.foretold is False


def test_one_seed_and_one_judge_that_scores_everything_alike(tmp_path: Path) -> None:
    experiment = Experiment(tmp_path, {"trapped": (1.0, 30, 0), "matched": (0.5, 0, 0)}, seeds=1)
    for entrant in experiment.contest.entrants:
        entrant.scores["outsider"][:] = 1.0
    found = verdict_of(experiment.contest)
    assert found.trapped.gains["outsider"].value == 0 and found.outcome == "by length alone"


@pytest.fixture
def page(tmp_path: Path) -> tuple[Page, dict[str, Any], Path]:
    experiment = Experiment(tmp_path, {"half": (0.75, 12, 0), "trapped": (1.0, 30, -3), "matched": (0.5, 0, 0)})
    with experiment.run as run:
        results = write_length_trap(experiment.contest)
    return Page((run.path / "report.html").read_text()), results, run.path


def test_the_report_needs_nothing_else_and_shows_texts_as_texts(page: tuple[Page, dict[str, Any], Path]) -> None:
    html, _, folder = page
    assert "script" not in html.tags and html.handlers == [] and html.text.count(EVIL) > 20
    assert all(load.startswith(("data:image/", "#")) for load in html.loads)
    drawn = {file.stem for file in (folder / "plots").iterdir()}
    assert drawn == {"length", "reward", "seen-by-outsider", "words", "growth", "gains", "dose"}
    for words in (
        "The trap was sprung",
        "the audit failed the biased judge for length, and not the other",
        "12 held-out premises, 3 replies each, 2 seeds",
        "likes them less",
    ):
        assert words in html.text


def test_dose_and_response_stand_in_the_results_in_order(page: tuple[Page, dict[str, Any], Path]) -> None:
    _, results, _ = page
    assert json.loads(json.dumps(results, allow_nan=False)) == results
    doses = results["dose_response"]
    assert [row["arm"] for row in doses] == ["matched", "half", "trapped"]
    for key in ("length_correlation", "growth_in_words"):
        values = [row[key]["value"] for row in doses]
        assert values == sorted(values)
    assert results["verdict"]["foretold_by_the_audit"] is True and results["verdict"]["outcome"] == "sprung"
    assert set(results["arms"]) == {"matched", "half", "trapped"}
