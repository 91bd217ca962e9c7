"""Inline data and front matter: YAML that can do no harm, and a quick reader that agrees with the YAML library."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.analysis.argdown import parse
from suasion.analysis.argdown.data import DEEPEST, LARGEST, _Loader, read_data
from suasion.analysis.argdown.flow import read_flow

_SCALARS = st.one_of(
    st.sampled_from(["a", "modus ponens", "p -> q", "all x.(F(x) -> G(x))", "no", "yes", "true", "null", "1", "007", "1.5"]),
    st.sampled_from(["'1'", "'it''s'", '"x"', '"a, b: c"', "'{'", '"}"', "''", "a: b", "#x", "x #y", "*a", "&a", "!t", "%", "@"]),
    st.sampled_from(["`", "?", "- a", "it''s"]),
)
_FLOW = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(_SCALARS, inner), max_size=3).map(lambda pairs: "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"),
    ),
    max_leaves=6,
)
_MAPPINGS = st.lists(st.tuples(st.sampled_from(["a", "from", "'q'", "1", "true", "a b"]), _FLOW), max_size=3).map(
    lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
)


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(_MAPPINGS)
def test_the_quick_reader_says_what_the_library_says_or_gives_up(raw: str) -> None:
    quick = read_flow(raw)
    if quick is not None:
        assert quick == yaml.load(raw, Loader=_Loader)  # noqa: S506 - a SafeLoader


def test_the_quick_reader_reads_what_is_frequent() -> None:
    logic = "{formalization: 'p -> q', declarations: {'p': 'dogs', 'q': \"cats\"}}"
    for raw in ("{from: ['1', '2']}", logic, "{}", "{a: 1, b: [c d, {e: f}]}"):
        assert read_flow(raw) is not None


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("{a: no, b: off, c: y}", {"a": "no", "b": "off", "c": "y"}),
        ("{a: true, b: null, c: ~}", {"a": True, "b": None, "c": None}),
        ("{a: 010, b: 1:30, c: 2020-01-01}", {"a": "010", "b": "1:30", "c": "2020-01-01"}),
        ("{\na: 1\nb:\n  - x\n  - y: z\n}", {"a": 1, "b": ["x", {"y": "z"}]}),
        ('{"a": "}", \'b\': "{"}', {"a": "}", "b": "{"}),
        ('{a: "say \\"so\\""}', {"a": 'say "so"'}),
        ("{a: ∀x}", {"a": "∀x"}),
    ],
)
def test_values(raw: str, value: Any) -> None:
    assert read_data(raw) == (value, None)
    document = parse(f"[A]: x {raw}\n\n[B]: y")
    assert (document.errors, document.claims["A"].data, list(document.claims)) == ((), value, ["A", "B"])


BROKEN = ["{a, b: [}", "{a: b: c}", "{a: 1, a: 2}", "{'a}", "{a: !!python/object:os.system x}", '{a: "\\q"}', "{a: @x}", "{a: 1}}"]


@pytest.mark.parametrize("raw", BROKEN)
def test_broken_data_is_an_error_and_never_a_part_of_the_text(raw: str) -> None:
    document = parse(f"[A]: x {raw}")
    assert [error.code for error in document.errors] in (["data"], ["data-not-closed"], ["text-after-data"])


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_aliases_are_refused_before_anything_is_built() -> None:
    inline = parse(f"[A]: x {{\n{bomb(12)}\n}}")
    front = parse(f"===\n{bomb(12)}\n===\n\n[A]: x")
    assert [error.code for error in (*inline.errors, *front.errors)] == ["data", "front-matter"]
    assert "aliases" in inline.errors[0].message


@pytest.mark.parametrize("form", ["{{a: {0}}}", "{{\na: {0}\n}}"], ids=["flow", "block"])
def test_deep_nesting_is_refused(form: str) -> None:
    for depth in (DEEPEST + 1, 10_000):
        document = parse("[A]: x " + form.format("[" * depth + "]" * depth))
        assert [error.code for error in document.errors] == ["data"]
        assert "nested" in document.errors[0].message
    assert not parse("[A]: x " + form.format("[" * 10 + "]" * 10)).errors


def test_large_data_is_refused() -> None:
    document = parse("[A]: x {a: ∀ " + "y" * LARGEST + "}")
    assert [error.code for error in document.errors] == ["data"]
    assert f"{LARGEST:,}" in document.errors[0].message
