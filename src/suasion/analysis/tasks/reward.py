"""A task as a reward function, in the shape that TRL's GRPO trainer calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks.measures.wording import mean
from suasion.analysis.tasks.scores import scores
from suasion.analysis.tasks.task import Task
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.verify import judge
from suasion.errors import SuasionError


def reward(task: Task, prover: Prover | None = None, graded: bool = False) -> Callable[..., list[float | None]]:
    """A function of completions and the columns ``source`` (and ``reference``): one number each.

    Valid is 1, invalid 0, undecided ``None``: TRL leaves such a completion out. With ``graded`` a valid answer gets half of the 1 for being
    valid, and the rest by the mean of its scores; an invalid one stays at 0, however much it says.

    Args:
        task: what was asked.
        prover: for formalisations; without one, a prover is made at the first call and kept.
        graded: reward by scores besides.
    """
    provers = [prover] if prover else []

    def function(
        completions: Sequence[Any], source: Sequence[str], reference: Sequence[str | None] | None = None, **columns: Any
    ) -> list[float | None]:
        references = reference if reference is not None else [""] * len(completions)
        if not len(completions) == len(source) == len(references):
            raise SuasionError(f"There are {len(completions)} completions, {len(source)} sources and {len(references)} references.")
        if not provers:
            provers.append(Prover())
        cases = [task.case(text, _text(one), given or "") for one, text, given in zip(completions, source, references, strict=True)]
        verdicts = judge(task, cases, provers[0])
        return [worth(verdict, case if graded else None) for verdict, case in zip(verdicts, cases, strict=True)]

    def worth(verdict: Verdict, scored: Case | None) -> float | None:
        if verdict.name == "valid" and scored:
            return 0.5 + 0.5 * mean(scores(task, scored).values())
        return None if verdict.name == "undecided" else float(verdict.name == "valid")

    function.__name__ = function.__qualname__ = f"{task.name}_reward"  # what trainers call it in their logs
    return function


def _text(completion: Any) -> str:
    """A completion's text: itself, or what the last message of a chat says."""
    if isinstance(completion, str):
        return completion
    last = completion[-1] if isinstance(completion, Sequence) and completion else {}
    content = last.get("content") if isinstance(last, Mapping) else None
    return content if isinstance(content, str) else ""
