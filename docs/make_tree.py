"""Write ``docs/where-is-what.md``: every file with the first sentence that it says of itself.

python docs/make_tree.py            write it
python docs/make_tree.py --check    exit with 1 if it is stale, or a file says nothing of itself (tests/test_docs.py does this)
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("where-is-what.md")
HEAD = """# Where is what?

Every file in one line: the first sentence that it says of itself. Written by `python docs/make_tree.py`; a test fails when it is stale.
`tests/` mirrors `src/`. Arrows go down only and the two wings never import each other: `make lint` holds it.
"""
FOLDERS = ("recipes", "src/suasion", "docs", "benchmarks")
SILENT = {
    "src/suasion/analysis/service/page/index.html": "the page: a text, an answer, what is found in it, its map",
    "src/suasion/analysis/service/page/page.css": "how the page looks",
    "src/suasion/analysis/service/page/page.js": "asks for a verdict and shows it; everything that is shown is set as text",
    "src/suasion/py.typed": "tells type checkers that the package is typed",
    "src/suasion/runs/report.html.j2": "the template of reports",
    "src/suasion/persuasion/mining/card/datacard.md.j2": "the template of the dataset card",
    "src/suasion/samples/changemyview_submissions.ndjson": "36 posts written for the demo, in a dump's form",
    "src/suasion/samples/changemyview_comments.ndjson": "their comments, DeltaBot's among them",
}
"""Files that cannot speak for themselves."""


def main() -> None:
    """Write or check the page."""
    text = HEAD + "".join(_section(folder) for folder in FOLDERS)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is stale: run python docs/make_tree.py")


def _section(folder: str) -> str:
    lines = [f"\n## `{folder}/`\n"]
    for place, files in _folders(ROOT / folder):
        name, init = place.relative_to(ROOT).as_posix(), place / "__init__.py"
        if name != folder:
            lines.append(f"\n### `{name.removeprefix('src/suasion/')}/`\n")
        if init.is_file():
            lines.append(f"\n{_sentence(init)}\n")
        if files:
            lines.append("\n| file | |\n|---|---|\n")
            lines += [f"| [{file.name}](../{file.relative_to(ROOT).as_posix()}) | {_sentence(file)} |\n" for file in files]
    return "".join(lines)


def _folders(top: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder with its own files, by name; those with neither file nor ``__init__.py`` are left out."""
    for place in [top, *sorted(path for path in top.rglob("*") if path.is_dir() and path.name != "__pycache__")]:
        files = sorted(path for path in place.iterdir() if path.is_file() and path.suffix not in (".pyc", ".png") and path.name[0] != ".")
        if files:
            yield place, [path for path in files if path not in (PAGE, place / "__init__.py")]


def _sentence(path: Path) -> str:
    """What the file says of itself: docstring, heading, or first comment."""
    name = path.relative_to(ROOT).as_posix()
    text = SILENT.get(name) or path.read_text(encoding="utf-8")
    if name not in SILENT and path.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    paragraph = " ".join(text.strip().split("\n\n")[0].splitlines()[: 1 if path.suffix != ".py" else None])
    found = re.match(r"(.+?[.?!])(?=\s|$)|.+", re.sub(r"^[{#\s]+", "", paragraph))
    if not found:
        sys.exit(f"{name} says nothing of itself: give it a docstring, a heading or a first comment")
    return found.group().rstrip(".").replace("|", r"\|").replace("``", "`")


if __name__ == "__main__":
    main()
