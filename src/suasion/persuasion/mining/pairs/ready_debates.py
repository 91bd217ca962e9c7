"""Rows of a ready table of pairs, gathered into debates: one premise, all its winners and losers, and the pairs that the source states."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from suasion.persuasion.mining.cleaning.notices import is_bot, is_deleted, known, why_unfit
from suasion.persuasion.mining.cleaning.texts import clean_reply, premise_text
from suasion.persuasion.mining.pairs.copies import jaccard, shingles
from suasion.persuasion.mining.pairs.opt_out import opted_out
from suasion.persuasion.mining.pairs.replies import CountTokens, Debate, Funnel, Reply, with_tokens
from suasion.persuasion.mining.pairs.settings import PairsConfig

if TYPE_CHECKING:
    from suasion.persuasion.mining.sources.ready import ReadyPair

_FIRST_SPLIT = ("test", "validation", "train")  # what stands in two is kept out of what is trained on
STEP = "pairs of the source"


@dataclass
class _Gathered:
    """A debate while its rows come in."""

    id: str
    premise: str
    splits: set[str] = field(default_factory=set)
    made: dict[tuple[str, str | None, str | None], tuple[Reply | None, str]] = field(default_factory=dict)
    """By raw text, author and id: the reply, or why there is none."""
    barred: set[str] = field(default_factory=set)
    """Cleaned texts that somebody opted out of: they must not come in by another row."""
    replies: dict[str, Reply] = field(default_factory=dict)
    """By cleaned text: the same text is one reply."""
    winners: set[str] = field(default_factory=set)
    losers: set[str] = field(default_factory=set)
    given: dict[tuple[str, str], None] = field(default_factory=dict)


def debates_of_ready(
    pairs: Iterable[ReadyPair], config: PairsConfig, funnel: Funnel, touched: Counter[str], count_tokens: CountTokens | None = None
) -> list[Debate]:
    """The debates of a ready table, in the order of their first row.

    Rows with the same ``debate_id``, or without one the same cleaned premise, are one debate. A text that wins in one row and loses in
    another of its debate is dropped from both sides. With ``matching: none`` no reply is dropped for its length, nor for being like a
    winner: the source's pairs stand as they are, but for texts that are deleted, by bots or opted out.

    Args:
        pairs: the rows, raw.
        config: the rules.
        funnel: counts debates, winners, losers, and the rows themselves (step "pairs of the source").
        touched: counts the texts that each cleaning rule changed.
        count_tokens: of the locked base, for ``Reply.tokens``.
    """
    opted = opted_out(config)
    gathered: dict[str, _Gathered] = {}

    @lru_cache(maxsize=1024)  # the rows of a post lie together in most tables
    def premise_of(title: str, text: str) -> str:
        return premise_text(title, text, config.premise_words, touched, config.cleaning)

    for pair in pairs:
        if reason := _why_no_debate(pair, opted, config) or ("" if (premise := premise_of(pair.title, pair.text)) else "no premise"):
            funnel.drop(STEP, reason)
            continue
        debate_id = _bare(pair.debate_id) or f"p{_digest(premise)}"
        _add(gathered.setdefault(debate_id, _Gathered(debate_id, premise)), pair, opted, config, funnel, touched)
    return [with_tokens(_settled(one, config, funnel), count_tokens) for one in gathered.values()]


def _why_no_debate(pair: ReadyPair, opted: frozenset[str], config: PairsConfig) -> str:
    author = known(pair.author)
    if (author or "").lower() in opted or (_bare(pair.debate_id) or "").lower() in opted:
        return "the post's author, or the post, opted out"
    if pair.text.strip() and is_deleted(pair.text):
        return "the post is deleted or removed"
    return "the post is written by a bot" if config.cleaning.bots and is_bot(author) else ""


def _add(debate: _Gathered, pair: ReadyPair, opted: frozenset[str], config: PairsConfig, funnel: Funnel, touched: Counter[str]) -> None:
    if pair.split is not None:
        debate.splits.add(pair.split)
    sides = (
        ("winner", pair.winner, pair.winner_id, pair.winner_author, debate.winners),
        ("loser", pair.loser, pair.loser_id, pair.loser_author, debate.losers),
    )
    found: list[str] = []
    unfit = ""
    for side, raw, reply_id, author, here in sides:
        key = (raw, known(author), _bare(reply_id))
        if key not in debate.made:
            debate.made[key] = _made(debate, *key, known(pair.author), opted, config, touched)
            if debate.made[key][0] is None:
                funnel.drop(f"{side}s", debate.made[key][1])
        reply, reason = debate.made[key]
        if reply is None:
            unfit = unfit or f"its {side} is unfit: {reason}"
        else:
            here.add(reply.text)
            found.append(reply.text)
    if unfit:
        funnel.drop(STEP, unfit)
    elif (found[0], found[1]) in debate.given:
        funnel.drop(STEP, "the same pair again")
    else:
        debate.given[found[0], found[1]] = None


def _made(
    debate: _Gathered,
    raw: str,
    author: str | None,
    reply_id: str | None,
    poster: str | None,
    opted: frozenset[str],
    config: PairsConfig,
    touched: Counter[str],
) -> tuple[Reply | None, str]:
    if (author or "").lower() in opted or (reply_id or "").lower() in opted:
        debate.barred.add(clean_reply(raw, None, config.cleaning))
        return None, "opted out"
    if author is not None and poster is not None and author.lower() == poster.lower():
        return None, "by the post's author"
    if reason := why_unfit(author, None, raw, config.cleaning):
        return None, reason
    text = clean_reply(raw, touched, config.cleaning)
    words = len(text.split())
    if not words:
        return None, "nothing is left of it"
    if config.matching != "none" and words < config.min_words:
        return None, f"shorter than {config.min_words} words"
    if config.matching != "none" and words > config.max_words:
        return None, f"longer than {config.max_words} words"
    if text not in debate.replies:
        taken = {reply.id for reply in debate.replies.values()}
        name = reply_id if reply_id and reply_id not in taken else f"{reply_id or 'r'}-{_digest(text)}"
        debate.replies[text] = Reply(name, author, text, words, answers=debate.id)
    return debate.replies[text], ""


def _settled(gathered: _Gathered, config: PairsConfig, funnel: Funnel) -> Debate:
    """The debate without what contradicts itself, all of it counted."""
    for step, texts in (("winners", gathered.winners), ("losers", gathered.losers)):
        funnel.drop(step, "opted out", len(texts & gathered.barred))
        texts -= gathered.barred
    both = gathered.winners & gathered.losers
    winners, losers = gathered.winners - both, gathered.losers - both
    for step in ("winners", "losers"):
        funnel.drop(step, "the same text wins and loses in its debate", len(both))
    if config.matching != "none":
        won = [shingles(text) for text in winners]
        copies = {text for text in losers if any(jaccard(shingles(text), one) >= config.near_duplicate for one in won)}
        funnel.drop("losers", "nearly the same text as a winner", len(copies))
        losers -= copies
    given = [(one, other) for one, other in gathered.given if one in winners and other in losers]
    funnel.keep("debates")
    funnel.keep("winners", len(winners))
    funnel.keep("losers", len(losers))
    funnel.keep(STEP, len(given))
    funnel.drop(
        STEP, "its winner or loser stands on both sides, is nearly the same as another, or opted out", len(gathered.given) - len(given)
    )
    replies = gathered.replies
    debate = Debate(
        gathered.id,
        gathered.premise,
        tuple(sorted((replies[text] for text in winners), key=lambda reply: reply.id)),
        tuple(sorted((replies[text] for text in losers), key=lambda reply: reply.id)),
        given=tuple((replies[one].id, replies[other].id) for one, other in given),
    )
    if not gathered.splits:
        return debate
    if len(gathered.splits) > 1:
        funnel.drop("splits of the source", "in several: test goes before validation before train")
    else:
        funnel.keep("splits of the source")
    return replace(debate, split=min(gathered.splits, key=_FIRST_SPLIT.index))


def _bare(name: str | None) -> str | None:
    """An id without ``t1_`` or ``t3_``."""
    return name.removeprefix("t1_").removeprefix("t3_") or None if name else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
