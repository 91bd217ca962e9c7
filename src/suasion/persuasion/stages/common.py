"""What the stages share: the recipe with its base, and how a stage becomes a run (or finds that it has been one already)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from suasion.errors import SuasionError
from suasion.models.base import Base, resolve_base
from suasion.models.rendering import Renderer
from suasion.persuasion.recipe import Recipe
from suasion.progress import say
from suasion.runs import ranks
from suasion.runs.following import Following
from suasion.runs.manifest import fingerprint
from suasion.runs.reuse import reusable, why_new
from suasion.runs.run import Run, open_run, resume


@dataclass(frozen=True)
class Journey:
    """A recipe, the folder its runs go to, and the base they all start from (found when first needed)."""

    recipe: Recipe
    root: Path
    skip_done: bool = True
    """A stage that is done and unchanged is not run again."""
    trackers: tuple[str, ...] = ()

    def with_recipe(self, recipe: Recipe) -> Journey:
        """The same journey by another recipe on the same base and with the same rendering, which are not looked for again."""
        other = replace(self, recipe=recipe)
        other.__dict__.update({name: self.__dict__[name] for name in ("base", "renderer") if name in self.__dict__})
        return other

    @cached_property
    def base(self) -> Base:
        """The one starting model."""
        return resolve_base(self.recipe.base)

    @cached_property
    def renderer(self) -> Renderer:
        """The one rendering of premise and reply."""
        return Renderer(self.base.tokenizer, self.recipe.rendering)


@dataclass(frozen=True)
class Plan:
    """What decides a stage's outcome: equal plans are the same work."""

    kind: str
    sections: tuple[str, ...]
    """Of the recipe; others do not matter to this stage."""
    parents: Mapping[str, Run]
    inputs: Mapping[str, str]
    """Label to SHA-256 of what is read besides the parents."""
    on_base: bool
    """Whether it stands on the base model (mining does not)."""
    together: bool = False
    """Whether several processes do it together; what they do not, rank 0 does alone while the others wait."""


def perform(journey: Journey, plan: Plan, work: Callable[[Run], None], out: Path | None = None) -> Run:
    """Run a stage: skip it if it is done and unchanged, take it up if it was killed, else start it; and say which and why.

    Of several processes rank 0 makes the run; the others take part in its work, or wait for what comes of it.

    Args:
        work: does the stage's work in the run's folder and sets ``run.results``.
        out: an explicit folder instead of a name below the journey's root.
    """
    made: list[Run] = []  # in rank 0

    def begin() -> tuple[Path, bool]:
        run, done = _begin(journey, plan, out)
        made.append(run)
        if not (done or plan.together):
            _carry_out(journey, run, work)
        return run.path, done or not plan.together

    if plan.together:
        ranks.require(journey.recipe.processes)
    path, done = ranks.lead(begin)
    if not done and made:
        ranks.meet()  # the others have their copies
        _carry_out(journey, made[0], work)
    elif not done:
        with Following(path) as copy, ranks.named_ends():
            ranks.meet()
            work(copy)
    ranks.meet()  # rank 0 has written all
    return made[0] if made else open_run(path, journey.root)


def _begin(journey: Journey, plan: Plan, out: Path | None) -> tuple[Run, bool]:
    """The stage's run, and whether it is done already."""
    config = journey.recipe.only(*plan.sections)
    lock = journey.base.lock if plan.on_base else None
    if out is None:
        earlier = reusable(journey.root, plan.kind, fingerprint(plan.kind, config, plan.parents, plan.inputs, lock))
        if earlier is not None and earlier.manifest.status == "done":
            if journey.skip_done:
                say(f"{plan.kind}: skipped, done and unchanged in {earlier.name}")
                return earlier, True
        elif earlier is not None:
            say(f"{plan.kind}: takes up {earlier.name} ({earlier.state})")
            return resume(earlier), False
    reason = why_new(journey.root, plan.kind, config, plan.parents, plan.inputs, lock)
    seeds = {plan.kind: journey.recipe.seed}
    run = Run.start(journey.root, plan.kind, config=config, parents=plan.parents, base_lock=lock, inputs=plan.inputs, seeds=seeds, path=out)
    say(f"{plan.kind}: {run.name} starts ({reason})")
    return run, False


def _carry_out(journey: Journey, run: Run, work: Callable[[Run], None]) -> None:
    with run, ranks.named_ends():
        if journey.trackers:
            from suasion.runs.trackers import open_trackers

            run.trackers = open_trackers(journey.trackers, run)
        work(run)
    shutil.rmtree(run.checkpoints, ignore_errors=True)  # they served a resume that is not needed any more


def finished_run(name_or_path: str, root: Path, *kinds: str) -> Run:
    """Open a parent.

    Raises:
        SuasionError: there is no such run, it is of another kind, or it has not finished.
    """
    run = open_run(name_or_path, root)
    if run.manifest.kind not in kinds:
        raise SuasionError(f"{run.name} is a run of kind {run.manifest.kind}; here a {' or '.join(kinds)} is needed.", where=run.path)
    if run.manifest.status != "done":
        raise SuasionError(f"{run.name} is {run.state}, not done.", where=run.path, hint="Finish it first: start it again and it resumes.")
    return run
