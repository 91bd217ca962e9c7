"""Write ``docs/tasks.md``: every task, check and virtue of formal argument analysis, from their declarations.

python docs/make_tasks.py            write it
python docs/make_tasks.py --check    exit with 1 if it is stale (tests/analysis/tasks/test_task_pages.py does this)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from suasion.analysis.tasks import Task, all_tasks
from suasion.analysis.tasks.prompts import styles
from suasion.analysis.tasks.prompts.fences import fenced
from suasion.analysis.tasks.prompts.words import form_of, forms_of
from suasion.analysis.tasks.virtues import all_virtues

PAGE = Path(__file__).with_name("tasks.md")
HEAD = """# What are the tasks of formal argument analysis?

Every task with its checks and virtues. Written by `python docs/make_tasks.py` from the declarations in `src/suasion/analysis/tasks/`; a
test fails when it is stale. How to add one: [how do I add a task?](how-do-i-add-a-task.md)

Names with `-l` in the published configuration (`argmap-l`) are the same tasks on longer debates. Each task can be asked in each of these
styles: {styles}.

| task | starts from | asks for |
|---|---|---|
"""


def main() -> None:
    """Write or check the page."""
    text = "".join(_page())
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is stale: run python docs/make_tasks.py")


def _page() -> Iterator[str]:
    tasks = all_tasks()
    yield HEAD.format(styles=", ".join(f"`{style}`" for style in styles()))
    for task in tasks:
        names = " + ".join(form.name for form in forms_of(task))
        yield f"| [`{task.name}`](#{task.name}) | {_start(task)} | {names} |\n"
    yield "\n## Checks\n\nWhat the judge enforces and the prompt asks for. Findings carry the code. "
    yield "“All” means every task whose answers have such a part.\n"
    checks = {check.code: check for task in tasks for check in task.checks}
    for family in dict.fromkeys(code.partition(".")[0] for code in checks):
        yield f"\n### {family}\n\n| code | what is asked for | in |\n|---|---|---|\n"
        for code, check in checks.items():
            if code.startswith(f"{family}."):
                asked = _cell(check.requirement) or "(a limit of what can be judged)"
                yield f"| `{code}` | {asked} | {_where(code, tasks)} |\n"
    yield "\n## Virtues\n\nWhat makes one valid answer better than another, and the hint that asks for it.\n\n"
    yield "| name | hint |\n|---|---|\n"
    yield from (f"| `{name}` | {_cell(virtue.hint)} |\n" for name, virtue in all_virtues().items())
    for task in tasks:
        yield from _section(task)


def _section(task: Task) -> Iterator[str]:
    names = {id(virtue): name for name, virtue in all_virtues().items()}
    yield f"\n## {task.name}\n\n{task.goal}\n\n"
    virtues = ", ".join(f"`{names[id(virtue)]}`" for virtue in task.virtues)
    yield f"{len(task.checks)} checks. Virtues: {virtues or 'none'}.\n\n"
    yield f"An example. The text:\n\n{fenced(task.example.source, 'text')}\n\n"
    if task.given:
        yield f"What is given:\n\n{fenced(task.example.reference, form_of(task.given).kind)}\n\n"
    yield f"An answer that the judge accepts:\n\n{fenced(task.example.answer, 'markdown')}\n"


def _start(task: Task) -> str:
    given = form_of(task.given).name if task.given else ""
    if not given:
        return "text"
    return f"text, {given}" if task.shows_source else given


def _where(code: str, tasks: tuple[Task, ...]) -> str:
    """The tasks that a check is in: "all" that have checks of its family; ``…_from_…`` only where the target has it not."""
    having = {task.name: task.target for task in tasks if any(check.code == code for check in task.checks)}
    family = {task.name for task in tasks if any(check.code.partition(".")[0] == code.partition(".")[0] for check in task.checks)}
    told = [f"`{name}`" for name, target in having.items() if target == name or target not in having]
    return "all" if set(having) == family else ", ".join(told)


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("<", r"\<")


if __name__ == "__main__":
    main()
