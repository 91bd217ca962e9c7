from __future__ import annotations

import datetime
import multiprocessing
import threading
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.runs.names import claim, is_run_name
from suasion.runs.run import Run, open_run

DAY = datetime.date(2026, 11, 30)


def test_names_carry_date_kind_and_number(root: Path) -> None:
    assert [claim(root, kind, DAY).name for kind in ("SFT", "SFT", "GRPO")] == [
        "2026-11-30_SFT_Run1",
        "2026-11-30_SFT_Run2",
        "2026-11-30_GRPO_Run1",
    ]
    assert claim(root, "SFT", datetime.date(2026, 12, 1)).name == "2026-12-01_SFT_Run1"


def test_the_number_is_one_more_than_the_highest(root: Path) -> None:
    for number in (2, 10):
        (root / f"2026-11-30_SFT_Run{number}").mkdir(parents=True)
    (root / "2026-11-30_SFTx_Run99").mkdir()
    (root / "2026-11-30_SFT_Run11.bak").mkdir()
    assert claim(root, "SFT", DAY).name == "2026-11-30_SFT_Run11"


def test_a_file_of_that_name_is_taken_too(root: Path) -> None:
    root.mkdir()
    (root / "2026-11-30_SFT_Run1").write_text("")
    assert claim(root, "SFT", DAY).name == "2026-11-30_SFT_Run2"


@pytest.mark.parametrize("kind", ["", "a/b", "..", "S F", "Run_1", "é", "1A", "SFT\n"])
def test_a_kind_is_letters_and_digits(root: Path, kind: str) -> None:
    with pytest.raises(SuasionError, match="kind of a run"):
        claim(root, kind)
    assert not root.exists()


def test_a_root_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(SuasionError, match="Cannot make a folder"):
        claim(tmp_path / "runs", "SFT")


def test_only_whole_names_are_names() -> None:
    assert is_run_name("2026-11-30_SFT_Run1")
    assert not any(map(is_run_name, ["2026-11-30_SFT_Run0", "x2026-11-30_SFT_Run1", "2026-11-30_SFT_Run1 ", "2026-11-30_SFT"]))


def test_eight_threads_times_ten_names_are_eighty_names(root: Path) -> None:
    names: list[str] = []
    barrier = threading.Barrier(8)

    def take() -> None:
        barrier.wait()
        names.extend(claim(root, "SFT", DAY).name for _ in range(10))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names) == sorted(f"2026-11-30_SFT_Run{number}" for number in range(1, 81))


def _run_many(root: str, who: int, many: int, barrier, names) -> None:  # type: ignore[no-untyped-def]
    barrier.wait(60)
    for turn in range(many):
        with Run.start(Path(root), "SFT", config={"who": who, "turn": turn}) as run:
            for step in range(20):
                run.log(step, who=who, turn=turn)
            (run.path / "report.html").write_text("")  # drawing plots is not what is tested here
            run.results = {"who": who}
        names.put((run.name, who, turn))


@pytest.mark.parametrize(("processes", "many"), [(2, 1), (8, 3)])
def test_processes_that_ask_at_the_same_instant_lose_nothing(root: Path, processes: int, many: int) -> None:
    """The first accident: two experiments grabbed the same name, and one overwrote the other halfway through."""
    context = multiprocessing.get_context("spawn")
    barrier, names = context.Barrier(processes), context.Queue()
    workers = [context.Process(target=_run_many, args=(str(root), who, many, barrier, names)) for who in range(processes)]
    for worker in workers:
        worker.start()
    taken = [names.get(timeout=90) for _ in range(processes * many)]
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert len({name for name, _, _ in taken}) == processes * many
    for name, who, turn in taken:
        run = open_run(name, root)
        assert run.manifest.status == "done"
        assert run.manifest.results == {"who": who}
        assert run.manifest.arguments.passed == {"who": who, "turn": turn}
        assert run.metrics() == [{"step": step, "who": who, "turn": turn} for step in range(20)]
