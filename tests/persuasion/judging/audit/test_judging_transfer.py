from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.audit.transfer import leave_one_out, sampled, topic_of, transfer_pairs
from suasion.persuasion.judging.audit.ukpconvarg import ARGUMENTS, STRICT
from suasion.persuasion.judging.judge import RULES, word_count
from tests.nano import write_pairs

FOLD, TOPIC, STANCE = "is-tea-good_yes-it-is", "Is tea good", "Yes it is"
#: (id, text) of both arguments, and which of them convinced
ROWS = [
    (("11", 'Tea is "good", & cheap.'), ("12", "I like it\nvery much <3"), "a1"),
    (("12", "I like it\nvery much <3"), ("13", "No."), "a2"),
    (("11", 'Tea is "good", & cheap.'), ("13", "No."), "equal"),
]
EXPECTED = [("11", "12"), ("13", "12")]


def write_xml(folder: Path, body: str | None = None) -> Path:
    def pair(one: tuple[str, str], other: tuple[str, str], label: str) -> str:
        sides = "".join(
            f"<arg{n}><stance>{STANCE}</stance><text>{escape(text)}</text><id>arg{name}</id></arg{n}>"
            for n, (name, text) in enumerate((one, other), 1)
        )
        about = f"<debateMetaData><title>{TOPIC}</title></debateMetaData>"
        return (
            f"<annotatedArgumentPair><id>arg{one[0]}_arg{other[0]}</id>{sides}{about}<goldLabel>{label}</goldLabel></annotatedArgumentPair>"
        )

    content = "".join(pair(*row) for row in ROWS) if body is None else body
    (folder / f"{FOLD}.xml").write_text(f'<?xml version="1.0"?>\n<list>{content}</list>', encoding="utf-8")
    return folder


def write_csv(folder: Path, *more: str) -> Path:
    lines = ["#id\tlabel\ta1\ta2"]
    for (one, first), (other, second), label in ROWS:
        lines.append("\t".join((f"arg{one}_arg{other}", label, *(text.replace("\n", " <br/> ") for text in (first, second)))))
    (folder / f"{FOLD}.csv").write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    return folder


def write_compact(folder: Path) -> Path:
    arguments = {name: text for one, other, _ in ROWS for name, text in (one, other)}
    about = {"fold": FOLD, "topic": TOPIC, "stance": STANCE}
    rows = [{"arg_id": name, "text": text} | about for name, text in arguments.items()]
    (folder / ARGUMENTS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    pairs = [{"fold": FOLD, "winner": winner, "loser": loser} for winner, loser in EXPECTED]
    (folder / STRICT).write_text("".join(json.dumps(row) + "\n" for row in pairs))
    return folder


@pytest.mark.parametrize("write", [write_xml, write_csv, write_compact])
def test_the_three_forms_of_ukpconvarg_give_the_same_pairs(write: object, tmp_path: Path) -> None:
    write(tmp_path)  # type: ignore[operator]
    pairs = transfer_pairs(tmp_path)
    texts = {name: text for one, other, _ in ROWS for name, text in (one, other)}
    assert [(pair.winner_id, pair.loser_id) for pair in pairs] == EXPECTED
    assert [(pair.winner, pair.loser) for pair in pairs] == [(texts[winner], texts[loser]) for winner, loser in EXPECTED]
    assert {pair.debate_id for pair in pairs} == {FOLD}
    assert [pair.premise.lower() for pair in pairs] == ["is tea good\n\nyes it is"] * 2


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        (ARGUMENTS, "{", "Line 1"),
        (ARGUMENTS, "[]\n", "Line 1"),
        (ARGUMENTS, '{"arg_id": "11", "fold": "f", "topic": "t", "stance": "s", "text": 7}\n', "no text in text"),
        (ARGUMENTS, "", "does not hold"),
        (STRICT, '{"fold": "f", "winner": "11", "loser": "99"}\n', "line 1 names an argument"),
        (STRICT, "", "no pair of two different texts"),
        (STRICT, "\xff".encode("latin-1"), "Cannot be read as text"),
    ],
)
def test_what_is_wrong_with_the_compact_form_is_told(file: str, content: str | bytes, told: str, tmp_path: Path) -> None:
    write_compact(tmp_path)
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SuasionError, match=told):
        transfer_pairs(tmp_path)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("arg1_arg2\ta1\tonly one text", "3 columns"),
        ("arg1_arg2\ta3\tone\ttwo", "labelled a1, a2 or equal"),
        ("arg1\ta1\tone\ttwo", "labelled a1, a2 or equal"),
    ],
)
def test_what_is_wrong_with_the_csv_is_told(line: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match=told):
        transfer_pairs(write_csv(tmp_path, line))


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 99}">' for n in range(9))


@pytest.mark.parametrize(
    "content",
    [
        "<list><annotatedArgumentPair><id>arg1_arg2</id></annotatedArgumentPair></list>",
        "<list><annotatedArgumentPair>",
        f"<!DOCTYPE list [{BOMB}]><list><annotatedArgumentPair><id>&e8;</id></annotatedArgumentPair></list>",
        '<!DOCTYPE list [<!ENTITY x SYSTEM "file:///etc/hostname">]><list><annotatedArgumentPair><id>&x;</id></annotatedArgumentPair></list>',
    ],
    ids=["incomplete", "torn", "entities that blow up", "a file from outside"],
)
def test_xml_that_is_torn_or_hostile_is_refused(content: str, tmp_path: Path) -> None:
    head = "<!-- <annotatedArgumentPair> -->"
    (tmp_path / "a.xml").write_text(head + content)
    with pytest.raises(SuasionError, match="not the XML of UKPConvArg1"):
        transfer_pairs(tmp_path)


