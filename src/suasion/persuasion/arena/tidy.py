"""Texts as raters see them: formatting that tells who wrote a reply is taken away, from all alike.

A model writes headings, bold type and long dashes; a person pastes links and quotes with a curly or a straight mark, as the keyboard
has it. None of that is an argument, and all of it is a badge. Words are never changed, and nothing is cut but the unfinished sentence
of a reply that ran into the limit of its tokens.
"""

from __future__ import annotations

import html
import re
import unicodedata

_LIKE = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("•‣◦▪●○■", "*"),
        "…": "...",
        "\u2028": "\n",
        "\u2029": "\n",
        "\v": "\n",
        "\f": "\n",
        "\x85": "\n",
        "\t": " ",
    }
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_ADDRESS = re.compile(
    r"<?(?:https?://|www\.)(?:[^\s<>()\[\]]|\([^\s<>()\[\]]*\))*(?:[^\s<>()\[\].,;:!?'\"*_~`]|\([^\s<>()\[\]]*\))>?", re.IGNORECASE
)
_RULE = re.compile(r"^[ ]*(?:(?:[-*_=][ ]*){3,}|`{3,}.*|~{3,}.*)$", re.MULTILINE)
_HEAD = re.compile(r"^[ ]*(?:#+[ ]*|(?:>[ ]?)+|&gt;[ ]*)+", re.MULTILINE)
_BULLET = re.compile(r"^[ ]*(?:[*+-][ ]+)+", re.MULTILINE)
_NUMBER = re.compile(r"^[ ]*(\d{1,3})[.)][ ]+", re.MULTILINE)
_MARKS = re.compile(r"\*{2,}|(?<!\s)\*|\*(?!\s)|~~+|`+|(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_])|(?<!\S)\^+(?=\S)|\\(?=[^\w\s])")
_DASH = re.compile(r"(?<=\S)[ ]*-{2,}[ ]*(?=\S)|(?<=\S)[ ]+-[ ]+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*(?=\s|$)")
_ROUNDS = 8  # every round only takes away, so marks in marks in marks are soon gone


def tidy(text: str) -> str:
    """The text in plain paragraphs: without headings, bold, rules, fences, addresses, invisible signs, with one kind of quotation mark,
    dash and bullet. Tidying twice changes nothing more."""
    for _ in range(_ROUNDS):
        once = _once(text)
        if once == text:
            break
        text = once
    return text


def whole_sentences(text: str) -> str:
    """Without an unfinished last sentence; the text as it is where it has no finished one."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else text


def _once(text: str) -> str:
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").translate(_LIKE))
    text = "".join(
        sign if sign == "\n" or unicodedata.category(sign)[0] not in "CZ" else (" " if unicodedata.category(sign)[0] == "Z" else "")
        for sign in text
    )
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub("(link)", text)
    text = _RULE.sub("", text)
    text = _HEAD.sub("", text)
    text = _BULLET.sub("- ", text)
    text = _NUMBER.sub(r"\1. ", text)
    text = _MARKS.sub("", text)
    text = _DASH.sub(" - ", text)
    text = re.sub(r" {2,}", " ", text)
    text = re.sub(r" *\n *", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
