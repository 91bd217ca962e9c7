"""Texts that are no arguments at all: deleted ones, notices by moderators and bots, and what scripts leave of a text."""

from __future__ import annotations

import re

from suasion.persuasion.mining.bots import is_bot
from suasion.persuasion.mining.cleaning.texts import CleaningConfig

# "[deleted]", "[removed by user]", "[ Removed by Reddit in response to a copyright notice. ]", also escaped, struck out, in bold or linked
_DELETED = re.compile(
    r"[\s*_~^\\\u200b]*\[{1,2}\s*\\?(?:(?:user |message |comment |post |content )?(?:deleted|removed|unavailable|missing|redacted))\b"
    r"[^\[\]]{0,120}\]{1,2}(?:\([^()\s]{0,300}\))?[\s*_~^\\\u200b.]*"
    r"|\s*(?:comment|post|text|message) (?:deleted|removed)(?: by (?:user|author|moderator|mods?))?[\s.]*",
    re.IGNORECASE,
)
_SHORT = 1500  # characters: what scripts leave behind is short
_OVERWRITTEN = re.compile(
    r"\b(?:this|my) (?:comment|post|account|content)s?\b.{0,80}"
    r"\b(?:overwritten|edited|deleted|removed|purged|redacted|anonymi[sz]ed|nuked|wiped)\b.{0,80}"
    r"\b(?:script|privacy|protest|power ?delete|api|redact|shreddit|anonymi[sz]ed)\b"
    r"|\^*\bdeleted\b[\s^]*\d\.\d+[\s^]*\[[\s^]*what\b"
    r"|\bredact\.dev\b|\bpower ?delete ?suite\b|\bgreasemonkey\b.{0,200}\b(?:overwrit|delet)|\boverwritten by\b.{0,40}\bscript\b",
    re.IGNORECASE | re.DOTALL,
)
# lower case; each text that the pattern finds holds one: a plain search first saves most of the time
_HINTS = ("script", "privacy", "protest", "delete", "api", "redact", "shred", "anonymi", "greasemonkey")
_THING = r"(?:comment|post|submission|thread)"
_NOTICE = re.compile(
    rf"\W*(?:(?:sorry|hi|hello|hey),? .{{1,60}}\byour {_THING} (?:has|was|have)\b.{{0,40}}\bremoved"
    rf"|your {_THING}(?: has)? (?:violated|(?:been )?removed)"
    r"|removed,? (?:see|per|for|under|due to) .{0,30}\brule"
    rf"|{_THING} removed\b|this {_THING} has been (?:removed|locked)"
    r"|confirmed\s*[-:]\s*\d+ (?:delta|point)s? awarded)",
    re.IGNORECASE | re.DOTALL,
)
_BOT = re.compile(
    r"\bi am a bot\b.{0,80}performed automatically|\bbeep\b.{0,3}\bboop\b|\bi'?m a bot\b.{0,5}\b(?:bleep|beep)\b", re.IGNORECASE | re.DOTALL
)


def is_deleted(text: str) -> bool:
    """Nothing is left of the text: empty, or one of the wordings of [deleted] and [removed]."""
    return not text.strip() or (len(text) < _SHORT and _DELETED.fullmatch(text) is not None)


def is_overwritten(text: str) -> bool:
    """A script has replaced the text with a notice (the habit of people who leave the site)."""
    if len(text) >= _SHORT:
        return False
    low = text.lower()
    return any(hint in low for hint in _HINTS) and _OVERWRITTEN.search(text) is not None


def is_notice(text: str) -> bool:
    """A moderator's notice about somebody's comment or post, or a bot that says it is one."""
    if _NOTICE.match(text):
        return True
    low = text.lower()
    return ("a bot" in low or "boop" in low) and _BOT.search(text) is not None


def known(author: object) -> str | None:
    """The author's name, or None where the account is gone."""
    return None if not author or is_deleted(str(author)) else str(author)


def why_unfit(author: str | None, distinguished: object, text: str, config: CleaningConfig) -> str:
    """Why a comment can be no part of a pair, whoever wrote what around it; empty when it can.

    Args:
        author: a known name, else None.
        distinguished: Reddit's mark of a moderator or administrator who speaks in office; false for everybody else.
    """
    if is_deleted(text):
        return "deleted or removed"
    if config.bots and is_bot(author):
        return "by a bot"
    if (config.moderators and distinguished) or (config.notices and is_notice(text)):
        return "by a moderator in office"
    return "overwritten by a script" if config.overwritten and is_overwritten(text) else ""
