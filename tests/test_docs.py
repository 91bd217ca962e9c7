"""The documentation is kept true: the README's tree, links, commands, settings, help texts, recipes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suasion.analysis.hirpo.published import load_hirpo
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.config import all_arguments, load_config, validate
from suasion.persuasion.recipe import Recipe

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [page for page in WRITTEN if page.name not in ("cli.md", "where-is-what.md")]  # generated pages have a check of their own
RECIPES = sorted(path for path in (ROOT / "recipes").rglob("*.yaml") if path.parent.name != "cluster")  # those are accelerate's
IN_TREE = ("recipes", "src/suasion", "docs", "benchmarks")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SETTING = re.compile(rf"(?<![\w./-])(?:{'|'.join(Recipe.model_fields)})(?:\.[a-z_0-9]+)+(?![\w(/])")
_FILE = re.compile(r"\.(?:py|json|jsonl|html|parquet|yaml|md|png|ndjson)$")
#: The addresses that our own commands have as defaults are no place on some machine; every other one of this machine or network is.
_HERE = re.compile(
    r"(?<![\w.~-])/(?:home|root|Users|work|tmp|mnt|scratch)/\w"
    r"|https?://(?:localhost|127\.(?!0\.0\.1:(?:8000/v1|8010)\b)|10\.|192\.168\.)"
)
HIRPO = ROOT / "recipes" / "hirpo"
#: Recipes for a judge alone; all others are whole journeys.
_JUDGES_ALONE = {"recipes/cmv-pairs.yaml", "recipes/longformer.yaml"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def drawn_tree(text: str) -> dict[str, str]:
    """Folders drawn in the README's tree, with what is said of each."""
    drawing = text.partition("## The files")[2].partition("```text\n")[2].partition("```")[0]
    folders: dict[str, str] = {}
    above: list[str] = []
    for line in drawing.splitlines():
        match = re.fullmatch(r"((?:│   |    )*(?:[├└]── )?)(\S+/)(?:\s+(.*))?", line)
        assert match, f"not a line of the tree: {line!r}"
        depth, name = len(match[1]) // 4, match[2]
        above = [*above[:depth], name]
        folders["".join(above)] = match[3] or ""
    return folders


def folders_there() -> set[str]:
    tops = [ROOT / folder for folder in (*IN_TREE, "tests")]
    inner = [path.parent for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix not in (".pyc", "")]
    return {f"{name_of(path)}/" for path in {*tops, *inner}}


def test_the_tree_is_what_is_there() -> None:
    drawn = drawn_tree((ROOT / "README.md").read_text(encoding="utf-8"))
    there = folders_there()
    rooms = {name for name in there if name.count("/") <= 4}  # what is deeper may be left to docs/where-is-what.md
    wrong = {"listed, but not there": sorted(set(drawn) - there), "there, but not listed": sorted(rooms - set(drawn))}
    wrong["listed without a word"] = [name for name, said in drawn.items() if not said and name != "src/suasion/"]
    assert not any(wrong.values()), wrong


def test_a_missing_line_in_the_tree_would_be_seen() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "samples/" in line)
    assert set(drawn_tree(text)) - set(drawn_tree(text.replace(line + "\n", ""))) == {"src/suasion/samples/"}


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if link.startswith(("https://", "http://")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{link} leads nowhere"
        assert ROOT in target.parents, f"{link} leads out of the repository"
        assert not anchor or anchor in anchors(target), f"there is no heading for {link}"


def settings_named(text: str) -> Iterator[str]:
    """Dotted settings in code: ``practice.beta``. Names of files, which look alike, are left out."""
    for code in [block for _, block in _FENCE.findall(text)] + re.findall(r"`([^`]+)`", _FENCE.sub("", text)):
        yield from (found for found in _SETTING.findall(code) if not _FILE.search(found))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_settings_that_are_named_exist(page: Path) -> None:
    everything = [*all_arguments(Recipe()), *all_arguments(load_hirpo(HIRPO / "embedded.yaml").config)]
    known = {".".join(parts[:end]) for parts in (name.split(".") for name in everything) for end in range(2, len(parts) + 1)}
    assert [setting for setting in settings_named(page.read_text(encoding="utf-8")) if setting not in known] == []


def commands(text: str) -> Iterator[list[str]]:
    """Words of each ``suasion …`` command line in code or in a recipe's header, without remarks."""
    header = "\n".join(line[1:] for line in text.splitlines() if line.startswith("#   "))
    for block in [*(block for kind, block in _FENCE.findall(text) if kind == "bash"), header]:
        for line in block.splitlines():
            if line.strip().startswith("suasion "):
                yield re.split(r"\s{3,}|\s#\s", line.strip())[0].split()


@pytest.mark.parametrize("page", [*PAGES, *RECIPES], ids=name_of)
def test_commands_that_are_shown_are_right(page: Path) -> None:
    known = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for words in commands(page.read_text(encoding="utf-8")):
        verb = " ".join(words[:3] if words[1] in ("argdown", "arena", "runs", "hirpo") else words[:2])
        section = known.partition(f"## `{verb}`\n")[2].partition("\n## ")[0]
        assert section, f"there is no command '{verb}'"
        for option in (word for word in words if word.startswith("-")):
            assert re.search(rf"(?<![\w-]){option}\s", section), f"'{verb}' has no option {option}"
        recipe = next((ROOT / word for word in words if word.startswith("recipes/")), None)
        assert recipe is None or recipe.is_file(), f"{' '.join(words)}: there is no such recipe"
        overrides = [word for word in words if re.match(r"[a-z_.]+=", word)]
        if recipe is not None and recipe.parent == HIRPO:
            load_hirpo(recipe, overrides=overrides)
        else:
            load_config(recipe, Recipe, overrides) if recipe else validate({}, Recipe, overrides)


def test_some_commands_were_looked_at() -> None:
    readme = list(commands((ROOT / "README.md").read_text(encoding="utf-8")))
    assert ["suasion", "run", "recipes/real-threads.yaml", "--data", "FOLDER"] in readme and len(readme) >= 10


@pytest.mark.parametrize("script", ["make_cli.py", "make_tree.py"])
def test_pages_that_are_written_by_scripts_are_not_stale(script: str) -> None:
    result = subprocess.run([sys.executable, ROOT / "docs" / script, "--check"], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("recipe", RECIPES, ids=name_of)
def test_recipes_are_valid_and_say_how_to_launch_them(recipe: Path) -> None:
    read: Recipe | HirpoConfig = load_hirpo(recipe).config if recipe.parent == HIRPO else load_config(recipe, Recipe)
    assert read.name == recipe.stem
    head = recipe.read_text(encoding="utf-8").partition("\nname:")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    if name_of(recipe) in _JUDGES_ALONE:
        assert re.search(rf"suasion judge .*{re.escape(name_of(recipe))}", head)
    else:
        assert f"suasion {'hirpo ' * (recipe.parent == HIRPO)}run {name_of(recipe)}" in head


def test_nothing_names_a_place_on_some_machine() -> None:
    files = [path for folder in IN_TREE for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix not in (".pyc", ".png")]
    files += [ROOT / "Makefile", ROOT / "pyproject.toml", *WRITTEN]
    texts = {name_of(path): path.read_text(encoding="utf-8") for path in files}
    assert {name: found.group() for name, text in texts.items() if (found := _HERE.search(text))} == {}
    assert _HERE.search("http://127.0.0.1:3141/simple") and not _HERE.search("http://127.0.0.1:8000/v1")
    assert _HERE.search("see /home/somebody/runs") and not _HERE.search("../shared/data/x and a/tmp/b")
