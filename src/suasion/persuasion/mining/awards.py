"""Who changed whose view: awards read from DeltaBot's replies, from delta tokens where a dump has lost the bot, or as a source states them.

The chain is: winner <- award comment (holds the token) <- DeltaBot's reply to the award comment.

What DeltaBot says under one award comment is read in order of time. A confirmation makes the award. A moderators' removal revokes it, a
later confirmation brings it back. A rejection beside a confirmation takes nothing away: the bot rejects before an explanation is edited
in, or because the delta was awarded already, and has no other way than a removal to take a delta back (sources of DeltaBot, DB3 and DB4).
One reply that confirms and says "This delta has been rejected" at once is contradictory (delta-bot-three#39) and makes no award.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from suasion.persuasion.mining.bots import is_bot
from suasion.persuasion.mining.debates import DELETED, Comment, Debate, Label

BOT = "deltabot"
MIN_CHARACTERS = 50
"""What an award comment must hold beside its quotes for a token to count (DB3 and DB4)."""

_BY_MODERATORS = re.compile(r"moderators have confirmed\b.{0,80}\bthat this is a delta-worthy", re.IGNORECASE)
_CONFIRMED = re.compile(r"\b\d+\s+(?:delta|point)s?\s+awarded\s+to\s+/?u/((?:\\?[\w-])+)", re.IGNORECASE)
_REMOVED = ("is either delta misuse", "removed from our records")
_REJECTED = re.compile(
    r"this delta (?:has been rejected|is currently disallowed)|you have already awarded|you can(?:no|')t award", re.IGNORECASE
)
_CONTRADICTION = re.compile(r"this delta has been rejected", re.IGNORECASE)

_TOKEN = re.compile(r"(?i:!delta|&(?:amp;)*(?:#?8710|#?916|delta);)|[∆Δ]")  # the small letter δ is no token
_ENTITY_TOKEN = re.compile(r"&(?:amp;)*(?:#?8710|#?916|[dD][eE][lL][tT][aA]);")
_QUOTED = re.compile(r"^ {0,3}(?:>|&gt;).*$", re.MULTILINE)
_FENCED = re.compile(r"^ {0,3}```.*?(?:^ {0,3}```|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^(?: {4}|\t).*$|`[^`\n]+`", re.MULTILINE)

Kind = Literal["confirmed", "removed", "rejected", "rejected and confirmed at once", "another text"]


@dataclass(frozen=True, slots=True)
class Award:
    """One award. ``winner_id`` is the comment that changed a view, ``award_id`` the one saying so (where that is known).

    ``source`` tells where it was learned from: ``deltabot``, ``moderators`` (who had the bot add it), ``token``, or a label's source.
    """

    debate_id: str
    award_id: str | None
    winner_id: str
    giver: str | None
    winner: str | None
    by_author: bool
    source: str
    revoked: bool


def may_hold_token(text: str) -> bool:
    """Whether a text (unescaped once) holds a delta token anywhere, be it in a quote or in code."""
    return (  # the same as one search for _TOKEN, in a tenth of its time
        "∆" in text or "Δ" in text or ("!" in text and "!delta" in text.lower()) or ("&" in text and _ENTITY_TOKEN.search(text) is not None)
    )


def has_token(text: str) -> bool:
    """Whether a text (unescaped once) holds a delta token of any period, however often escaped, outside quotes and code."""
    return may_hold_token(text) and _TOKEN.search(_CODE.sub("", _FENCED.sub("", _QUOTED.sub("", text)))) is not None


def read_bot_reply(text: str) -> tuple[Kind, str | None]:
    """What a comment of DeltaBot says, and the winner's name where it confirms."""
    if any(words in text for words in _REMOVED):
        return "removed", None
    match = _CONFIRMED.search(text)
    if match:
        if _CONTRADICTION.search(text):
            return "rejected and confirmed at once", None
        return "confirmed", match[1].replace("\\", "")
    return ("rejected" if _REJECTED.search(text) else "another text"), None


def in_order(comments: Iterable[Comment]) -> list[Comment]:
    """Comments by time; by id where a time is missing, for Reddit counts ids upwards (in base 36)."""
    listed = list(comments)
    if len(listed) == 1:  # nearly always
        return listed
    listed.sort(key=lambda comment: (len(comment.comment_id), comment.comment_id))
    if all(comment.created_utc is not None for comment in listed):
        listed.sort(key=lambda comment: comment.created_utc or 0)
    return listed


def bot_awards(debate: Debate) -> tuple[list[Award], Counter[str]]:
    """Awards that DeltaBot confirmed or moderators removed (``revoked``), and why each of its other comments makes none.

    Comments of the bot = awards + sum of the counter.
    """
    under: defaultdict[str, list[Comment]] = defaultdict(list)
    dropped: Counter[str] = Counter()
    for comment in debate.comments.values():
        if comment.author.lower() == BOT:
            if comment.parent_is_post:
                dropped["another text"] += 1
            else:
                under[comment.parent_id].append(comment)
    awards = []
    for award_id, replies in under.items():
        named: str | None = None
        source = BOT
        confirmed = removed = False
        for reply in in_order(replies):
            kind, name = read_bot_reply(reply.text)
            if kind not in ("confirmed", "removed"):
                dropped[kind] += 1
                continue
            dropped["repeats itself"] += confirmed or removed
            if kind == "confirmed" and not confirmed and _BY_MODERATORS.search(reply.text):
                source = "moderators"
            confirmed, removed, named = confirmed or kind == "confirmed", kind == "removed", name or named
        if not (confirmed or removed):
            continue
        award = _award(debate, award_id, source, named=named, revoked=removed)
        if isinstance(award, str):
            dropped[award] += 1
        else:
            awards.append(award)
    return awards, +dropped


