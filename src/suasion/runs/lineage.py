"""Where a run comes from: the check that all its ancestors stand on one base, and the family tree."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from suasion.errors import SuasionError
from suasion.runs.manifest import MANIFEST_FILE, Manifest, Parent, read_manifest

_SHOWN = 12  # digits of a digest that are shown: enough to tell two apart


def check_base(run_id: str, lock: Mapping[str, str] | None, parents: Mapping[str, Mapping[str, str] | None]) -> None:
    """Refuse parents that stand on another base.

    Args:
        lock: the base lock of the run: part (weights, tokenizer, chat_template, quantization) to its digest or name.
        parents: run id to base lock; a run without a base (None), such as mined pairs, fits everything.

    Raises:
        SuasionError: names both runs and each part that differs.
    """
    if lock is None:
        return
    for parent_id, parent_lock in parents.items():
        differences = [] if parent_lock is None else differing(lock, parent_lock)
        if differences:
            lines = "\n".join(f"  - {part}: {run_id} has {ours}, {parent_id} has {theirs}" for part, ours, theirs in differences)
            raise SuasionError(
                f"The run {run_id} and its parent {parent_id} do not stand on the same base. These differ:\n{lines}",
                where=run_id,
                hint=f"Start from the base of {parent_id}, or make the parent anew on this base.",
            )


def differing(lock: Mapping[str, str], other: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The parts in which two base locks differ: (part, first 12 characters here, first 12 characters there)."""
    parts = list(lock) + [part for part in other if part not in lock]
    return [
        (part, lock.get(part, "nothing")[:_SHOWN], other.get(part, "nothing")[:_SHOWN])
        for part in parts
        if lock.get(part) != other.get(part)
    ]


@dataclass(frozen=True)
class Ancestor:
    """A run in a family tree. ``manifest`` is None when the run has vanished or cannot be read; ``parents`` is role to run id."""

    id: str
    manifest: Manifest | None
    parents: Mapping[str, str]

    @property
    def note(self) -> str:
        """Its status in a word or two."""
        return "vanished" if self.manifest is None else self.manifest.status


def lineage(folder: Path, root: Path) -> list[Ancestor]:
    """The run in ``folder``, then all its ancestors, children before parents, each once. A loop, which no honest run has, does no harm."""
    own = read_manifest(folder)
    found: dict[str, Ancestor] = {}
    waiting = [(own.id, folder)]
    while waiting:
        name, place = waiting.pop(0)
        if name in found:
            continue
        found[name] = ancestor = _ancestor(name, place)
        if ancestor.manifest is not None:
            records = ancestor.manifest.parent_records
            waiting += [(parent, parent_folder(parent, records.get(role), root)) for role, parent in ancestor.parents.items()]
    column = _columns(found)
    return sorted(found.values(), key=lambda ancestor: (ancestor.id != own.id, -column[ancestor.id]))


def parent_folder(name: str, record: Parent | None, root: Path) -> Path:
    """Where a parent lies: below the root by its name, or else where it lay when its child was started."""
    if record is not None and not (root / name / MANIFEST_FILE).is_file():
        return Path(record.path)
    return root / name


def text_tree(ancestors: list[Ancestor]) -> str:
    """The family tree as indented text, the run itself first. A run that is reached twice is drawn out once."""
    known = {ancestor.id: ancestor for ancestor in ancestors}
    lines: list[str] = []
    drawn: set[str] = set()

    def draw(name: str, role: str, depth: int) -> None:
        ancestor = known[name]
        again = name in drawn and bool(ancestor.parents)
        label = f"{role}: " if role else ""
        lines.append(f"{'   ' * depth}{label}{name}  ({ancestor.note}{'; as above' if again else ''})")
        if name in drawn:
            return
        drawn.add(name)
        for parent_role, parent in ancestor.parents.items():
            draw(parent, parent_role, depth + 1)

    draw(ancestors[0].id, "", 0)
    return "\n".join(lines)


def picture(ancestors: list[Ancestor]) -> str:
    """The family tree as a data URI of an SVG image: oldest ancestors on the left, the run itself on the right."""
    known = {ancestor.id: ancestor for ancestor in ancestors}
    column = _columns(known)
    width, height, gap_x, gap_y = 216, 46, 64, 18
    rows: dict[int, int] = {}
    place: dict[str, tuple[int, int]] = {}
    for name in reversed(known):
        row = rows[column[name]] = rows.get(column[name], -1) + 1
        place[name] = (column[name] * (width + gap_x) + 8, row * (height + gap_y) + 8)
    shapes = [_edge(place[parent], place[name], width, height) for name in known for parent in known[name].parents.values()]
    shapes += [_box(known[name], place[name], width, height, own=name == ancestors[0].id) for name in known]
    full_width = (max(column.values()) + 1) * (width + gap_x) - gap_x + 16
    full_height = (max(rows.values()) + 1) * (height + gap_y) - gap_y + 16
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width} {full_height}" width="{full_width}" height="{full_height}" '
        f'font-family="system-ui, sans-serif">{"".join(shapes)}</svg>'
    )
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8", "backslashreplace")).decode()


def _ancestor(name: str, folder: Path) -> Ancestor:
    try:
        manifest = read_manifest(folder)
    except SuasionError:
        return Ancestor(name, None, {})
    if manifest.id != name:
        return Ancestor(name, None, {})  # another run lies there now
    return Ancestor(name, manifest, manifest.parents)


def _columns(known: Mapping[str, Ancestor]) -> dict[str, int]:
    """Each run one column to the right of its rightmost parent."""
    column = dict.fromkeys(known, 0)
    for _ in known:  # at most as many rounds as runs: a loop, or a long chain, ends too
        settled = True
        for name, ancestor in known.items():
            wanted = max((column[parent] + 1 for parent in ancestor.parents.values()), default=0)
            if wanted > column[name] and wanted < len(known):
                column[name], settled = wanted, False
        if settled:
            break
    return column


def _box(ancestor: Ancestor, place: tuple[int, int], width: int, height: int, *, own: bool) -> str:
    x, y = place
    fill, line = ("#e3edf7", "#0072b2") if own else ("#ffffff", "#8a94a0")
    dash = ' stroke-dasharray="5 4"' if ancestor.manifest is None else ""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}" stroke="{line}" stroke-width="1.5"{dash}/>'
        f'<text x="{x + 12}" y="{y + 20}" font-size="13" font-weight="600" fill="#1b2430">{escape(_fit(ancestor.id))}</text>'
        f'<text x="{x + 12}" y="{y + 36}" font-size="11" fill="#55606d">{escape(ancestor.note)}</text>'
    )


def _edge(start: tuple[int, int], end: tuple[int, int], width: int, height: int) -> str:
    x1, y1, x2, y2 = start[0] + width, start[1] + height // 2, end[0], end[1] + height // 2
    middle = (x1 + x2) // 2
    return (
        f'<path d="M{x1} {y1} C{middle} {y1} {middle} {y2} {x2 - 6} {y2}" fill="none" stroke="#8a94a0" stroke-width="1.5"/>'
        f'<path d="M{x2} {y2} l-8 -4 v8 z" fill="#8a94a0"/>'
    )


def _fit(name: str) -> str:
    return name if len(name) <= 28 else name[:27] + "…"
