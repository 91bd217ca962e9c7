from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.arena.rows import Outcome
from suasion.persuasion.arena.store import Store, open_store

Make = Callable[..., Path]


def answer_all(store: Store, rater: str, answer: str = "left") -> None:
    for item in store.items(rater):
        if not item.answered:
            store.record(item.id, rater, answer=answer)


def test_a_rater_gets_a_series_and_its_ballots_come_out(study: Make) -> None:
    with open_store(study(raters_per_premise=2, ballots_per_rater=8)) as store:
        rater = store.invite("Ann")
        items = store.items(rater.id)
        kinds = Counter(item.kind for item in items)
        assert kinds == {"practice": 2, "ballot": 8, "gibberish": 1, "repeat": 1}
        assert [item.place for item in items] == [-2, -1, *range(10)]
        assert len({item.premise for item in items if item.kind == "ballot"}) == 8
        repeated = next(item for item in items if item.kind == "repeat")
        first = next(item for item in items if item.kind == "ballot" and item.premise == repeated.premise)
        assert (repeated.left, repeated.right) == (first.right, first.left) and repeated.place >= first.place + 3
        answer_all(store, rater.id)
        ballots = store.ballots()
        assert [ballot.place for ballot in ballots] == list(range(10))
        assert not any(ballot.simulated for ballot in ballots)
        check = next(ballot for ballot in ballots if ballot.kind == "gibberish")
        assert (check.left, check.right) == ("", "") and check.expected in ("left", "right")
        texts = {reply.id: (reply.premise, reply.system, reply.words) for reply in store.replies()}
        for ballot in ballots:
            if ballot.kind == "ballot":
                assert texts[ballot.left_reply] == (ballot.premise, ballot.left, ballot.left_words)
                assert texts[ballot.right_reply] == (ballot.premise, ballot.right, ballot.right_words)
        assert store.done_of(rater.id) == (10, 10) and store.next_item(rater.id) is None


def test_a_gibberish_check_expects_the_sound_reply(study: Make) -> None:
    with open_store(study(raters_per_premise=4, ballots_per_rater=8)) as store:
        for _ in range(4):
            for item in store.items(store.invite().id):
                if item.kind in ("gibberish", "practice"):
                    assert (item.left if item.expected == "left" else item.right) in ("(sound)", "(better)")


def test_sides_are_half_and_half_and_differ_between_raters(study: Make) -> None:
    with open_store(study(premises=12, raters_per_premise=4, ballots_per_rater=12)) as store:
        series = []
        for _ in range(4):
            items = [item for item in store.items(store.invite().id) if item.kind == "ballot"]
            assert sum(item.left < item.right for item in items) == 6
            series.append([(item.premise, item.left) for item in items])
        assert len({tuple(one) for one in series}) == 4
        assert all(Counter(premise for premise, _ in one) == Counter(premise for premise, _ in series[0]) for one in series)


def test_the_same_seed_draws_the_same_study(study: Make) -> None:
    drawn = []
    for _ in range(2):
        with open_store(study(seed=3)) as store:
            drawn.append([(item.kind, item.premise_text, item.left, item.right) for item in store.items(store.invite().id)])
    assert drawn[0] == drawn[1]


def test_an_answer_is_stored_once_and_stays(study: Make) -> None:
    with open_store(study(strength=True)) as store:
        rater = store.invite().id
        item = store.items(rater)[3].id
        store.show(item)
        assert store.record(item, rater, answer="left", strength=2) is Outcome.STORED
        assert store.record(item, rater, answer="left", strength=2) is Outcome.AGAIN
        assert store.record(item, rater, answer="right", strength=2) is Outcome.OTHER
        (ballot,) = store.ballots()
        assert (ballot.answer, ballot.strength) == ("left", 2) and 0 <= ballot.seconds < 60


@pytest.mark.parametrize(
    "given",
    [
        {"answer": "both_bad"},
        {"answer": "middle"},
        {},
        {"answer": "left", "strength": 1},
        {"answer": "left", "after": 3},
        {"before": 1, "after": 1},
    ],
)
def test_what_the_study_does_not_ask_is_no_answer(study: Make, given: dict[str, object]) -> None:
    with open_store(study()) as store:
        rater = store.invite().id
        with pytest.raises(SuasionError, match="not an answer"):
            store.record(store.items(rater)[0].id, rater, **given)  # type: ignore[arg-type]
        assert store.items(rater)[0].answered is False


def test_change_of_view(study: Make) -> None:
    with open_store(study(design="change-of-view", scale=5)) as store:
        rater = store.invite().id
        items = store.items(rater)
        assert Counter(item.kind for item in items) == {"practice": 2, "ballot": 8, "instructed": 1}
        shown = Counter(item.left for item in items if item.kind == "ballot")
        assert max(shown.values()) - min(shown.values()) <= 1 and not any(item.right for item in items)
        for item in items:
            store.opinion_before(item.id, 4)
            store.opinion_before(item.id, 1)  # the back button: the first one counts
            with pytest.raises(SuasionError):
                store.record(item.id, rater, after=6)
            store.record(item.id, rater, after=2)
        ballots = store.ballots()
        assert all((ballot.before, ballot.after, ballot.answer, ballot.right) == (4, 2, "", "") for ballot in ballots)
        assert [ballot.expected for ballot in ballots if ballot.kind == "instructed"] == ["5"]


