"""Who may stand in a pair: the replies that earned an award, and the replies of the same debate that earned none from anybody.

Everything dropped on the way is counted by its reason, so that the data card's steps add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from suasion.persuasion.mining.cleaning.notices import is_bot, is_deleted, known
from suasion.persuasion.mining.cleaning.texts import premise_text
from suasion.persuasion.mining.pairs.copies import Shingles, jaccard, shingles
from suasion.persuasion.mining.pairs.mined import History, Row
from suasion.persuasion.mining.pairs.opt_out import opted_out
from suasion.persuasion.mining.pairs.replies import CountTokens, Debate, Funnel, Reply, with_tokens
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.thread import Thread
from suasion.persuasion.mining.pairs.units import OUTSIDE, Units


def find_candidates(
    rows: Iterable[tuple[Row, Sequence[Row], Sequence[Row]]],
    config: PairsConfig,
    funnel: Funnel,
    touched: Counter[str],
    count_tokens: CountTokens | None = None,
    history: History | None = None,
) -> Iterator[Debate]:
    """The usable debates of ``rows``, awarded or not, one at a time and in the order of ``rows``.

    Args:
        rows: post, comments and awards of each debate, as :func:`read_debates` gives them.
        config: the rules.
        funnel: counts every step and reason.
        touched: counts the texts that each cleaning rule changed.
        count_tokens: of the locked base, for ``Reply.tokens``.
        history: as :func:`read_history` gives it, for ``Reply.earlier_awards``.

    Raises:
        SuasionError: the opt-out list cannot be read; what ``rows`` raises.
    """
    opted = opted_out(config)
    for post, comments, awards in rows:
        debate = candidates_of(post, comments, awards, config, funnel, touched, opted=opted, history=history)
        if debate is not None:
            yield with_tokens(debate, count_tokens)


def candidates_of(
    post: Row,
    comments: Iterable[Row],
    awards: Sequence[Row],
    config: PairsConfig,
    funnel: Funnel,
    touched: Counter[str],
    *,
    opted: frozenset[str] | None = None,
    history: History | None = None,
) -> Debate | None:
    """Winners and possible losers of one debate; ``None`` where the post itself is of no use. ``opted`` defaults to the configured list."""
    thread = Thread(post, comments, awards, config.cleaning, opted_out(config) if opted is None else opted, touched)
    premise, reason = _premise(thread, config, touched)
    if reason:
        funnel.drop("debates", reason)
        funnel.drop("awards", "the debate is not usable", len(awards))
        return None
    funnel.keep("debates")
    units = Units(thread, config, history, funnel)
    winners = _winners(thread, units, config, funnel)
    losers = _losers(thread, units, winners, config, funnel) if winners else ()
    return Debate(thread.id, premise, tuple(winners), tuple(losers), post.get("created_utc"))


def _premise(thread: Thread, config: PairsConfig, touched: Counter[str]) -> tuple[str, str]:
    title, text = thread.post["title"] or "", thread.post["text"] or ""
    if thread.id.lower() in thread.opted or (thread.author or "").lower() in thread.opted:
        return "", "opted out"
    if text.strip() and is_deleted(text):
        return "", "deleted or removed"
    if config.cleaning.bots and is_bot(thread.author):
        return "", "written by a bot"
    premise = premise_text(title, text, config.premise_words, touched, config.cleaning)
    return premise, "" if premise else "no text"


def _winners(thread: Thread, units: Units, config: PairsConfig, funnel: Funnel) -> list[Reply]:
    winners: list[Reply] = []
    for winner_id in _awarded(thread.awards, config, funnel):
        row = thread.by_id.get(winner_id)
        reply = None
        if row is None:
            reason = "the reply is not in the dump"
        elif row["depth"] < 0:
            reason = OUTSIDE
        elif config.unit == "root" and row["depth"] != 0:
            reason = "not a reply to the post itself"
        else:
            reply, reason = units.winner(row)
        if reply is None:
            funnel.drop("winners", reason)
        else:
            winners.append(reply)
    kept = units.first_of_each_path(winners) if config.unit == "path" else winners
    funnel.keep("winners", len(kept))
    if len(kept) < len(winners):
        funnel.drop("winners", "another path under the same reply won earlier", len(winners) - len(kept))
    return kept


def _awarded(awards: Sequence[Row], config: PairsConfig, funnel: Funnel) -> list[str]:
    """Ids of the replies whose awards count, each once, sorted."""
    chosen: set[str] = set()
    for award in awards:
        if award["revoked"]:
            funnel.drop("awards", "revoked by a moderator")
        elif config.by == "author" and not award["by_author"]:
            funnel.drop("awards", "not by the post's author")
        elif award["winner_id"] in chosen:
            funnel.drop("awards", "another award to the same reply")
        else:
            funnel.keep("awards")
            chosen.add(award["winner_id"])
    return sorted(chosen)


def _losers(thread: Thread, units: Units, winners: Sequence[Reply], config: PairsConfig, funnel: Funnel) -> list[Reply]:
    winning = [shingles(winner.text) for winner in winners]
    answered = {winner.answers for winner in winners}
    losers: list[Reply] = []
    for comment_id in sorted(thread.by_id):
        row = thread.by_id[comment_id]
        if config.unit != "comment" and row["depth"] != 0:
            continue
        reply = None
        if row["depth"] < 0:
            reason = OUTSIDE
        elif config.unit == "comment" and row["parent_id"] not in answered:
            reason = "answers another comment than any winner"
        elif comment_id in thread.awarded:
            reason = "it, or a comment below it, is part of an award"
        elif comment_id in thread.unconfirmed:
            reason = "a delta below it was not confirmed"
        elif (known(row["author"]) or "").lower() in thread.won:
            reason = "by somebody who won in this debate"
        elif thread.after_last_word(row):
            reason = "after the author's last word"
        else:
            reply, reason = units.loser(row)
        if reply is None:
            funnel.drop("losers", reason)
        elif _is_copy(reply, winning, config.near_duplicate):
            funnel.drop("losers", "nearly the same text as a winner")
        else:
            funnel.keep("losers")
            losers.append(reply)
    return losers


def _is_copy(reply: Reply, winning: Sequence[Shingles], threshold: float) -> bool:
    pieces = shingles(reply.text)
    return any(jaccard(pieces, one) >= threshold for one in winning)
