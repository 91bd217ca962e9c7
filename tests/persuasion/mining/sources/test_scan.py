"""The scanner gives what ``read_block`` gives, for every input; and takes plain lines itself, or it would be of no use."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.chunks import Chunks, part_of
from suasion.persuasion.mining.debates import READ_COMMENTS
from suasion.persuasion.mining.sources import machine, scanner
from suasion.persuasion.mining.sources.columns import Batch, read_block
from suasion.persuasion.mining.sources.lines import MAX_LINE, Reading
from suasion.persuasion.mining.sources.scanner import Scanner
from suasion.persuasion.mining.workers import BLOCK, Readers

pytest.importorskip("numba", reason="the extra 'fast' is not installed")

REAL = Path("../shared/data/cmv/full-threads/changemyview_comments.ndjson")
PLAIN = {
    "author": "ann",
    "body": "A thought.",
    "created_utc": 1500000000,
    "distinguished": None,
    "edited": False,
    "id": "c1",
    "is_submitter": False,
    "link_id": "t3_p1",
    "parent_id": "t3_p1",
    "score": 3,
    "subreddit": "changemyview",
}


@pytest.fixture(scope="module")
def one() -> Scanner:
    functions = machine.functions()
    assert functions is not None
    return Scanner(functions)


def told(batches: Sequence[Batch]) -> tuple[Any, ...]:
    comments = pa.Table.from_batches([one for batch in batches for one in batch.comments], READ_COMMENTS)
    comments.validate(full=True)
    reading = Reading()
    for batch in batches:
        reading.lines.update(batch.reading.lines)
        reading.mended.update(batch.reading.mended)
    return (
        comments.to_pylist(),
        [row for batch in batches for posts in batch.posts for row in posts.to_pylist()],
        [one for batch in batches for one in batch.labels],
        reading,
    )


def check(one: Scanner, lines: Sequence[bytes], subreddit: str | None = "changemyview") -> list[dict[str, Any]]:
    """A block gives what its lines give one by one the other way; also if others follow, so that they are not the last in the block."""
    pieces = [piece for whole in lines for piece in whole.split(b"\n")]
    singly, more = ([read_block(memoryview(piece), subreddit) for piece in some] for some in (pieces, [line(), line()]))
    assert told([one.read(memoryview(b"\n".join(pieces)), subreddit)]) == told(singly)
    assert told([one.read(memoryview(b"\n".join([*pieces, line(), line(), b""])), subreddit)]) == told([*singly, *more])
    return list(told(singly)[0])


def line(**other: Any) -> bytes:
    return json.dumps(PLAIN | other).encode()


def raw(old: str, new: str) -> bytes:
    """The plain line with a piece of its text replaced."""
    text = json.dumps(PLAIN, separators=(",", ":"))
    assert old in text
    return text.replace(old, new).encode("utf-8", "surrogateescape")


TAKEN = [
    line(),
    json.dumps(PLAIN, separators=(",", ":")).encode(),
    raw('"score":3', ' "score"\t: 3 ') + b" \r",
    line(body='é "quoted" \\ / \n\t\b\f\r 😀 ∆ & more'.replace("& more", "&amp; &gt; &lt;")),
    json.dumps(PLAIN | {"body": "é ∆ 😀 ’"}, ensure_ascii=False).encode(),
    raw("A thought.", "\\/\\u00e9\\u2206\\ud83d\\ude00\\u0000"),
    raw("A thought.", ""),
    raw("A thought.", "&amp;#8710; &amp;amp;delta;"),
    raw("A thought.", "so !delta !Delta !DELTA! !d ! !!delta"),
    raw("A thought.", "!del\\u0074a"),
    raw('"ann"', "null"),
    raw('"ann"', '""'),
    raw("ann", 'a\\"n\\u00fcn'),
    raw('"distinguished":null', '"distinguished":"moderator"'),
    raw('"distinguished":null', '"distinguished":""'),
    raw("1500000000", '"1500000000"'),
    raw("1500000000", "0"),
    raw("1500000000", "-5"),
    raw("1500000000", "null"),
    raw('"score":3', '"score":null'),
    raw('"score":3', '"score":-12'),
    raw('"score":3', '"score":-0'),
    raw('"score":3', '"score":999999999999999999'),
    raw('"score":3', '"score":1,"score":2'),
    raw('"score":3', '"score":1,"score":null'),
    raw('"body":"A thought."', '"body":"!delta","body":"none"'),
    raw('"edited":false', '"edited":1400000000'),
    raw('"edited":false', '"edited":1400000000.0'),
    raw('"edited":false', '"edited":0.00'),
    raw('"edited":false', '"edited":true'),
    raw('"edited":false', '"edited":null'),
    raw('"is_submitter":false', '"is_submitter":true'),
    raw('"subreddit":"changemyview"', '"subreddit":null'),
    raw('"subreddit":"changemyview"', '"subreddit":"ChangeMyView"'),
    raw('"parent_id":"t3_p1"', '"parent_id":"t1_c0"'),
    raw('"id":"c1"', '"id":"t1_c1"'),
    raw("c1", "c" * 200),
    raw('"score":3', '"score":3,"media":{"id":"no","body":["no",{"author":"no"},[]],"x":{},"y":"\\"}"},"z":[1.5,-2,true,null,"]"]'),
    raw('"score":3', '"score":3,"z":' + "[" * 40 + "]" * 40),
    raw('"score":3', f'"score":3,"{"k" * 70}":1'),
    raw('"score":3', '"score":3,"permalink":"\udcff\udcc3"'),  # no UTF-8 where nobody reads it: msgspec does not look either
    raw('"id":"c1"', '"ids":"c2","i":"c3","id":"c1","id_":"c4","":"c5"'),
]
LEFT = [
    b"",
    b" ",
    b"\xef\xbb\xbf" + line(),
    b"{}",
    b"{" + line(),
    line() + b"}",
    line() + line(),
    line()[:-1],
    line()[:-1] + b",}",
    b"[1]",
    raw("A thought.", "&quot; &#39; AT&T"),
    raw("A thought.", "\\u0026gt;"),
    raw("A thought.", "&g\\u0074;"),
    raw("A thought.", "\\u0021delta"),
    raw("A thought.", "\\ud83d"),
    raw("A thought.", "\\ude00"),
    raw("A thought.", "\\ud83d\\u0041"),
    raw("A thought.", "\\x"),
    raw("A thought.", "\\u12g4"),
    raw("A thought.", "a\tb"),
    raw("A thought.", "\udcff"),
    raw("A thought.", "\udcc0\udc80"),
    raw("A thought.", "\udced\udca0\udc80"),
    raw("A thought.", "\udce2\udc88"),
    raw("A thought.", "\udcf4\udc90\udc80\udc80"),
    raw('"A thought."', "null"),
    raw('"A thought."', "3"),
    raw('"body"', '"b\\u006fdy"'),
    raw('"body":"A thought.",', ""),
    raw('"link_id":"t3_p1",', ""),
    raw('"link_id":"t3_p1"', '"link_id":"t3_"'),
    raw('"parent_id":"t3_p1"', '"parent_id":"p1"'),
    raw('"id":"c1"', '"id":"","name":"t1_c1"'),
    raw('"id":"c1"', '"id":"t1_","name":"t1_c1"'),
    raw('"id":"c1"', '"id":"c1","name":"\udcff"').replace(b"t3_p1", b"p1"),
    raw('"id":"c1"', '"id":null,"name":"t1_c1"'),
    raw("1500000000", "1500000000.5"),
    raw("1500000000", "15e8"),
    raw("1500000000", '"1500000000"x'),
    raw("1500000000", '"9007199254740993"'),
    raw('"score":3', '"score":03'),
    raw('"score":3', '"score":9223372036854775807'),
    raw('"score":3', '"score":-9223372036854775808'),
    raw('"score":3', '"score":9223372036854775808'),
    raw('"score":3', '"score":true'),
    raw('"score":3', '"score":"3'),
    raw('"edited":false', '"edited":"false"'),
    raw('"edited":false', '"edited":1.'),
    raw('"edited":false', '"edited":1e-400'),
    raw('"edited":false', '"edited":fals'),
    raw('"is_submitter":false', '"is_submitter":1'),
    raw('"subreddit":"changemyview"', '"subreddit":"aww"'),
    raw('"subreddit":"changemyview"', '"subreddit":"changemyviev"'),
    raw('"score":3', '"score":3,"z":[1,]'),
    raw('"score":3', '"score":3,"z":{"a":1,}'),
    raw('"score":3', '"score":3,"z":{"a"}'),
    raw('"score":3', '"score":3,"z":[}'),
    raw('"score":3', '"score":3,"z":nul'),
    raw('"score":3', '"score":3,"z":"\\ud800"'),
    raw('"score":3', '"score":3,"z":1e999'),
    raw('"score":3', '"score":3,"z":' + "[" * 70 + "]" * 70),
    json.dumps({"id": "p1", "title": "CMV", "selftext": "A view.", "author": "ann", "subreddit": "changemyview"}).encode(),
]


@pytest.mark.parametrize(("lines", "taken"), [(TAKEN, True), (LEFT, False)])
def test_what_is_taken_and_what_is_left(one: Scanner, monkeypatch: pytest.MonkeyPatch, lines: list[bytes], taken: bool) -> None:
    seen: list[bytes] = []
    read_one = scanner.read_one
    monkeypatch.setattr(scanner, "read_one", lambda data, *others: seen.append(data) or read_one(data, *others))
    for number, data in enumerate(lines):
        seen.clear()
        check(one, [data])
        assert bool(seen) is not taken, (number, data)
    check(one, lines)


def test_values(one: Scanner) -> None:
    """Against what they should be, and not only against the other way."""
    data = raw("A thought.", "&gt; caf\\u00e9 \\ud83d\\ude00 &amp;#8710;\\n").replace(b"null", b'"moderator"')
    (row,) = check(one, [data])
    assert row == {
        "comment_id": "c1",
        "debate_id": "p1",
        "parent_id": "p1",
        "parent_is_post": True,
        "author": "ann",
        "text": "> café 😀 &#8710;\n",
        "created_utc": 1500000000,
        "score": 3,
        "edited": False,
        "distinguished": "moderator",
        "by_submitter": False,
        "token": True,
    }


WORDS = st.sampled_from(
    ["", "a", "t1_", "t3_", "t3_p1", "changemyview", "false", "1500000000", "!delta", "&gt;", "&quot;", "Δ", "\x00", "é" * 40]
)
TEXTS = st.one_of(WORDS, st.text(st.characters(codec="utf-8"), max_size=90), st.lists(WORDS, max_size=8).map("".join))
NUMBERS = st.one_of(st.integers(-(2**65), 2**65), st.integers(-3, 3), st.floats(allow_nan=False, allow_infinity=False))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
KEYS = st.one_of(st.sampled_from([*PLAIN, "name", "title", "selftext", "children", "kind"]), TEXTS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)), max_leaves=12
)
OBJECTS = st.one_of(
    st.dictionaries(KEYS, VALUES, max_size=8),
    st.builds(lambda some, keys: {key: (PLAIN | some)[key] for key in keys}, st.dictionaries(KEYS, VALUES, max_size=3), st.just([*PLAIN])),
    st.builds(lambda some, body: {**some, **PLAIN, "body": body}, st.dictionaries(TEXTS, VALUES, max_size=6), TEXTS),
)


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """An object as JSON in one of the ways that it may be written."""
    spaces = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
    return json.dumps(draw(OBJECTS), ensure_ascii=draw(st.booleans()), separators=spaces).encode()


@settings(deadline=None, max_examples=300)
@given(lines=st.lists(written(), max_size=6), subreddit=st.sampled_from(["changemyview", "ChangeMyView", "é", "", None]))
def test_any_object_is_read_the_same(one: Scanner, lines: list[bytes], subreddit: str | None) -> None:
    check(one, lines, subreddit)


@settings(deadline=None, max_examples=500)
@given(
    data=st.one_of(st.sampled_from(TAKEN), written()),
    changes=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 3), st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"}", b","])), max_size=4
    ),
)
@example(data=TAKEN[0], changes=[(1.0, 0, b"\n")])
def test_broken_lines_are_read_the_same(one: Scanner, data: bytes, changes: list[tuple[float, int, bytes]]) -> None:
    """Bytes left out, put in and replaced; beside whole lines, from which the broken one must not learn."""
    broken = data
    for where, left_out, put_in in changes:
        place = int(where * len(broken))
        broken = broken[:place] + put_in + broken[place + left_out :]
    check(one, [data, broken, data, broken])


@settings(deadline=None, max_examples=60)
@given(lines=st.lists(st.sampled_from(TAKEN + LEFT), max_size=40), cut=st.integers(0, 100))
def test_lines_of_all_kinds_in_any_order(one: Scanner, lines: list[bytes], cut: int) -> None:
    """What is skipped because it stood in the line before is the same all the same. And blocks may end anywhere."""
    check(one, b"\n".join(lines)[: -cut or None].split(b"\n"))


def test_strings_of_every_length_around_what_is_read_at_once(one: Scanner) -> None:
    lines = [
        line(body="x" * size + end, author="y" * size, other="z" * size) for size in range(140) for end in ("", "\n", "é", "&amp;", '"')
    ]
    random.Random(0).shuffle(lines)
    assert len(check(one, lines)) == len(lines)


def test_copies_stay_in_order_and_comments_are_dealt(one: Scanner) -> None:
    """Of copies the first counts: so an unusual line must stay where it is among the others."""
    lines = [line(id=f"c{number}", link_id=f"t3_p{number % 7}", score=number if number % 3 else float(number)) for number in range(50)]
    data = memoryview(b"\n".join(lines))
    functions = machine.functions()
    assert functions is not None
    dealing = Scanner(functions, lambda ids: part_of(ids, 4))
    ours, theirs = (pa.Table.from_batches(batch.comments) for batch in (dealing.read(data, None), read_block(data, None)))
    parts = part_of(ours["debate_id"], 4)
    assert (np.diff(parts) >= 0).all() and len(set(parts)) > 1
    order = np.argsort(part_of(theirs["debate_id"], 4), kind="stable")
    assert ours.to_pylist() == theirs.take(pa.array(order)).to_pylist()


def test_full_tables_are_emptied_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "_ROWS", 8)
    monkeypatch.setattr(scanner, "_UNUSUAL", 4)
    functions = machine.functions()
    assert functions is not None
    small = Scanner(functions)
    generator = random.Random(1)
    lines = [generator.choice([line(id=f"c{number}"), line(id=f"c{number}", score=1.5), b"nothing"]) for number in range(200)]
    batch = small.read(memoryview(b"\n".join(lines)), None)
    assert len(batch.comments) > 10
    check(small, lines)


def test_a_line_that_is_too_long(one: Scanner) -> None:
    fits, does_not = (line(body="x" * (MAX_LINE - len(line(body="")) + more)) for more in (0, 1))
    assert len(fits) == MAX_LINE
    assert len(check(one, [fits, does_not])) == 1


@pytest.mark.skipif(not REAL.is_file(), reason="no ../shared/data")
def test_real_comments_are_plain(one: Scanner, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = REAL.read_bytes().splitlines()
    rows = check(one, lines)
    assert len(rows) > 1900
    left: list[bytes] = []
    read_one = scanner.read_one
    monkeypatch.setattr(scanner, "read_one", lambda data, *others: left.append(data) or read_one(data, *others))
    one.read(memoryview(b"\n".join(lines)), "changemyview")
    assert len(left) < len(lines) / 100


def test_threads_write_the_chunks_that_one_process_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump = tmp_path / "dump.ndjson"
    lines = [line(id=f"c{number}", link_id=f"t3_p{number % 97}", body="word " * 400) for number in range(3 * BLOCK // 2000)]
    dump.write_bytes(b"\n".join([*lines, b"no line", *lines[:5]]))
    totals, tables = [], []
    for workers in (0, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        chunks = Chunks(folder, 4)
        readers = Readers(chunks, workers)
        reading, _ = readers.read(dump, "000", None, lambda size: None)
        readers.finish()
        readers.close()
        totals.append((chunks.totals(), reading))
        tables.append({path.name: pa.ipc.open_file(str(path)).read_all() for path in sorted(folder.glob("*.arrow"))})
    assert totals[0] == totals[1]
    assert len(tables[0]) > 2 and tables[0].keys() == tables[1].keys()
    assert all(tables[0][name].equals(tables[1][name]) for name in tables[0])


def test_without_llvm_there_is_no_scanner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "llvmlite", None)
    assert machine.functions.__wrapped__() is None


def test_a_scanner_that_does_not_work_is_said_and_done_without(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*others: Any) -> bytes:
        raise RuntimeError("no such processor")

    monkeypatch.setattr(machine, "_kept", lambda path: None)
    monkeypatch.setattr(machine, "_compiled", fail)
    assert machine.functions.__wrapped__() is None
    assert "no such processor" in capsys.readouterr().err


def test_what_is_kept_is_used_only_if_it_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "new" / "scanner.o"
    assert machine._kept(path) is None
    machine._keep(path, b"code")
    assert machine._kept(path) == b"code"
    for damaged in (b"", path.read_bytes()[:-1], path.read_bytes() + b"x"):
        path.write_bytes(damaged)
        assert machine._kept(path) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    machine._keep(tmp_path / "file" / "scanner.o", b"code")
    assert machine._kept(tmp_path / "file" / "scanner.o") is None


def test_reading_keeps_nothing_of_the_block_before(one: Scanner) -> None:
    for text in ("first", "second"):
        batch = one.read(memoryview(line(body=text) + b"\nnothing"), None)
        assert [row["text"] for row in told([batch])[0]] == [text]
        assert batch.reading.lines == {"read": 2, "not JSON": 1}
