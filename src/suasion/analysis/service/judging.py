"""What every worker process does, on this machine or on a cluster: a row's answer, judged as its task says."""

from __future__ import annotations

from functools import partial

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import get_task, scores
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.rows import JudgeRow, Row
from suasion.analysis.verification.verify import judge


def make_judge() -> JudgeRow:
    """A judge with a prover of its own, warm: everything is loaded, and a formal example is judged.

    It proves in the process it is called in, which is faster; so that process must be one that may be killed.
    """
    prover = Prover(workers=0)

    def judge_row(row: Row) -> Verdict:
        task = get_task(row.task)
        return judge(task, [task.case(row.source, row.answer, row.reference)], prover, partial(scores, task))[0]

    warm = get_task("argmap_plus_arganno_plus_logreco")
    judge_row(Row("", warm.name, warm.example.source, warm.example.answer))
    return judge_row