def token_awards(debate: Debate) -> tuple[list[Award], Counter[str]]:
    """Awards by token alone, under the bot's own rules, and why each other comment with a token makes none.

    Comments with a token = awards + sum of the counter.
    """
    awards = []
    dropped: Counter[str] = Counter()
    for comment in debate.comments.values():
        if comment.author.lower() == BOT or not may_hold_token(comment.text):
            continue
        award: Award | str = _award(debate, comment.comment_id, "token") if has_token(comment.text) else "in a quote or code"
        if isinstance(award, Award) and len(_QUOTED.sub("", comment.text).strip()) < MIN_CHARACTERS:
            award = "too short"
        if isinstance(award, str):
            dropped[award] += 1
        else:
            awards.append(award)
    return awards, dropped


def unconfirmed_tokens(debate: Debate, confirmed: Iterable[Award]) -> Counter[str]:
    """Comments with a token where the source holds DeltaBot's replies: how many it confirmed, how many prove nothing by themselves."""
    known = {award.award_id for award in confirmed}
    there = [one.comment_id in known for one in debate.comments.values() if may_hold_token(one.text) and one.author.lower() != BOT]
    return +Counter({"confirmed by DeltaBot": sum(there), "not confirmed by DeltaBot": len(there) - sum(there)})


def label_awards(debate: Debate, labels: Iterable[Label], known: Sequence[Award]) -> tuple[list[Award], Counter[str]]:
    """Awards that only a label tells, and why each other label makes none. Labels = awards + sum of the counter.

    Args:
        known: the debate's awards that comments tell. A label for the same reply from the same giver, or from a giver who is not
            told but is the author in both (or in neither), is the same award; one that moderators took back stays revoked.
    """
    awards: list[Award] = []
    dropped: Counter[str] = Counter()
    for label in labels:
        winner = debate.comments.get(label.winner_id)
        giver = debate.author if label.by_author and debate.author != DELETED else label.giver
        twins = [one for one in (*known, *awards) if one.winner_id == label.winner_id and _one_giver(one, giver, label.by_author)]
        if winner is None:
            dropped["winner absent"] += 1
        elif twins:
            dropped["revoked by moderators" if all(one.revoked for one in twins) else "known from its comment or another label"] += 1
        elif same_account(winner.author, debate.author):
            dropped["to the post's author"] += 1
        elif is_bot(winner.author):
            dropped["to or by a bot"] += 1
        elif label.winner and winner.author != DELETED and not same_account(label.winner, winner.author):
            dropped["another name than the winner's"] += 1
        else:
            awards.append(
                Award(debate.debate_id, None, label.winner_id, giver, winner.author, label.by_author, label.source, revoked=False)
            )
    return awards, dropped


def _one_giver(award: Award, giver: str | None, by_author: bool) -> bool:
    if award.by_author or by_author or giver is None or award.giver is None:
        return award.by_author == by_author
    return same_account(award.giver, giver)


def once_each(debate: Debate, awards: Sequence[Award]) -> list[Award]:
    """One award for each giver and winning comment: one that stands before a revoked one, then the earliest.

    Deleted givers are not taken for one person.
    """
    if len(awards) == 1:
        return list(awards)
    rank = {one.comment_id: place for place, one in enumerate(in_order(debate.comments[award.award_id or ""] for award in awards))}
    kept: dict[tuple[str | None, str], Award] = {}
    for award in sorted(awards, key=lambda one: (one.revoked, rank[one.award_id or ""])):
        giver = award.award_id if award.giver in (DELETED, None) else (award.giver or "").lower()
        kept.setdefault((giver, award.winner_id), award)
    return sorted(kept.values(), key=lambda one: rank[one.award_id or ""])


def _award(debate: Debate, award_id: str, source: str, *, named: str | None = None, revoked: bool = False) -> Award | str:
    """The award made by a comment, or the rule that it breaks (in DB4's order). ``named`` is the winner's name as the bot wrote it."""
    comment = debate.comments.get(award_id)
    if comment is None:
        return "award comment absent"
    if comment.parent_is_post:
        return "to the post"
    winner = debate.comments.get(comment.parent_id)
    if winner is None:
        return "winner absent"
    if same_account(winner.author, debate.author) or (named and same_account(named, debate.author)):
        return "to the post's author"
    if same_account(winner.author, comment.author) or (named and same_account(named, comment.author)):
        return "to oneself"
    if is_bot(winner.author) or is_bot(comment.author):
        return "to or by a bot"
    if named and winner.author != DELETED and not same_account(named, winner.author):
        return "another name than the winner's"
    by_author = same_account(comment.author, debate.author)
    return Award(debate.debate_id, award_id, winner.comment_id, comment.author, winner.author, by_author, source, revoked)


def same_account(first: str, second: str) -> bool:
    """Whether two names are one account: Reddit ignores case; of deleted accounts nothing is known."""
    return first != DELETED and first.lower() == second.lower()
