"""A run: one execution with a name nobody else can take, a folder, a lock and a manifest. A finished run is never written to again."""

from __future__ import annotations

import difflib
import os
import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from suasion.config import Config, changed_arguments, nested, to_yaml
from suasion.errors import SuasionError
from suasion.files import append_jsonl, jsonable, read_jsonl, sha256_file, write_text
from suasion.progress import say
from suasion.runs.lineage import check_base
from suasion.runs.lock import LOCK_FILE, Lock, is_locked
from suasion.runs.manifest import (
    MANIFEST_FILE,
    Arguments,
    Manifest,
    Parent,
    command_line,
    describe_machine,
    fingerprint,
    git_state,
    now,
    package_versions,
    plain,
    read_manifest,
    write_manifest,
)
from suasion.runs.names import claim, is_run_name

if TYPE_CHECKING:
    from suasion.runs.report import Section
    from suasion.runs.trackers import Trackers

METRICS_FILE = "metrics.jsonl"
CONFIG_FILE = "config.yaml"
REPORT_FILE = "report.html"
_NOT_OUTPUTS = ("checkpoints", "trackers")  # resumption's and the trackers' own: they may change after the end
_LEFT_BEHIND = re.compile(r"\..*\.[0-9a-f]{12}\.tmp")  # what atomic_path leaves when it is killed


