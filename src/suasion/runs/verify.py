"""Is a run still what it was when it ended? Hashes of its outputs, its parents, and the base they all stand on."""

from __future__ import annotations

from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.runs.lineage import differing, parent_folder
from suasion.runs.manifest import MANIFEST_FILE, read_manifest
from suasion.runs.names import is_run_name
from suasion.runs.run import output_files


def run_folders(root: Path) -> list[Path]:
    """Every folder below ``root`` that is, or by its name should be, a run; broken ones too."""
    folders = sorted(root.iterdir()) if root.is_dir() else []
    return [folder for folder in folders if (folder / MANIFEST_FILE).is_file() or (folder.is_dir() and is_run_name(folder.name))]


def verify(folder: Path, root: Path) -> list[str]:
    """What is wrong with the run in ``folder``, one line a fault; nothing for a sound one. Only a done run's files are compared."""
    try:
        manifest = read_manifest(folder)
    except SuasionError as error:
        return [f"its manifest cannot be read: {error.what}"]
    problems = []
    if is_run_name(folder.name) and folder.name != manifest.id:
        problems.append(f"its folder is named {folder.name}, its manifest says {manifest.id}")
    if manifest.status == "done":
        problems += _changed_files(folder, manifest.outputs)
    for role, parent in manifest.parents.items():
        place = parent_folder(parent, manifest.parent_records.get(role), root)
        try:
            found = read_manifest(place)
        except SuasionError as error:
            reason = "vanished" if not (place / MANIFEST_FILE).is_file() else f"cannot be read: {error.what}"
            problems.append(f"its parent {role} {parent} {'has ' if reason == 'vanished' else ''}{reason}")
            continue
        if found.id != parent:
            problems.append(f"its parent {role} {parent} has vanished; {found.id} lies there now")
        elif found.status != "done":
            problems.append(f"its parent {role} {parent} is not done but {found.status}")
        if manifest.base_lock is not None and found.base_lock is not None:
            problems += [
                f"its {part} is {ours}, that of its parent {role} {parent} is {theirs}"
                for part, ours, theirs in differing(manifest.base_lock, found.base_lock)
            ]
    return problems


def _changed_files(folder: Path, outputs: dict[str, str]) -> list[str]:
    problems = []
    present = set(output_files(folder))
    for name, digest in outputs.items():
        if name not in present:
            problems.append(f"{name} is missing")
            continue
        try:
            if sha256_file(folder / name) != digest:
                problems.append(f"{name} was changed")
        except SuasionError as error:
            problems.append(f"{name} cannot be read: {error.what}")
    return problems + [f"{name} was added after the end" for name in sorted(present - set(outputs))]
