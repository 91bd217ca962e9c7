"""A report: one HTML file that needs nothing else, not even a network, and that a person can read who does not know the code.

Everything that goes in is untrusted text (debates, models' replies, raters' words) and is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from suasion.errors import SuasionError
from suasion.files import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPORT_TEMPLATE = "report.html.j2"

Tone = Literal["pass", "fail", "warning", "neutral"]


@dataclass(frozen=True)
class Badge:
    """A verdict in a word or two; its tone gives the colour and a sign, so that colour is not all that tells."""

    text: str
    tone: Tone = "neutral"


@dataclass(frozen=True)
class Table:
    """Rows of plain values: floats are shown with four digits, None as a dash. Columns of numbers stand to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """An image as a data URI (``plots.inline``, ``lineage.picture``); ``alt`` says what it shows to those who cannot see it."""

    data_uri: str
    caption: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Column:
    """One system's text on a card."""

    label: str
    text: str
    note: str = ""


@dataclass(frozen=True)
class Card:
    """Texts side by side under one heading: the replies of several systems to one premise."""

    heading: str
    columns: Sequence[Column]


@dataclass(frozen=True)
class Section:
    """A part of a report, in this order: badges, paragraphs, pictures, tables, cards, preformatted ``code``; ``folded`` starts closed."""

    title: str
    text: Sequence[str] = ()
    badges: Sequence[Badge] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()
    cards: Sequence[Card] = ()
    code: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Report:
    """Title, one line under it, sections; more than three sections get a table of contents."""

    title: str
    subtitle: str
    sections: Sequence[Section]


def kept_picture(figure: Figure, folder: Path, name: str, caption: str) -> Picture:
    """Save a figure as ``plots/NAME.png`` below a run's folder and give it as a picture of its report."""
    from suasion.runs import plots

    file = plots.save(figure, folder / "plots" / f"{name}.png")
    return Picture(plots.inlined(file.read_bytes()), caption, alt=caption)  # drawn once: drawing is slow


def render(report: Report) -> str:
    """The report as one HTML document.

    Raises:
        SuasionError: a picture is not a data URI; the report would not be self-contained.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    for section in report.sections:
        for table in section.tables:
            if any(len(row) != len(table.columns) for row in table.rows):
                raise ValueError(f"a row of the table '{table.caption}' has not {len(table.columns)} values")
        for picture in section.pictures:
            if not picture.data_uri.startswith("data:image/"):
                raise SuasionError("A picture of a report must be a data URI.", where=f"{report.title}: {section.title}")
    environment = Environment(
        loader=PackageLoader("suasion.runs", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"shown": shown, "numeric_columns": _numeric_columns}
    return environment.get_template(REPORT_TEMPLATE).render(report=report)


def write_report(report: Report, path: Path) -> Path:
    """Write the report's HTML whole; return the path. Raises as :func:`render`."""
    return write_text(path, render(report))


def shown(value: Any) -> str:
    """A value as a reader wants it: four digits of a float, a dash for what is not known."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value)


def _numeric_columns(table: Table) -> list[bool]:
    """Which columns hold nothing but numbers (and gaps): they are set to the right, head and all."""
    columns = [[row[index] for row in table.rows if row[index] is not None] for index in range(len(table.columns))]
    return [bool(column) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in column) for column in columns]