class Run:
    """A run's folder. Started or resumed ones are written through; opened ones (:func:`open_run`) are read only.

    As a context manager it ends itself: a normal end is ``done``, Ctrl-C ``interrupted``, any other exception ``failed``; a kill leaves
    ``running`` with a free lock, and such a run can be resumed.
    """

    def __init__(self, path: Path, manifest: Manifest, lock: Lock | None = None, *, resumed: bool = False) -> None:
        self.path, self.manifest, self.resumed = path.absolute(), manifest, resumed
        self.results: dict[str, Any] = dict(manifest.results)
        self.sections: list[Section] = []  # what a stage has to say in the report that is written for it
        self.trackers: Trackers | None = None
        self._lock = lock

    @classmethod
    def start(
        cls,
        root: Path,
        kind: str,
        *,
        config: Config | Mapping[str, Any],
        parents: Mapping[str, Run] | None = None,
        base_lock: Mapping[str, str] | None = None,
        inputs: Mapping[str, str] | None = None,
        seeds: Mapping[str, int] | None = None,
        path: Path | None = None,
    ) -> Run:
        """Claim a name below ``root`` (or the folder ``path``), hold its lock and write down what it is made from.

        Args:
            parents: role (pairs, writer, judge, …) to run.
            base_lock: the base this run stands on; every parent with a base must have the same.
            inputs: label to SHA-256 of what is read.
            path: an explicit folder instead of a name; one that holds an unfinished run of the same fingerprint resumes it.

        Raises:
            SuasionError: a parent on another base (the run is then marked failed), a folder that is not empty or belongs to a live run.
        """
        ancestry = {role: run.name for role, run in (parents or {}).items()}
        manifest = Manifest(
            id="",
            kind=kind,
            parents=ancestry,
            parent_records={
                role: Parent(path=str(run.path.resolve()), base_lock=run.manifest.base_lock) for role, run in (parents or {}).items()
            },
            base_lock=None if base_lock is None else dict(base_lock),
            arguments=_arguments(config),
            fingerprint=fingerprint(kind, config, ancestry, inputs or {}, base_lock),
            inputs=dict(inputs or {}),
            seeds=dict(seeds or {}),
            git=git_state(),
            packages=package_versions(),
            machine=describe_machine(),
            command=command_line(sys.argv),
            started=now(),
        )
        if path is None:
            folder = claim(root, kind)
            lock = Lock.take(folder)
            manifest.id = folder.name
        else:
            folder = path
            lock, unfinished = _enter(folder, manifest.fingerprint)
            if unfinished is not None:
                return cls(folder, unfinished, lock)._resume()
            # The folder's name is the user's and may stand twice in the world; the run's may not.
            manifest.id = f"{manifest.started[:10]}_{kind}_{secrets.token_hex(4)}"
        run = cls(folder, manifest, lock)
        return run._begin(to_yaml(config))

    def _begin(self, config: str) -> Run:
        try:
            write_manifest(self.path, self.manifest)
            write_text(self.path / CONFIG_FILE, config)
            records = self.manifest.parent_records
            check_base(
                self.name, self.manifest.base_lock, {parent: records[role].base_lock for role, parent in self.manifest.parents.items()}
            )
        except BaseException as error:
            self._end_badly(error)
            raise
        return self

    def _resume(self) -> Run:
        self.resumed = True
        self.manifest.status, self.manifest.error = "running", None
        self.manifest.resumed.append(now())
        for left in self.path.rglob(".*.tmp"):
            if _LEFT_BEHIND.fullmatch(left.name):
                left.unlink(missing_ok=True)
        (self.path / REPORT_FILE).unlink(missing_ok=True)  # of an attempt that failed at its very end
        return self._begin(to_yaml(nested(self.manifest.arguments.all())))

    @property
    def name(self) -> str:
        """The run's id."""
        return self.manifest.id

    @property
    def state(self) -> str:
        """The status as it is now: a run that says ``running`` and that no live process holds was ``killed``."""
        return "killed" if self.manifest.status == "running" and not is_locked(self.path) else self.manifest.status

    @property
    def checkpoints(self) -> Path:
        """The folder for checkpoints (not made before it is needed)."""
        return self.path / "checkpoints"

    def log(self, step: int, **numbers: Any) -> None:
        """Append numbers of a step to ``metrics.jsonl`` and give them to the trackers; NaN and infinity are written as null.

        Raises:
            SuasionError: the run is finished or only opened for reading, or the disk is full.
        """
        self._require_open()
        append_jsonl(self.path / METRICS_FILE, {"step": int(step), **numbers})
        if self.trackers is not None:
            self.trackers.log(step, numbers)

    def metrics(self) -> list[dict[str, Any]]:
        """One row a step, by step. Where a resumed run logged a step again the later numbers stand; torn lines are left out."""
        steps: dict[int, dict[str, Any]] = {}
        for row in read_jsonl(self.path / METRICS_FILE):
            if isinstance(row.get("step"), int):
                steps[row["step"]] = steps.get(row["step"], {}) | row
        return [steps[step] for step in sorted(steps)]

    def finish(self) -> None:
        """Write the report unless the stage has written its own, hash the outputs, mark the run done and let go of it."""
        self._require_open()
        self.manifest = self.manifest.model_copy(
            update={"status": "done", "finished": now(), "results": jsonable(self.results), "machine": describe_machine()}
        )
        if not (self.path / REPORT_FILE).exists():
            from suasion.runs.default_report import write_default_report

            write_default_report(self)
        self.manifest.outputs = {name: sha256_file(self.path / name) for name in output_files(self.path)}
        write_manifest(self.path, self.manifest)
        self._let_go()

    def __enter__(self) -> Run:
        self._require_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._lock is None:
            return  # finished inside the block
        if error is None:
            try:
                self.finish()
            except BaseException as problem:
                self._end_badly(problem)
                raise
        else:
            self._end_badly(error)

    def _end_badly(self, error: BaseException) -> None:
        self.manifest = self.manifest.model_copy(
            update={
                "status": "interrupted" if isinstance(error, KeyboardInterrupt) else "failed",
                "finished": now(),
                "error": _message(error),
                "outputs": {},
            }
        )
        try:
            self.manifest.results = jsonable(self.results)
            write_manifest(self.path, self.manifest)
        except (SuasionError, TypeError) as problem:
            say(f"Could not mark the run {self.name} as {self.manifest.status}: {problem}")  # the first error is the one to raise
        self._let_go()

    def _let_go(self) -> None:
        if self.trackers is not None:
            self.trackers.close()
            self.trackers = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _require_open(self) -> None:
        if self._lock is None:
            raise SuasionError(
                f"The run {self.name} is {self.state} and cannot be written to.",
                where=self.path,
                hint="Start a new run; its name will be its own.",
            )


