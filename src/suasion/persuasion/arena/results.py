"""A study's results: its numbers with and without the raters whom its own rules leave out, beside what was planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from suasion.persuasion.arena.ballots import Ballot, check_ballots
from suasion.persuasion.arena.numbers import Numbers, count
from suasion.persuasion.arena.power import Plan, ViewPlan, planned
from suasion.persuasion.arena.screening import Screened, screen
from suasion.persuasion.arena.simulate import World, world_from
from suasion.persuasion.arena.study import Study

if TYPE_CHECKING:
    from suasion.persuasion.arena.store import Store


@dataclass(frozen=True)
class Results:
    """What the report and its JSON say. ``world`` is what simulated raters were made to prefer; None for people."""

    study: Study
    systems: list[str]
    ballots: list[Ballot]
    screened: Numbers
    everybody: Numbers
    screening: Screened
    plan: Plan | ViewPlan
    world: World | None
    closed: bool  # no more ballots come: what is counted is final

    @property
    def simulated(self) -> bool:
        """Whether no person has answered."""
        return self.world is not None

    def told(self) -> list[str]:
        """The numbers in a few lines."""
        numbers = self.screened
        lines = ["Simulated raters: no person has answered."] if self.simulated else []
        if not self.everybody.ballots:
            return [*lines, "Nobody has answered yet.", *self.plan.told()]
        lines.append(f"{numbers.ballots} ballots by {numbers.raters} raters; {len(self.screening.dropped)} raters screened out.")
        lines += [f"{one.system} over {one.other}: {one.rate}" for one in numbers.win_rates if one.other]
        lines += [f"{one.system}{f' more than {one.other}' if one.other else ''}: view moved by {one.change}" for one in numbers.views]
        return lines

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy, as ``suasion arena report --json`` prints it."""
        truth = None if self.world is None else {"world": self.world.model_dump(), "strengths": self.world.truth(self.systems)}
        return {
            "title": self.study.title,
            "design": self.study.design,
            "simulated": self.simulated,
            "closed": self.closed,
            "systems": self.systems,
            "screened": self.screened.as_dict(),
            "everybody": self.everybody.as_dict(),
            "screening": {
                "rules": self.study.screening.model_dump(),
                "raters": self.screening.raters,
                "dropped": len(self.screening.dropped),
                "by_rule": self.screening.by_rule(),
            },
            "plan": self.plan.as_dict(),
            "truth": truth,
        }


def results_of(store: Store, scores: Mapping[str, Mapping[str, float]] | None = None) -> Results:
    """Count an open study.

    Args:
        scores: judge: reply's id: score.

    Raises:
        SuasionError: simulated ballots stand among people's, or a study of people holds simulated ones.
    """
    study, systems, ballots = store.study, store.systems(), store.ballots()
    world = world_from(store.simulation)
    check_ballots(ballots, store.folder, simulated=world is not None)
    screening = screen(ballots, study.screening)
    everybody = count(ballots, scores or {}, scale=study.scale, seed=study.seed)
    screened = count(screening.kept, scores or {}, scale=study.scale, seed=study.seed) if screening.dropped else everybody
    plan = planned(study, len(systems), len(store.premises()))
    return Results(study, systems, ballots, screened, everybody, screening, plan, world, store.closed or world is not None)