def test_another_raters_ballot_cannot_be_given(study: Make) -> None:
    with open_store(study()) as store:
        one, other = store.invite().id, store.invite().id
        with pytest.raises(SuasionError, match="no such ballot"):
            store.record(store.items(one)[0].id, other, answer="left")


def test_seats_run_out_and_a_revoked_ones_rest_is_given_on(study: Make) -> None:
    with open_store(study(raters_per_premise=1, ballots_per_rater=4)) as store:
        first, second = store.invite(), store.invite()
        assert store.seats_left() == 0
        with pytest.raises(SuasionError, match="Every seat"):
            store.invite()
        done = [item for item in store.items(first.id) if item.kind == "ballot"][:1]
        store.record(done[0].id, first.id, answer="left")
        store.revoke(first.id)
        store.revoke(first.id)
        with pytest.raises(SuasionError, match="taken back"):
            store.record(store.items(first.id)[-1].id, first.id, answer="left")
        third = store.invite()
        given = {item.premise for item in store.items(third.id) if item.kind == "ballot"}
        kept = {item.premise for item in store.items(second.id) if item.kind == "ballot"} | {done[0].premise}
        assert given | kept == set(store.premises()) and not given & kept


def test_a_closed_study_takes_no_more(study: Make) -> None:
    with open_store(study()) as store:
        rater = store.invite().id
        store.close_study()
        with pytest.raises(SuasionError, match="closed"):
            store.record(store.items(rater)[0].id, rater, answer="left")
        with pytest.raises(SuasionError, match="closed"):
            store.invite()


def test_simulated_raters_and_people_are_never_mixed(study: Make) -> None:
    with open_store(study()) as store:
        store.invite()
        with pytest.raises(SuasionError, match="never mixed"):
            store.mark_simulated("{}")
        with pytest.raises(sqlite3.IntegrityError, match="once and for all"), store._database.writing() as database:
            database.execute("INSERT INTO notes VALUES ('simulation', 'x')")
    with open_store(study()) as store:
        store.mark_simulated('{"noise": 1}')
        rater = store.invite()
        assert rater.simulated and store.simulation == '{"noise": 1}'
        answer_all(store, rater.id)
        assert store.ballots() and all(ballot.simulated for ballot in store.ballots())
        for statement in (
            "INSERT INTO raters (id, number, nickname, seat, simulated, invited_at) VALUES ('p', 99, '', 99, 0, 0)",
            "UPDATE raters SET simulated = 0",
            "UPDATE notes SET text = '' WHERE key = 'simulation'",
            "DELETE FROM notes WHERE key = 'simulation'",
        ):
            with pytest.raises(sqlite3.IntegrityError), store._database.writing() as database:
                database.execute(statement)


@pytest.mark.parametrize("statement", ["UPDATE ballots SET answer = 'right'", "DELETE FROM ballots"])
def test_a_ballot_can_be_neither_changed_nor_removed(study: Make, statement: str) -> None:
    with open_store(study()) as store:
        rater = store.invite().id
        answer_all(store, rater)
        with pytest.raises(sqlite3.IntegrityError, match="final"), store._database.writing() as database:
            database.execute(statement)


def test_many_threads_store_each_ballot_once(study: Make) -> None:
    folder = study(premises=10, raters_per_premise=8, ballots_per_rater=10)
    with open_store(folder) as store:
        raters = [store.invite().id for _ in range(8)]
        outcomes: Counter[Outcome] = Counter()
        lock = threading.Lock()

        def work(rater: str) -> None:
            for item in store.items(rater):
                outcome = store.record(item.id, rater, answer="left")
                with lock:
                    outcomes[outcome] += 1

        threads = [threading.Thread(target=work, args=(rater,)) for rater in raters * 2]  # every rater twice: two tabs
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            store.backup(folder / "copy.sqlite")
        items = 8 * len(store.items(raters[0]))
        assert outcomes == {Outcome.STORED: items, Outcome.AGAIN: items}
    copy = sqlite3.connect(folder / "copy.sqlite")
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert copy.execute("SELECT count(*) FROM ballots").fetchone()[0] <= items
    copy.close()


def test_a_bulk_is_all_or_nothing(study: Make) -> None:
    with open_store(study()) as store:
        rater = store.invite().id
        with pytest.raises(ZeroDivisionError), store.bulk():
            answer_all(store, rater)
            raise ZeroDivisionError
        assert store.ballots() == []
        with store.bulk():
            answer_all(store, rater)
        assert store.ballots()


def test_no_study_here(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no study here"):
        open_store(tmp_path)
    (tmp_path / "arena.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 100)
    with pytest.raises(SuasionError, match="cannot be opened"):
        open_store(tmp_path)
