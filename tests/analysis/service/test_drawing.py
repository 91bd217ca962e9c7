"""Maps laid out: nothing overlaps, arrows go up, cycles end, size is limited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.analysis.argdown import parse
from suasion.analysis.service.drawing import MOST_NODES, Box, draw
from suasion.errors import SuasionError


def boxes_of(text: str) -> dict[str, Box]:
    return {box.lines[0]: box for box in draw(parse(text)).boxes}


def test_what_is_argued_for_stands_above() -> None:
    boxes = boxes_of("[A]: Claim.\n    + <B>: Reason.\n        - <C>: Doubt.\n    - <D>: Other.")
    assert boxes["A"].y < boxes["B"].y < boxes["C"].y
    assert boxes["B"].y == boxes["D"].y
    assert boxes["A"].kind == "claim"
    assert boxes["B"].kind == "argument"
    assert boxes["A"].lines == ("A", "Claim.")
    assert boxes["A"].titles == 1


def test_long_texts_are_cut() -> None:
    box = boxes_of(f"[A]: {'long ' * 500}\n    + <B>")["A"]
    assert len(box.lines) == 7
    assert box.lines[-1].endswith("…")


def test_nothing_to_draw_is_an_empty_drawing() -> None:
    for text in ("", "[A]: alone", "\0", "not argdown at all"):
        assert draw(parse(text)).boxes == ()


def test_cycles_and_self_support_end() -> None:
    drawing = draw(parse("[A]\n    + [A]\n    + [B]\n        - [C]\n            + [A]"))
    assert len(drawing.boxes) == 3
    assert {arrow.type for arrow in drawing.arrows} == {"support", "attack"}


def test_large_maps_are_refused() -> None:
    text = "[A]\n" + "".join(f"    + <B{number}>\n" for number in range(MOST_NODES))
    with pytest.raises(SuasionError, match="201 nodes"):
        draw(parse(text))


@pytest.mark.timeout(30)
def test_a_deep_map_does_not_hang() -> None:
    text = "\n\n".join(f"[N{number}]\n    + [N{number + 1}]\n    - [N{(number * 7) % 150}]" for number in range(150))
    draw(parse(text))


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from("+-"), st.integers(0, 12)), max_size=40))
def test_boxes_never_overlap_and_all_is_inside(edges: list[tuple[int, str, int]]) -> None:
    drawing = draw(parse("\n\n".join(f"[N{one}]: Text of {one}.\n    {sign} [N{other}]" for one, sign, other in edges)))
    for number, one in enumerate(drawing.boxes):
        assert 0 <= one.x <= one.x + one.width <= drawing.width
        assert 0 <= one.y <= one.y + one.height <= drawing.height
        for other in drawing.boxes[number + 1 :]:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y
