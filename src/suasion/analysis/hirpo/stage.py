"""What the parts of HIRPO share: the recipe with its base, and how a part becomes a run, or finds that it has been one already."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.answering import Serve, in_this_process
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.config import Config
from suasion.models.base import Base, resolve_base
from suasion.models.rendering import Renderer, RenderingConfig
from suasion.progress import say
from suasion.runs.manifest import fingerprint
from suasion.runs.reuse import reusable, why_new
from suasion.runs.run import Run, resume


@dataclass(frozen=True)
class Journey:
    """A recipe and the folder that its runs go to.

    Attributes:
        texts: the folder that relative paths to exercises are from.
        skip_done: a part that is done and unchanged is not run again.
        serving: who answers instead of the model in this process.
        out: an explicit folder for the last run, of kind HIRPO.
    """

    config: HirpoConfig
    root: Path
    texts: Path = Path()
    skip_done: bool = True
    trackers: tuple[str, ...] = ()
    serving: Serve | None = None
    out: Path | None = None

    @cached_property
    def base(self) -> Base:
        """The one starting model."""
        return resolve_base(self.config.base)

    @cached_property
    def renderer(self) -> Renderer:
        """Of its tokenizer. Chats are never cut here, so the limits do not matter."""
        return Renderer(self.base.tokenizer, RenderingConfig())

    @cached_property
    def serve(self) -> Serve:
        """Who answers, as the recipe says."""
        if self.serving is not None:
            return self.serving
        engine = self.config.engine
        if engine.kind == "servers":
            from suasion.analysis.hirpo.serving.serve import on_servers

            return on_servers(engine, self.renderer, self.root / "vllm.log")
        return in_this_process(self.renderer, engine.batch_size)


@dataclass(frozen=True)
class Part:
    """What decides the outcome of a part: equal ones are the same work."""

    kind: str
    config: Config | Mapping[str, Any]
    parents: Mapping[str, Run]
    inputs: Mapping[str, str]
    """Label to SHA-256 of what is read besides the parents."""


def perform(journey: Journey, part: Part, work: Callable[[Run], None], out: Path | None = None) -> Run:
    """Run a part: skip it if it is done and unchanged, take it up if it was killed, else start it; and say which and why."""
    lock = journey.base.lock
    run = None
    if out is None:
        earlier = reusable(journey.root, part.kind, fingerprint(part.kind, part.config, part.parents, part.inputs, lock))
        if earlier is not None and earlier.manifest.status == "done":
            if journey.skip_done:
                say(f"{part.kind}: skipped, done and unchanged in {earlier.name}")
                return earlier
        elif earlier is not None:
            say(f"{part.kind}: takes up {earlier.name} ({earlier.state})")
            run = resume(earlier)
    if run is None:
        reason = why_new(journey.root, part.kind, part.config, part.parents, part.inputs, lock)
        seeds = {part.kind: journey.config.seed}
        run = Run.start(
            journey.root, part.kind, config=part.config, parents=part.parents, base_lock=lock, inputs=part.inputs, seeds=seeds, path=out
        )
        say(f"{part.kind}: {run.name} starts ({reason})")
    with run:
        if journey.trackers:
            from suasion.runs.trackers import open_trackers

            run.trackers = open_trackers(journey.trackers, run)
        work(run)
    shutil.rmtree(run.checkpoints, ignore_errors=True)  # they served a resume that is not needed any more
    return run
