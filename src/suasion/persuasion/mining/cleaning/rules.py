"""Cleaning rules against noise: each a function from text to text, linear in its length.

What gives away who won is the matter of :mod:`suasion.persuasion.mining.cleaning.award_talk`.
"""

from __future__ import annotations

import html
import re

FOLDED = "(quote)"
"""Stands where a run of quoted lines was."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPOILER = re.compile(r">!((?:(?!>!)[^\n]){1,300}?)!<")
_LINK = re.compile(r"!?\[([^\[\]]{0,1000})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,3}\)")
_BARE_LINK = re.compile(r"https?://[^\s()\[\]<>]+", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w/])/?u/(?:[\w-]|\\[_-]){3,}", re.IGNORECASE)
# A run of quoted lines; blank lines between two quotes belong to it.
_QUOTES = re.compile(r"^[ \t]*>[^\n]*(?:\n(?:[ \t]*\n)*[ \t]*>[^\n]*)*\n?", re.MULTILINE)
_QUOTE_SIGNS = re.compile(r"^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
_RULE_LINE = re.compile(r"^[ \t]*(?:_[ \t]*){3,}$\n?|^[ \t]*(?:\*[ \t]*){3,}$\n?|^[ \t]*(?:-[ \t]*){3,}$\n?", re.MULTILINE)
_FOOTER = re.compile(
    r"(?<![>*_ \t])[>*_ \t]*(?:hello, users of cmv|this is a footnote from (?:your|the)(?: cmv)? moderators).*(?:\n[ \t]*>.*)*\n?"
    r"|please leave the footnote below the following line.{0,120}?(?:thank you!|$)",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST_LABEL = re.compile(
    r"^[\W_]*(?:cmv|change my view)\b"
    r"(?!['’]| (?:is|isn|has|are|was|does|can|could|should|would|will|needs|from|on|that|about|by|with|if|users|mods|posts?)\b)[\W_]*",
    re.IGNORECASE,
)
_LAST_LABEL = re.compile(
    r"[\s,.;:!?(\[-]*(?:\b(?:so|please|plz|pls|just)\b[\s,]*)*\b(?:cmv|change my view)\b(?:,? please)?[\W_]*$", re.IGNORECASE
)


def entities(text: str) -> str:
    """Entities escaped twice or more (a typed ``&#8710;`` arrives as ``&amp;#8710;``) become their characters."""
    return _ENTITY.sub(lambda match: html.unescape(match.group()), re.sub(r"&(?:amp;)+", "&", text))


def invisible(text: str) -> str:
    """Characters of no width go, and so do the signs around a spoiler; every line ends alike."""
    return _SPOILER.sub(r"\1", _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def fold_quotes(text: str) -> str:
    """A run of quoted lines becomes "(quote)": that somebody was quoted shows, the words are the other's."""
    return _quotes(text, f"{FOLDED}\n")


def drop_quotes(text: str) -> str:
    """Quoted lines go."""
    return _quotes(text, "")


def _quotes(text: str, instead: str) -> str:
    # All of it quoted: a table in which texts lost their line ends. Only the signs go, for nothing tells quote from answer.
    if ">" in text and not _QUOTES.sub("", text).strip():
        return _QUOTE_SIGNS.sub("", text)
    return _QUOTES.sub(instead, text)


def footers(text: str) -> str:
    """The moderators' footnote below posts (all wordings), and lines drawn by signs."""
    if "footnote" in (low := text.lower()) or "hello, users" in low:
        text = _FOOTER.sub("", text)
    return _RULE_LINE.sub("", text)


def links(text: str) -> str:
    """A link becomes its text; a bare address becomes "(link)", so that no model learns to make addresses up."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return _BARE_LINK.sub("(link)", text)


def names(text: str) -> str:
    """Names of accounts become "someone"."""
    return _NAME.sub("someone", text) if "u/" in text or "U/" in text else text


def label(text: str) -> str:
    """CMV before and behind the text goes. Only the last 80 characters are looked at: searched whole, a hostile text would take minutes."""
    text = _FIRST_LABEL.sub("", text)
    return text[:-80] + _LAST_LABEL.sub("", text[-80:])


def white_space(text: str) -> str:
    """One space between words, one blank line between paragraphs, none around."""
    lines = (" ".join(line.split()) for line in re.split(r"\r\n|\r|\n", text))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def one_line(text: str) -> str:
    """One space between words, no line ends."""
    return " ".join(text.split())
