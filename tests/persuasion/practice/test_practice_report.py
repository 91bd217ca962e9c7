from __future__ import annotations

from pathlib import Path

from suasion.persuasion.practice.report import practice_sections
from suasion.runs.run import Run
from suasion.training.timing import COLUMNS, Clock, note_time


def test_a_report_tells_where_the_time_went_and_what_the_onlooker_says(tmp_path: Path) -> None:
    with Run.start(tmp_path, "GRPO", config={}) as run:
        times = dict.fromkeys(COLUMNS, 0.0) | {"seconds_sampling": 3.0, "seconds_step": 4.0}
        for step, (judge, other) in enumerate([(0.0, 1.0), (1.0, 2.0), (3.0, 0.5)], start=1):
            run.log(step, judge_score=judge, independent_score=other, kl=0.1 * step, **times)
        run.log(4, judge_score=9.0, **times)  # no milestone
        note_time(run, Clock())
        run.sections += practice_sections(run)
    time, better = run.sections
    (table,) = time.tables
    assert ("sampling replies", 12.0, 3.0, 0.75) in [tuple(row) for row in table.rows]
    assert better.text[1] == "From the first 1 to the last 1 of 3 milestones: the judge +3, the independent judge -0.5."
    report = (run.path / "report.html").read_text(encoding="utf-8")
    assert "Where the time went" in report and "Is what the judge likes better, better?" in report
    assert (run.path / "plots" / "over-optimisation.png").is_file()


def test_without_an_onlooker_nothing_is_said_of_it(tmp_path: Path) -> None:
    with Run.start(tmp_path, "GRPO", config={}) as run:
        run.log(1, judge_score=1.0, kl=0.1)
        assert practice_sections(run) == []