@given(
    form=st.sampled_from(["jsonl", "csv", "xml"]),
    content=st.binary(max_size=80) | st.text(alphabet='{}[]":,a12\t\n<>/&;', max_size=80).map(str.encode),
)
def test_any_content_gives_pairs_or_is_told(form: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if form == "jsonl":
            write_compact(folder)
            (folder / STRICT).write_bytes(content)
        elif form == "csv":
            (folder / "a_b.csv").write_bytes(b"#id\tlabel\ta1\ta2\n" + content)
        else:
            (folder / "a.xml").write_bytes(b"<list><annotatedArgumentPair>" + content)
        with pytest.raises(SuasionError):
            transfer_pairs(folder)


def test_half_an_emoji_is_made_whole(tmp_path: Path) -> None:
    write_compact(tmp_path)
    text = (tmp_path / ARGUMENTS).read_text().replace("very much", "very \\ud83d much")
    (tmp_path / ARGUMENTS).write_text(text)
    pairs = transfer_pairs(tmp_path)
    assert any("very ? much" in pair.loser for pair in pairs)


def test_a_folder_of_suasion_pairs_gives_its_test_split(tmp_path: Path) -> None:
    pairs = transfer_pairs(write_pairs(tmp_path, test=4))
    assert [pair.debate_id for pair in pairs] == ["test0", "test1", "test2", "test3"]


def test_a_ready_table_gives_its_pairs_as_they_stand(tmp_path: Path) -> None:
    rows = [{"prompt": f"View {i}.", "chosen": f"short {i}", "rejected": f"a much longer answer, number {i}"} for i in range(3)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for path in (tmp_path, tmp_path / "pairs.jsonl"):
        assert {(pair.premise, pair.winner, pair.loser) for pair in transfer_pairs(path)} == {
            (f"View {i}.", f"short {i}", f"a much longer answer, number {i}") for i in range(3)
        }


@pytest.mark.parametrize("made", ["nothing", "empty folder", "other file"])
def test_what_is_no_transfer_set_is_told(made: str, tmp_path: Path) -> None:
    path = tmp_path / "set"
    if made == "empty folder":
        path.mkdir()
    elif made == "other file":
        path.write_text("Dear diary,\n")
    with pytest.raises(SuasionError, match="no such transfer set" if made == "nothing" else "no transfer set"):
        transfer_pairs(path)


def some_pairs(debates: list[int]) -> list[Pair]:
    return [Pair(f"d{debate}", f"Topic {debate % 2}\n\nside", f"w{i}", "a", f"l{i}", "b") for i, debate in enumerate(debates)]


@given(debates=st.lists(st.integers(0, 5), max_size=40), limit=st.integers(1, 50), seed=st.integers(0, 9))
def test_a_sample_is_even_over_debates_in_order_and_seeded(debates: list[int], limit: int, seed: int) -> None:
    pairs = some_pairs(debates)
    chosen = sampled(pairs, limit, seed)
    places = [pairs.index(pair) for pair in chosen]
    assert len(chosen) == min(limit, len(pairs)) and places == sorted(set(places))
    assert chosen == sampled(pairs, limit, seed)
    there, taken = Counter(pair.debate_id for pair in pairs), Counter(pair.debate_id for pair in chosen)
    most = max(taken.values(), default=0)
    assert all(taken[name] >= min(there[name], most - 1) for name in there)


def test_samples_of_two_seeds_differ() -> None:
    pairs = some_pairs([0] * 30)
    assert sampled(pairs, 10, 0) != sampled(pairs, 10, 1)


@given(debates=st.lists(st.integers(0, 5), max_size=30))
def test_each_group_is_the_test_once_and_never_trained_on_then(debates: list[int]) -> None:
    pairs = some_pairs(debates)
    for group in (lambda pair: pair.debate_id, topic_of):
        tested: list[Pair] = []
        for name, train, test in leave_one_out(pairs, group):
            assert {group(pair) for pair in test} == {name} and name not in {group(pair) for pair in train}
            assert len(train) + len(test) == len(pairs)
            tested += test
        assert sorted(pair.winner_id for pair in tested) == sorted(pair.winner_id for pair in pairs)


def test_ukpconvarg_has_the_numbers_it_was_published_with(shared_data: Path) -> None:
    if not (shared_data / "ukpconvarg").is_dir():
        pytest.skip("needs ../shared/data/ukpconvarg")
    pairs = transfer_pairs(shared_data / "ukpconvarg")
    assert len(pairs) == 11_650 and len({pair.debate_id for pair in pairs}) == 32 and len({topic_of(pair) for pair in pairs}) == 16
    correct = score_pairs(RULES["longest"], pairs).correct
    assert round(correct.mean(), 3) == 0.760
    alike = [abs(math.log(word_count(pair.winner) / word_count(pair.loser))) <= math.log(1.15) for pair in pairs]
    assert round(correct[np.asarray(alike)].mean(), 2) == 0.54  # longer is no better where lengths are about equal
    assert max(Counter(pair.debate_id for pair in sampled(pairs, 500, 0)).values()) == 16


def test_the_pair_task_of_tan_et_al_is_read(shared_data: Path) -> None:
    place = shared_data / "cmv" / "tan2016-sample"
    if not place.is_dir():
        pytest.skip("needs ../shared/data/cmv/tan2016-sample")
    pairs = transfer_pairs(place)
    assert len(pairs) == 28
    assert transfer_pairs(place / "pair_task") == pairs
