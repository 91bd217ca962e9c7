"""Who is invited, how far they are, and their links: for the command line and the admin page alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suasion.errors import SuasionError
from suasion.persuasion.arena.invite import rater_link
from suasion.persuasion.arena.rows import Rater
from suasion.persuasion.arena.store import Store


def invite_all(store: Store, nicknames: Sequence[str], revoked: Sequence[int] = ()) -> None:
    """Take back the links of these numbers, then make one for each nickname (which may be empty): all of it or nothing.

    Raises:
        SuasionError: no such number, not enough seats, a closed study, or one with simulated raters.
    """
    numbers = {rater.number: rater.id for rater in store.raters()}
    with store.bulk():
        for number in revoked:
            if number not in numbers:
                raise SuasionError(f"There is no rater number {number}.", where=store.folder, hint="List them with `suasion arena invite`.")
            store.revoke(numbers[number])
        if nicknames and store.simulation:
            raise SuasionError("This study is simulated; people are never mixed in.", where=store.folder, hint="Make a study for people.")
        if len(nicknames) > (free := store.seats_left()):
            what = f"The design has {free} free seat{'' if free == 1 else 's'}, not {len(nicknames)}."
            raise SuasionError(what, where=store.folder, hint="Revoke an invitation that is not used, or make a study with more raters.")
        for nickname in nicknames:
            store.invite(nickname)


def listed(store: Store, address: str) -> list[dict[str, Any]]:
    """Everybody, with number, nickname, how much is answered, state and link (none where it was taken back)."""
    return [_row(store, rater, address) for rater in store.raters()]


def _row(store: Store, rater: Rater, address: str) -> dict[str, Any]:
    done, total = store.done_of(rater.id)
    link = rater_link(address, store.secret, rater.id) if rater.revoked_at is None and not rater.simulated else None
    state = "under way" if done < total else "done"
    if rater.consented_at is None and not done:
        state = "invited"
    return {"id": rater.id, "number": rater.number, "nickname": rater.nickname, "done": done, "total": total} | {
        "state": "revoked" if rater.revoked_at is not None else state,
        "simulated": rater.simulated,
        "link": link,
    }
