from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from suasion.cli.arena import arena_app
from suasion.cli.arena_report import report_command, simulate_command
from suasion.errors import SuasionError
from suasion.persuasion.arena.judges import scores_of
from suasion.persuasion.arena.numbers import LONGER
from suasion.persuasion.arena.report import SIMULATED, study_report, write_study_report
from suasion.persuasion.arena.results import Results, results_of
from suasion.persuasion.arena.simulate import World, fill
from suasion.persuasion.arena.store import open_store
from suasion.runs.report import render

GRPO, SFT, HUMAN = "zyxgrpo-run7", "zyxsft-run3", "zyxhuman"
Make = Callable[..., Path]


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are made but not drawn, which takes half a second each."""
    monkeypatch.setattr("suasion.runs.plots.inline", lambda figure: "data:image/png;base64,")


def simulated(folder: Path, world: World, **more: int) -> Results:
    with open_store(folder) as store:
        fill(store, world, raters=more.get("raters"), seed=0)
        return results_of(store)


def test_a_simulated_study_from_the_store_to_the_page(study: Make) -> None:
    folder = study(
        premises=30, raters_per_premise=12, ballots_per_rater=15, reading_checks=2, repeat_checks=2, strength=True, both_bad=True
    )
    world = World(strengths={GRPO: 1.2, SFT: 0.6}, lazy=0.2)
    results = simulated(folder, world)
    assert results.everybody.ballots == 360 and results.everybody.raters == 24 and results.screening.raters == 24
    assert 1 <= len(results.screening.dropped) <= 10 and results.screened.consistent.n > 0
    rate = next(one for one in results.screened.win_rates if (one.system, one.other) == (GRPO, HUMAN))
    assert rate.rate.low > 0.5 and 0 < rate.ties < 0.3 and rate.both_bad == 0.0
    truth = world.truth(results.systems)
    assert all(abs(one.value - truth[name]) < one.high - one.low for name, one in results.screened.plain.systems.items())
    page = render(study_report(results))
    assert page.startswith("<!doctype html>") and "://" not in re.sub(r"data:image/png;base64,[^\"]+", "", page)
    for part in (
        f"{GRPO} is preferred to {HUMAN}",
        "Krippendorff",
        "Who counts",
        "While it runs",
        "the left reply&#39;s advantage",
        "by chance",
        "effect of length cannot be told apart",
    ):
        assert part.lower() in page.lower()


@pytest.mark.usefixtures("undrawn")
def test_every_part_of_a_simulations_report_says_so_and_of_peoples_none(study: Make) -> None:
    folder = study(raters_per_premise=4, ballots_per_rater=8)
    report = study_report(simulated(folder, World()))
    assert report.title.startswith("Simulation: ") and "no person" in report.subtitle
    assert all(any(badge.text == SIMULATED for badge in section.badges) for section in report.sections)
    with open_store(study(raters_per_premise=4, ballots_per_rater=8)) as store:
        for _ in range(3):
            _by_hand(store, lambda place: "left" if place % 2 else "right")
        page = render(study_report(results_of(store)))
    assert "imulat" not in page and "24 ballots by 3 raters" in page and "still open" in page


@pytest.mark.usefixtures("undrawn")
def test_people_and_simulated_raters_never_meet(study: Make) -> None:
    folder = study()
    with open_store(folder) as store:
        store.invite("a person")
        with pytest.raises(SuasionError, match="never mixed"):
            fill(store, World(), raters=1, seed=0)
        assert store.ballots() == [] and not store.simulation
    other = study()
    simulated(other, World(), raters=1)
    with open_store(other) as store, pytest.raises(SuasionError):
        fill(store, World(), raters=1, seed=0)


@pytest.mark.usefixtures("undrawn")
def test_the_same_seed_simulates_the_same_numbers(study: Make) -> None:
    one, other = (simulated(study(seed=3), World(strengths={GRPO: 1.0})) for _ in range(2))
    key = [(ballot.left, ballot.right, ballot.answer, ballot.seconds) for ballot in one.ballots]
    assert key == [(ballot.left, ballot.right, ballot.answer, ballot.seconds) for ballot in other.ballots] and key


@pytest.mark.usefixtures("undrawn")
def test_a_study_of_changed_views(study: Make) -> None:
    folder = study(premises=30, design="change-of-view", raters_per_premise=12, ballots_per_rater=15, reading_checks=2)
    results = simulated(folder, World(strengths={GRPO: 1.5}))
    moved = {(one.system, one.other): one.change for one in results.screened.views}
    assert moved[GRPO, ""].low > 1.0 and moved[GRPO, HUMAN].low > 0.5 and abs(moved[HUMAN, SFT].value) < 0.6
    assert not results.screening.dropped
    lead = next(one for one in results.screened.sequences if (one.system, one.other) == (GRPO, HUMAN))
    assert lead.lows[-1] <= 1.2 <= lead.highs[-1] and lead.means[-1] == pytest.approx(moved[GRPO, HUMAN].value, abs=0.3)
    page = render(study_report(results))
    assert "agreement with the premise falls by" in page and f"{GRPO} moves views further than {HUMAN}" in page
    assert json.dumps(results.as_dict(), allow_nan=False)


@pytest.mark.usefixtures("undrawn")
def test_before_the_first_ballot_the_report_says_what_can_be_found(study: Make, tmp_path: Path) -> None:
    for settings in ({}, {"design": "change-of-view"}):
        with open_store(study(**settings)) as store:
            results = results_of(store)
        page = write_study_report(results, tmp_path / "report.html").read_text()
        assert "Nobody has answered yet" in page and results.plan.told()[0] in page.replace("&#39;", "'")
        assert json.dumps(results.as_dict(), allow_nan=False)


@pytest.mark.usefixtures("undrawn")
def test_one_rater_or_one_ballot_breaks_nothing(study: Make) -> None:
    with open_store(study(premises=1, ballots_per_rater=1, repeat_checks=0)) as store:
        _by_hand(store, lambda place: "tie")
        results = results_of(store)
    page = render(study_report(results))
    assert "unknown (one rater or one premise)" in page and json.dumps(results.as_dict(), allow_nan=False)


@pytest.mark.usefixtures("undrawn")
def test_verdicts_depend_on_both_sets_of_ballots(study: Make) -> None:
    """All fast raters prefer one system: with them it wins, without them nothing is known."""
    folder = study(premises=20, systems=(GRPO, SFT), raters_per_premise=12, ballots_per_rater=20, reading_checks=0)
    with open_store(folder) as store:
        for number in range(12):
            _by_hand(store, lambda place, number=number: GRPO if number < 10 or place % 2 else SFT, seconds=1.0 if number < 10 else 30.0)
        results = results_of(store)
    badges = [badge.text for badge in study_report(results).sections[0].badges]
    assert badges == [f"so far: {GRPO} and {SFT}: it depends on who is screened out"]


@pytest.mark.usefixtures("undrawn")
def test_judges_are_scored_beside_the_premise_and_reported(study: Make) -> None:
    class Judge:
        def score(self, premises: list[str], replies: list[str]) -> np.ndarray:
            assert len(premises) == len(replies) and all("Topic" in premise for premise in premises)
            return np.array([float("nan") if "Variant 2" in reply else len(reply) for reply in replies])

    with open_store(study(premises=20, raters_per_premise=6)) as store:
        fill(store, World(strengths={SFT: 2.0}), raters=None, seed=0)
        scores = scores_of(Judge(), store)
        assert len(scores) == 40  # what the judge could not read has no score
        results = results_of(store, {"practice": scores})
    found = {one.judge: one.shares["all"] for one in results.screened.judges}
    assert set(found) == {"practice", LONGER} and 0 < found["practice"].n < found[LONGER].n
    assert "practice" in render(study_report(results))


@pytest.mark.usefixtures("undrawn")
def test_one_system_alone_may_move_views(study: Make) -> None:
    results = simulated(study(design="change-of-view", systems=(GRPO,), raters_per_premise=6), World(strengths={GRPO: 1.0}))
    assert [(one.system, one.other) for one in results.screened.views] == [(GRPO, "")] and not results.screened.sequences
    assert "agreement with the premise falls by" in render(study_report(results))


@pytest.mark.usefixtures("undrawn")
def test_rules_that_leave_nobody_are_told(study: Make) -> None:
    results = simulated(study(), World(lazy=1.0))
    page = render(study_report(results))
    assert "leave out everybody" in page and "too fast" in page and "not told apart" not in page
    assert "0 ballots by 0 raters" in " ".join(results.told()) and json.dumps(results.as_dict(), allow_nan=False)


@pytest.mark.usefixtures("undrawn")
def test_reasons_are_told_as_they_were_written(study: Make) -> None:
    with open_store(study(premises=4, systems=(GRPO, SFT), reason=True, repeat_checks=0)) as store:
        for item in store.items(store.invite("somebody").id):
            if item.kind == "ballot":
                store.record(item.id, item.rater, answer="left", reason=" <b>It asks me back. ", shown_at=0.0, answered_at=20.0)
        page = render(study_report(results_of(store)))
    assert page.count("&lt;b&gt;It asks me back.") == 4 and "In their words" in page


@pytest.mark.usefixtures("undrawn")
def test_names_are_untrusted_text(study: Make) -> None:
    folder = study(premises=6, systems=("<script>x", "$a_1$ & b"), title="<img src=x>", repeat_checks=0)
    page = render(study_report(simulated(folder, World(strengths={"<script>x": 1.0}))))
    assert "<script>" not in page and "<img src=x" not in page and "&lt;script&gt;x" in page


@pytest.mark.usefixtures("undrawn")
def test_the_command_lines(study: Make, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = study(raters_per_premise=4)
    line = CliRunner().invoke(arena_app, ["simulate", str(folder), f"strengths.{GRPO}=1.0", "lazy=0.1", "--seed", "3"])
    assert line.exit_code == 0 and "no person has answered" in line.output
    with open_store(folder) as store:
        rows = [{"reply": reply.id, "independent": reply.words} for reply in store.replies()]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report_command(folder, ["longest"], tmp_path / "scores.jsonl", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["simulated"] and {one["judge"] for one in told["screened"]["judges"]} == {"independent", "longest", LONGER}
    assert Path(told["report"]) == folder / "report.html" and (folder / "report.html").is_file()
    line = CliRunner().invoke(arena_app, ["report", str(folder), "-o", str(tmp_path / "elsewhere.html")])
    assert "Simulated raters: no person has answered." in line.output and (tmp_path / "elsewhere.html").is_file()
    with pytest.raises(SuasionError, match="did you mean 'lazy'"):
        simulate_command(folder, ["lazi=1"], None, 0)


def _by_hand(store: object, choose: Callable[[int], str], seconds: float = 20.0) -> None:
    """A person answers all pages: a side, a tie, or the system of this name."""
    rater = store.invite("somebody")  # type: ignore[attr-defined]
    for item in store.items(rater.id):  # type: ignore[attr-defined]
        if item.kind == "practice":
            continue
        wanted = choose(item.place)
        answer = wanted if wanted in ("left", "right", "tie") else "left" if item.left == wanted else "right"
        answer = item.expected if item.kind == "gibberish" else answer
        store.record(item.id, rater.id, answer=answer, shown_at=1000.0, answered_at=1000.0 + seconds)  # type: ignore[attr-defined]
