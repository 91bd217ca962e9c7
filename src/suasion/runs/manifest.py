"""What a run was made from and what came out of it: ``manifest.json``. It records nothing of the environment, and no secrets."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import suasion
from suasion.config import Config, flatten
from suasion.errors import SuasionError
from suasion.files import jsonable, read_json, sha256_json, write_json

MANIFEST_FILE = "manifest.json"
_VERSION = 1
_PACKAGES = ("torch", "transformers", "trl", "peft", "datasets", "accelerate", "tokenizers", "bitsandbytes", "numpy", "pyarrow")
_SECRET = re.compile(r"(?i)((?:^|[-_.])(?:api[-_]?key|token|password|secret))=.*", re.DOTALL)
_SECRET_OPTION = re.compile(r"(?i)--?(?:\w+[-_])*(?:api[-_]?key|token|password|secret)")


class Named(Protocol):
    """Anything with a run's id as its name; a run, that is."""

    @property
    def name(self) -> str: ...


Status = Literal["running", "done", "failed", "interrupted"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Arguments(_Part):
    """The configuration by dotted key: what was passed, and what was left to its default."""

    passed: dict[str, Any] = Field(default_factory=dict)
    defaulted: dict[str, Any] = Field(default_factory=dict)

    def all(self) -> dict[str, Any]:
        """Both together."""
        return self.defaulted | self.passed


class Parent(_Part):
    """What is kept of a parent, so that its base can be compared and its folder found even outside the runs' root."""

    path: str
    base_lock: dict[str, str] | None = None


class Git(_Part):
    """The code's commit, and whether anything was changed since; nulls where there is no git."""

    commit: str | None = None
    dirty: bool | None = None


class Manifest(_Part):
    """Everything known of a run. ``version`` is the form of this file; times are UTC in ISO 8601."""

    version: int = _VERSION
    suasion: str = suasion.__version__
    id: str
    kind: str
    status: Status = "running"
    parents: dict[str, str] = Field(default_factory=dict)
    parent_records: dict[str, Parent] = Field(default_factory=dict)
    base_lock: dict[str, str] | None = None
    arguments: Arguments = Field(default_factory=Arguments)
    fingerprint: str = ""
    inputs: dict[str, str] = Field(default_factory=dict)
    outputs: dict[str, str] = Field(default_factory=dict)
    seeds: dict[str, int] = Field(default_factory=dict)
    git: Git = Field(default_factory=Git)
    packages: dict[str, str] = Field(default_factory=dict)
    machine: dict[str, Any] = Field(default_factory=dict)
    command: list[str] = Field(default_factory=list)
    started: str = ""
    finished: str | None = None
    resumed: list[str] = Field(default_factory=list)
    error: str | None = None
    results: dict[str, Any] = Field(default_factory=dict)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run's folder.

    Raises:
        SuasionError: it is absent, torn, of another shape, or written by a later version; it is named.
    """
    path = folder / MANIFEST_FILE
    data = read_json(path)
    if isinstance(data, dict) and isinstance(data.get("version"), int) and data["version"] > _VERSION:
        raise SuasionError("This manifest was written by a later version of suasion.", where=path, hint="Update suasion.")
    try:
        return Manifest.model_validate(data)
    except ValidationError as error:
        wrong = ", ".join(".".join(map(str, item["loc"])) or "the whole" for item in error.errors()[:5])
        raise SuasionError(f"This is not the manifest of a run (wrong: {wrong}).", where=path) from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest whole, or leave the one that stands. Numbers that are not finite become null."""
    write_json(folder / MANIFEST_FILE, jsonable(manifest.model_dump()))


def plain(config: Config | Mapping[str, Any]) -> dict[str, Any]:
    """A configuration by dotted key, as plain JSON."""
    data = config.model_dump(mode="json") if isinstance(config, Config) else config
    return dict(jsonable(flatten(data)))


def parent_ids(parents: Mapping[str, Named | str]) -> dict[str, str]:
    """Role to run id."""
    return {role: run if isinstance(run, str) else run.name for role, run in parents.items()}


def fingerprint(
    kind: str,
    config: Config | Mapping[str, Any],
    parents: Mapping[str, Named | str],
    inputs: Mapping[str, str],
    base_lock: Mapping[str, str] | None,
) -> str:
    """Hex digest of all that decides what a run does: equal for equal work, whatever the order of the mappings.

    Args:
        parents: role to run, or to run id.
        inputs: label to SHA-256 of the content.

    Seeds count as far as they stand in ``config``, where they belong. The version of suasion counts too.
    """
    made_from = {
        "suasion": suasion.__version__,
        "kind": kind,
        "config": plain(config),
        "parents": parent_ids(parents),
        "inputs": inputs,
        "base": base_lock,
    }
    return sha256_json(made_from)


def now() -> str:
    """This instant, UTC, ISO 8601 with microseconds (runs are sorted by it)."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")


def git_state() -> Git:
    """Commit and cleanliness of the code that runs; nulls for an installed package or without git."""
    here = Path(suasion.__file__).resolve().parent
    if "site-packages" in here.parts:
        return Git()  # a repository around an installed package is somebody else's
    commit = _git(here, "rev-parse", "HEAD")
    changes = _git(here, "status", "--porcelain")
    return Git(commit=commit, dirty=None if commit is None or changes is None else bool(changes))


def _git(folder: Path, *arguments: str) -> str | None:
    # GIT_DIR and the like, set while a hook runs, would point at another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        result = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def package_versions() -> dict[str, str]:
    """Versions of the packages whose change can change a result; those that are not installed are left out."""
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def describe_machine() -> dict[str, Any]:
    """Host, system, processors, Python; GPUs only where torch is imported already (importing it takes seconds)."""
    machine: dict[str, Any] = {
        "host": platform.node(),
        "os": platform.platform(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
    }
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available():
        machine["gpus"] = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return machine


def command_line(arguments: Sequence[str]) -> list[str]:
    """The command line with the values of keys, tokens and passwords struck out."""
    shown, hide = [], False
    for argument in arguments:
        shown.append("***" if hide else _SECRET.sub(r"\1=***", argument))
        hide = _SECRET_OPTION.fullmatch(argument) is not None
    return shown
