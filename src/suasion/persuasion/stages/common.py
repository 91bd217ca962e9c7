"""What the stages share: the recipe with its base, and how a stage becomes a run (or finds that it has been one already)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from suasion.errors import SuasionError
from suasion.models.base import Base, resolve_base
from suasion.models.rendering import Renderer
from suasion.persuasion.recipe import Recipe
from suasion.progress import say
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


def perform(journey: Journey, plan: Plan, work: Callable[[Run], None], out: Path | None = None) -> Run:
    """Run a stage: skip it if it is done and unchanged, take it up if it was killed, else start it; and say which and why.

    Args:
        work: does the stage's work in the run's folder and sets ``run.results``.
        out: an explicit folder instead of a name below the journey's root.
    """
    config = journey.recipe.only(*plan.sections)
    lock = journey.base.lock if plan.on_base else None
    run = None
    if out is None:
        earlier = reusable(journey.root, plan.kind, fingerprint(plan.kind, config, plan.parents, plan.inputs, lock))
        if earlier is not None and earlier.manifest.status == "done":
            if journey.skip_done:
                say(f"{plan.kind}: skipped, done and unchanged in {earlier.name}")
                return earlier
        elif earlier is not None:
            say(f"{plan.kind}: takes up {earlier.name} ({earlier.state})")
            run = resume(earlier)
    if run is None:
        reason = why_new(journey.root, plan.kind, config, plan.parents, plan.inputs, lock)
        seeds = {plan.kind: journey.recipe.seed}
        run = Run.start(
            journey.root, plan.kind, config=config, parents=plan.parents, base_lock=lock, inputs=plan.inputs, seeds=seeds, path=out
        )
        say(f"{plan.kind}: {run.name} starts ({reason})")
    with run:
        if journey.trackers:
            from suasion.runs.trackers import open_trackers

            run.trackers = open_trackers(journey.trackers, run)
        work(run)
    shutil.rmtree(run.checkpoints, ignore_errors=True)  # they served a resume that is not needed any more
    return run


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