def resume(run: Run) -> Run:
    """Take up an unfinished run again: hold its lock, mark it running, keep the time in ``resumed``.

    Raises:
        SuasionError: it is done, a live process holds it, or a parent stands on another base.
    """
    lock = Lock.take(run.path)
    try:
        manifest = read_manifest(run.path)  # read anew: it may have been finished since it was opened
        if manifest.status == "done":
            raise SuasionError(f"The run {manifest.id} is done; a finished run is never written to again.", where=run.path)
    except BaseException:
        lock.release()
        raise
    return Run(run.path, manifest, lock)._resume()


def open_run(name_or_path: str | Path, root: Path) -> Run:
    """Open a run for reading, by its name below ``root`` or by its folder.

    Raises:
        SuasionError: there is none, with the nearest names; or its manifest cannot be read.
    """
    for folder in (root / name_or_path, Path(name_or_path)):
        if str(name_or_path) and (folder / MANIFEST_FILE).is_file():
            return Run(folder, read_manifest(folder))
    known = sorted((path.parent.name for path in root.glob(f"*/{MANIFEST_FILE}")), reverse=True)
    near = difflib.get_close_matches(str(name_or_path), known, n=3, cutoff=0.4) or known[:3]
    hint = f"Did you mean {' or '.join(near)}?" if near else "There are no runs here yet."
    raise SuasionError(f"There is no run '{name_or_path}'.", where=root, hint=hint)


def find_runs(root: Path) -> list[Run]:
    """All runs below ``root``, oldest first. Folders whose manifest is missing or cannot be read are counted on stderr."""
    found, broken = [], []
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        if not (folder / MANIFEST_FILE).is_file() and not is_run_name(folder.name):
            continue
        try:
            found.append(Run(folder, read_manifest(folder)))
        except SuasionError:
            broken.append(folder.name)
    if broken:
        say(f"Left out {len(broken)} folder(s) without a readable manifest in {root}: {', '.join(broken[:5])}{' …' * (len(broken) > 5)}")
    return sorted(found, key=lambda run: (run.manifest.started, run.name))


def output_files(folder: Path) -> list[str]:
    """The files of a run that count as its outcome, as relative paths: all but manifest, lock, checkpoints and trackers' own."""
    names = []
    for place, folders, files in os.walk(folder):
        relative = Path(place).relative_to(folder)
        if place == str(folder):
            folders[:] = [name for name in folders if name not in _NOT_OUTPUTS]
            files = [name for name in files if name not in (MANIFEST_FILE, LOCK_FILE)]
        names += [(relative / name).as_posix() for name in files if not _LEFT_BEHIND.fullmatch(name)]
    return sorted(name for name in names if (folder / name).is_file())


def _enter(folder: Path, mark: str) -> tuple[Lock, Manifest | None]:
    """Lock an explicit folder: an empty or new one (None), or one with an unfinished run of this fingerprint (its manifest)."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = _taken(folder)
    except OSError as error:
        raise SuasionError(f"Cannot use this folder for the run: {error.strerror or error}", where=folder) from error
    if taken and not (folder / MANIFEST_FILE).exists():
        raise SuasionError("This folder is not empty.", where=folder, hint="Name a new or an empty folder.")
    lock = Lock.take(folder)
    try:
        if not _taken(folder):
            return lock, None
        manifest = read_manifest(folder)
        if manifest.status == "done":
            raise SuasionError(f"This folder holds the finished run {manifest.id}.", where=folder, hint="Name a new or an empty folder.")
        if manifest.fingerprint != mark:
            raise SuasionError(
                f"This folder holds the unfinished run {manifest.id}, which was started on other work.",
                where=folder,
                hint="Name a new folder, or call it with the arguments it was started with.",
            )
        return lock, manifest
    except BaseException:
        lock.release()
        raise


def _taken(folder: Path) -> bool:
    return any(path.name != LOCK_FILE and not _LEFT_BEHIND.fullmatch(path.name) for path in folder.iterdir())


def _arguments(config: Config | Mapping[str, Any]) -> Arguments:
    everything = plain(config)
    passed = set(changed_arguments(config)) if isinstance(config, Config) else set(everything)
    return Arguments(
        passed={key: value for key, value in everything.items() if key in passed},
        defaulted={key: value for key, value in everything.items() if key not in passed},
    )


def _message(error: BaseException) -> str:
    text = error.what if isinstance(error, SuasionError) else f"{type(error).__name__}: {error}"
    return text if len(text) <= 4000 else text[:4000] + " …"
