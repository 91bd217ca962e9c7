"""The page about adding a task is followed to the letter, and the page of all tasks is not stale."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suasion.analysis.tasks import all_tasks, catalogue, declared, published, virtues
from suasion.analysis.verification import checks

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "how-do-i-add-a-task.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(src/\S+\.py)`\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's files, in folders that are searched besides the package's own; all is as before afterwards."""
    before = set(sys.modules)
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
        folder = Path(path).parent
        package = importlib.import_module(".".join(folder.relative_to("src").parts))
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / folder)])
    caches = (catalogue._by_name, virtues.all_virtues, checks._entries, published._names)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    for name in set(sys.modules) - before:
        if name.endswith(("objections", "only_objections")):
            parent, _, own = name.rpartition(".")
            del sys.modules[name]
            delattr(sys.modules[parent], own)
    for cache in caches:
        cache.cache_clear()


def test_the_page_has_a_task_a_check_and_a_virtue() -> None:
    folders = [Path(path).parent.name for path in FILES]
    assert folders == ["declared", "map", "virtues"]
    assert all((ROOT / path).parent.is_dir() and not (ROOT / path).exists() for path in FILES)


def test_what_the_page_does_works(beside: Path) -> None:
    ((snippet, output),) = re.findall(
        r"```python\n(from suasion.analysis.tasks import get_task.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet, "page", "exec"), {"__name__": "page"})  # noqa: S102 - our own page
    assert printed.getvalue() == output
    others = [task for task in all_tasks() if task.name != "objections"]
    assert len(others) == 14 and not any(check.code == "map.only-objections" for task in others for check in task.checks)


def test_nothing_of_it_stays() -> None:
    assert len(all_tasks()) == 14 and not hasattr(declared, "objections")


def test_a_module_that_declares_nothing_is_told(beside: Path) -> None:
    (beside / "src/suasion/analysis/tasks/declared/only_objections.py").write_text("TASK = None\n", encoding="utf-8")
    with pytest.raises(TypeError, match="only_objections has no TASK"):
        all_tasks()


def test_the_page_of_all_tasks_is_not_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        make_tasks = importlib.import_module("make_tasks")
    finally:
        sys.path.remove(str(ROOT / "docs"))
    text = "".join(make_tasks._page())
    for task in all_tasks():
        assert f"\n## {task.name}\n" in text and task.goal in text and task.example.answer in text
        assert all(f"`{check.code}`" in text for check in task.checks) and all(virtue.name in text for virtue in task.virtues)
    monkeypatch.setattr(sys, "argv", ["make_tasks.py", "--check"])
    make_tasks.main()
