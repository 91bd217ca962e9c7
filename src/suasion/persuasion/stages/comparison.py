"""The last stage of a journey with arms: all contenders on the same held-out premises, scored by every judge there is, and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.errors import SuasionError
from suasion.files import read_jsonl, write_json
from suasion.persuasion.dataset import Premise, load_pairs, load_premises
from suasion.persuasion.evaluation.contest import PRACTICE_JUDGE, Contender, Contest, Entrant, JudgeSeat, Milestone
from suasion.persuasion.evaluation.length_trap.report import write_length_trap
from suasion.persuasion.evaluation.showdown.report import write_showdown
from suasion.persuasion.judging.judge import word_count
from suasion.persuasion.judging.llm import LLM, check_llm
from suasion.persuasion.stages.common import Journey, Plan, perform
from suasion.persuasion.stages.evaluate import replies_of, with_winners_first
from suasion.persuasion.stages.judge import load_judge
from suasion.progress import say
from suasion.runs.run import Run, open_run

#: ``comparison.report`` -> kind of the run, and what makes its results and its report.html.
REPORTS: dict[str, tuple[str, Callable[[Contest], dict[str, Any]]]] = {
    "showdown": ("Showdown", write_showdown),
    "length-trap": ("LengthTrap", write_length_trap),
}


def comparison_stage(
    journey: Journey, writer: Run, contenders: Sequence[Contender], pairs: Run, independent: Mapping[str, Run], out: Path | None = None
) -> Run:
    """Compare in a run of kind ``Showdown`` (or what ``comparison.report`` asks for), with one file of replies a system.

    Args:
        writer: that all contenders went on from.
        pairs: whose test premises are replied to. Those that some judge has learned from are left out.
        independent: judges that nobody practised against, by name.

    Raises:
        SuasionError: no premise is left.
    """
    recipe = journey.recipe
    kind, write = REPORTS[recipe.comparison.report]
    seats = _seats(contenders, independent, has_llm=bool(recipe.llm.server.model))
    if any(seat.run is None for seat in seats):
        check_llm(recipe.llm)
    parents = {"pairs": pairs, "sft": writer} | {one.name: one.run for one in contenders}
    parents |= {f"judge {seat.label}": seat.run for seat in seats if seat.run}
    parents |= {f"audit of {_parent_label(seats, one)}": one.audit for one in contenders}

    def work(run: Run) -> None:
        premises, left_out = _premises(journey, pairs, [seat.run for seat in seats if seat.run])
        adapters = {"base": None, "sft": writer.path / "adapter"} | {one.name: one.run.path / "adapter" for one in contenders}
        replies = {name: replies_of(journey, run, name, adapter, premises) for name, adapter in adapters.items()}
        scores: dict[str, dict[str, NDArray[np.float64]]] = {name: {} for name in adapters}
        texts = [premise.text for premise in premises for _ in range(recipe.evaluate.samples)]
        kept = {one.name: _kept_samples(one.run) for one in contenders}
        seen: dict[str, list[dict[str, float]]] = {name: [{} for _ in rows] for name, rows in kept.items()}
        for seat in seats:
            judge, _ = load_judge(journey, seat.run or LLM)
            say(f"{kind}: {seat.label} scores {len(adapters)} systems")
            for name, groups in replies.items():
                given = judge.score(texts, [reply.text for group in groups for reply in group])
                scores[name][seat.label] = np.asarray(given, dtype=np.float64).reshape(len(premises), -1)
            for name, rows in kept.items():
                for row, said in zip(rows, seen[name], strict=True):
                    said[seat.label] = float(np.nanmean(judge.score([row["premise"]] * len(row["replies"]), row["replies"])))
        who = {one.name: one for one in contenders}
        entrants = [
            Entrant(
                name,
                who[name].arm if name in who else None,
                who[name].seed if name in who else None,
                groups,
                scores[name],
            )
            for name, groups in replies.items()
        ]
        milestones = {
            name: [Milestone(row["step"], _words(row["replies"]), said) for row, said in zip(kept[name], seen[name], strict=True)]
            for name in kept
        }
        contest = Contest(run, recipe, premises, contenders, entrants, seats, left_out, milestones)
        run.results = contest.results() | write(contest)
        write_json(run.path / "results.json", run.results)

    has_llm = any(seat.run is None for seat in seats)
    sections = ("name", "description", "seed", "base", "rendering", "evaluate", "comparison", *(["llm"] if has_llm else []))
    return perform(journey, Plan(kind, sections, parents, {}, on_base=True), work, out)


def _kept_samples(practice: Run) -> list[dict[str, Any]]:
    """What practice kept to be read later; a resumed one may have kept a step twice, alike, and the last one stands."""
    file = practice.path / "samples.jsonl"
    rows = {row["step"]: row for row in read_jsonl(file)} if file.is_file() else {}
    return [rows[step] for step in sorted(rows) if rows[step]["replies"]]


def _words(replies: Sequence[str]) -> float:
    return float(np.mean([word_count(reply) for reply in replies]))


def _seats(contenders: Sequence[Contender], independent: Mapping[str, Run], *, has_llm: bool) -> list[JudgeSeat]:
    """Every distinct judge of an arm, then the independent ones, then the language model."""
    arms_of: dict[str, dict[str, None]] = {}
    runs = {one.judge.name: one.judge for one in contenders}
    for one in contenders:
        arms_of.setdefault(one.judge.name, {})[one.arm] = None
    seats = [
        JudgeSeat(PRACTICE_JUDGE if len(arms_of) == 1 else f"judge-of-{'-and-'.join(arms)}", runs[name], tuple(arms))
        for name, arms in arms_of.items()
    ]
    seats += [JudgeSeat(name, run, ()) for name, run in independent.items()]
    return seats + ([JudgeSeat(LLM, None, ())] if has_llm else [])


def _parent_label(seats: Sequence[JudgeSeat], contender: Contender) -> str:
    return next(seat.label for seat in seats if seat.run is not None and seat.run.name == contender.judge.name)


def _premises(journey: Journey, pairs: Run, judges: Sequence[Run]) -> tuple[list[Premise], int]:
    """The held-out premises that no judge knows, and how many were left out because one does."""
    held_out = with_winners_first(load_premises(pairs.path, "test"))
    known = {
        pair.debate_id
        for name in {judge.manifest.parents["pairs"] for judge in judges}
        for split in ("train", "validation")
        for pair in load_pairs(open_run(name, journey.root).path, split)
    }
    left = [premise for premise in held_out if premise.debate_id not in known]
    if not left:
        raise SuasionError(
            "No held-out premise is left that no judge has learned from.",
            where=pairs.path,
            hint="Let the pairs of arms and of independent judges keep the recipe's split (pairs.validation, pairs.test, seed).",
        )
    if len(left) < len(held_out):
        say(f"Comparison: {len(held_out) - len(left)} of {len(held_out)} held-out premises are left out: a judge has learned from them")
    return left[: journey.recipe.evaluate.premises], len(held_out) - len(left)
