"""Write ``docs/cli.md``: the help text of every command, as a terminal of 100 columns shows it.

python docs/make_cli.py            write it
python docs/make_cli.py --check    exit with 1 if it is stale (tests/test_docs.py does this)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).with_name("cli.md")
WIDTH = "100"
HEAD = """# What can I type?

The help text of every command. Written by `python docs/make_cli.py`; a test fails when it is stale.

Exit status, everywhere: 0 done, 1 the answer is no (a judge that failed its audit, a run that was changed), 2 the input or the call is
wrong, 130 interrupted. Errors and progress go to stderr, so stdout holds nothing but the answer (`--json` for scripts).

`KEY=VALUE…` are settings laid over the recipe; the value is read as YAML: `practice.max_steps=40`, `mine.sources='[one.zst, two.zst]'`.
An unknown key is an error that names the nearest known one.
"""


def main() -> None:
    """Write or check the page."""
    # Read by typer and rich when they are imported: so set before anything of suasion is.
    for name in ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "SUASION_RUNS"):
        os.environ.pop(name, None)
    os.environ |= {"COLUMNS": WIDTH, "TERMINAL_WIDTH": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    text = HEAD + "".join(f"\n## `{command}`\n\n```text\n{shown}\n```\n" for command, shown in help_texts())
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is stale: run python docs/make_cli.py")


def help_texts() -> Iterator[tuple[str, str]]:
    """Each command with its help text, in the order in which ``suasion --help`` lists them."""
    import typer
    from typer.testing import CliRunner

    from suasion.cli import app

    def names(command: object, prefix: list[str]) -> Iterator[list[str]]:
        yield prefix
        for name, inner in getattr(command, "commands", {}).items():
            yield from names(inner, [*prefix, name])

    for words in names(typer.main.get_command(app), []):
        result = CliRunner().invoke(app, [*words, "--help"], prog_name="suasion")
        if result.exit_code:
            raise SystemExit(f"suasion {' '.join(words)} --help failed: {result.output}")
        yield " ".join(["suasion", *words]), "\n".join(line.rstrip() for line in result.output.splitlines()).strip("\n")


if __name__ == "__main__":
    main()
