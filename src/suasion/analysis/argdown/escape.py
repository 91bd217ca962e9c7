"""Plain words as Argdown: with a backslash before each sign that would mean something there."""

from __future__ import annotations

import re

from suasion.analysis.argdown.shortcodes import SHORTCODES

_URL = re.compile(r"(?<=[^\W_])://[^\s{}<>\[\]\\]*[^\s{}<>\[\]\\.,;:!?*_)]")
_WORD = re.compile(r"\S+")
_SIGNS = re.compile(r"[\\@#*_\[<{]|/(?=[/*])|/\Z")
_AT_LINE_START = re.compile(r"\s*(?:[+>\ufeff-]|\((?=[0-9]+\))|(?<=[0-9])\.|={3})")
_DOTS = re.compile(r"[.:]")
_SHORTCODE = re.compile("|".join(re.escape(code) for code in sorted(SHORTCODES, key=len, reverse=True)))
_SPECIAL = re.compile(r"\.\S+?\.|:\S+?:")
_NUMBER = re.compile(r"[0-9]+(?=\.(?:\s|\Z))")


def escaped(words: str, *, line_start: bool, before_piece: bool) -> str:
    """``words`` so that they are read as just these words.

    Args:
        words: text without line breaks.
        line_start: whether it begins a line (there, ``- word`` would be a relation).
        before_piece: whether something that is not text follows without a blank.
    """
    if words.isalpha():
        return words
    safe = _WORD.sub(lambda match: _word(match, len(words), before_piece), words)
    if not line_start:
        return safe
    if _AT_LINE_START.match(safe):
        start = len(safe) - len(safe.lstrip())
        return f"{safe[:start]}\\{safe[start:]}"
    number = _NUMBER.match(safe)
    return f"{number[0]}\\{safe[number.end() :]}" if number else safe


def _word(match: re.Match[str], end: int, before_piece: bool) -> str:
    """One word. In a word with escapes, dots and colons are escaped too: ``.a\\*b.`` would be read as a shortcode, backslash and all."""
    word = match[0]
    touches = before_piece and match.end() == end
    url = _URL.search(word)
    if url:
        tail = word[url.end() :]
        return _plain(word[: url.start()], True) + url[0] + _plain(tail, touches or bool(tail))
    return _plain(word, touches)


def _plain(word: str, touches: bool) -> str:
    if touches or _SIGNS.search(word):
        lone = not touches and word[0] in ".:" and word.count(word[0]) == 1
        return word[: int(lone)] + _DOTS.sub(r"\\\g<0>", _SIGNS.sub(r"\\\g<0>", word[int(lone) :]))
    if any(match[0] in SHORTCODES for match in _SPECIAL.finditer(word)):
        return _DOTS.sub(r"\\\g<0>", word)
    return word
