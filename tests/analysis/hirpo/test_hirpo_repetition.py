from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.analysis.hirpo.repetition import COPIES, LEAST, LONGEST_PIECE, without_loop
from suasion.analysis.tasks import all_tasks
from tests.work_done import lines_run

HEAD = "```argdown\n[Close]: The town should close its centre.\n"


@pytest.mark.parametrize("piece", ["x", "ab ", "I will do it. ", "    <+ <Health>: Cars make ill.\n", "".join(map(chr, range(60, 500)))])
def test_a_loop_is_cut_to_its_first_copy(piece: str) -> None:
    kept, cut = without_loop(HEAD + piece * 300 + piece[: len(piece) // 2])
    assert kept == (HEAD + piece).rstrip()
    assert len(kept) + cut == len(HEAD + piece * 300 + piece[: len(piece) // 2])


def test_what_is_no_loop_stays() -> None:
    for task in all_tasks():
        assert without_loop(task.example.answer) == (task.example.answer, 0)
    numbered = "\n".join(f"<Argument {number}>: Cars make people ill." for number in range(300))
    assert without_loop(numbered) == (numbered, 0)
    few = HEAD + "    <+ <Health>: Cars make the people of the town ill, year after year, and nobody does anything.\n" * (COPIES - 1)
    assert without_loop(few) == (few, 0)
    line = HEAD + "-" * (LEAST - 1)
    assert without_loop(line) == (line, 0)


pieces = st.text(min_size=1, max_size=LONGEST_PIECE)


@given(st.text(max_size=400), pieces, st.integers(1, 40))
def test_nothing_but_repetition_is_taken(head: str, piece: str, copies: int) -> None:
    text = head + piece * copies
    kept, cut = without_loop(text)
    assert text.startswith(kept) and len(kept) + cut == len(text)
    if cut:
        assert without_loop(kept + text[len(kept) :])[0] == kept
        rest = text[len(kept) :].strip()  # the white space at the end of what was kept is taken too
        periods = [period for period in range(1, LONGEST_PIECE + 1) if text.rstrip()[-len(rest) - period : -period] == rest]
        assert not rest or periods, "what was taken is a copy of what stands before it"
        assert cut >= LEAST * (COPIES - 1) // COPIES


@given(pieces.filter(lambda piece: len(piece.strip()) == len(piece)))
def test_every_long_loop_is_found(piece: str) -> None:
    kept, cut = without_loop("An answer. " + piece * (LEAST + COPIES))
    assert cut > 0 and len(kept) <= len("An answer. ") + 2 * len(piece)


def test_the_work_does_not_grow_faster_than_the_text() -> None:
    small, large = (lines_run(lambda size=size: without_loop("ab" * size)) for size in (10_000, 20_000))
    assert large < 2.2 * small
