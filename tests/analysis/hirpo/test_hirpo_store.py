from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.analysis.hirpo.rowlog import RowLog, rows
from suasion.analysis.hirpo.store import Said, Store, checked
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.errors import SuasionError

VERDICT = Verdict((Finding("map.missing", "There is no map.", 3, 1), Finding("limit.time", "Too long.", undecided=True)), {"checks": 0.5})

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(max_size=8), json_values, max_size=4), max_size=8))
def test_rows_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, written: list[dict[str, object]]) -> None:
    path = tmp_path_factory.mktemp("log") / "rows.jsonl"
    with RowLog(path) as log:
        begins = [log.append(row) for row in written]
        assert [log.read(place) for place in begins] == written
    assert list(rows(path)) == list(zip(begins, written, strict=True))


@given(st.integers(0, 200), st.integers(1, 5))
def test_a_log_torn_anywhere_loses_its_last_row_at_most(tmp_path_factory: pytest.TempPathFactory, cut: int, more: int) -> None:
    path = tmp_path_factory.mktemp("log") / "rows.jsonl"
    first = [{"number": number, "text": "ä\n" * number} for number in range(8)]
    with RowLog(path) as log:
        ends = [*[log.append(row) for row in first][1:], log.size]
    os.truncate(path, min(cut, log.size))
    whole = [row for row, end in zip(first, ends, strict=True) if end <= cut + 1]  # + 1: whether the line break is there does not matter
    assert [row for _, row in rows(path)] == whole
    with RowLog(path) as log:
        for number in range(more):
            log.append({"more": number})
    assert [row for _, row in rows(path)] == [*whole, *({"more": number} for number in range(more))]


def test_a_row_is_in_the_file_as_soon_as_it_is_appended(tmp_path: Path) -> None:
    with RowLog(tmp_path / "rows.jsonl") as log:
        log.append({"a": 1})
        assert [row for _, row in rows(log.path)] == [{"a": 1}]


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    log = RowLog(tmp_path / "rows.jsonl")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(SuasionError, match=r"(?s)Could not write.*rows\.jsonl"):
            for number in range(100):
                log.append({"number": number, "text": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
        log.close()
    with RowLog(log.path) as again:
        again.append({"number": "last"})
    numbers = [row["number"] for _, row in rows(log.path)]
    assert numbers[-1] == "last" and numbers[:-1] == list(range(len(numbers) - 1)) and len(numbers) > 5


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SuasionError, match="Could not write"):
        RowLog(tmp_path / "file" / "rows.jsonl")
    with pytest.raises(SuasionError, match="Cannot read"):
        list(rows(tmp_path))


def test_answers_and_verdicts_are_known_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with Store(path) as store:
        store.keep_said("argmap/1", "0", "asked", Said("a map", 12))
        store.keep_said("argmap/1", "1", "other", Said(None))
        store.keep_said("argmap/2", "0", "asked", Said("another"))
        store.keep_verdict("argmap/1", "0", VERDICT)
        before = store.known("argmap/1")
    with Store(path) as store:
        known = store.known("argmap/1")
        assert known == before and store.known("argmap/3").said == {}
    assert known.said == {"0": ("asked", Said("a map", 12)), "1": ("other", Said(None))}
    assert known.verdicts == {"a map": VERDICT}


def test_an_answer_to_another_question_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "answers.jsonl") as store:
        store.keep_said("argmap/1", "0", "asked", Said("a map"))
        known = store.known("argmap/1")
        assert checked(known, "0", "asked", store.path) == Said("a map") and checked(known, "1", "asked", store.path) is None
        with pytest.raises(SuasionError, match=r"other prompts"):
            checked(known, "0", "otherwise", store.path)


def test_a_verdict_whose_answer_was_lost_is_left_out(tmp_path: Path) -> None:
    with Store(tmp_path / "answers.jsonl") as store:
        store.keep_verdict("argmap/1", "0", VERDICT)
        assert store.known("argmap/1").verdicts == {}


def test_rows_changed_by_hand_are_told(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "argmap/1", "path": "0", "asked": "x"}\n[1]\nnonsense\n{"key": 3}\n')
    with Store(path) as store, pytest.raises(SuasionError, match="argmap/1"):
        store.known("argmap/1")


PEAK = """
import resource, sys
from pathlib import Path
from suasion.analysis.hirpo.store import Said, Store
from suasion.analysis.verification.findings import Verdict
with Store(Path(sys.argv[1])) as store:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(int(sys.argv[2])):
        store.keep_said(f"argmap/{number}", "0", "asked", Said(f"{number} " + "text " * 800))
        store.keep_verdict(f"argmap/{number}", "0", Verdict(()))
with Store(Path(sys.argv[1])) as store:
    for number in range(int(sys.argv[2])):
        assert store.known(f"argmap/{number}").said["0"][1].text.startswith(f"{number} ")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_memory_holds_places_and_no_texts(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PEAK, str(tmp_path / "a.jsonl"), "5000"], check=True, stdout=subprocess.PIPE, text=True)
    assert (tmp_path / "a.jsonl").stat().st_size > 20_000_000
    assert float(done.stdout) < 8
