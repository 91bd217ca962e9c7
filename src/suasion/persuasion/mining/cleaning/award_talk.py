"""Cleaning rules against what gives the winner away: award tokens, talk about awards, edits that thank or concede.

A reply that thanks for its award is easy to judge and teaches nothing. What only *argues* about deltas or changed views stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

_LONGEST_LINE = 400  # characters; a longer one is a paragraph, or a text that lost its line ends
_LONGEST_TALK = 40  # words

_TOKEN = re.compile(r"!delta(?:s|bot)?|∆|(?<![\u0370-\u03ff])Δ(?![A-Z]\b|[\u0370-\u03ff])", re.IGNORECASE)  # ΔT and Greek words stay

_EDIT = re.compile(
    r"^[^\w\n]*(?:(?:quick|not-so|double|triple|second|third|final|last|late|another|one|more)\W+){0,3}(?:edit(?:ed)?|eta|update)\b[^\w\n]*"
    # within a line (tables in which texts lost their line ends): in capitals, or with a colon
    r"|(?-i:(?<=\s)[^\w\s]*(?:(?:EDIT|Edit|ETA|UPDATE|Update)[ \t]*#?\d*[^\w\s]*[ \t]*[:–—-]|EDIT\b|edit[ \t]*\d*:)[^\w\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_VIEW = r"(?:views?|minds?|opinions?|stances?|positions?|perspectives?|outlook)"
_GIVES_AWAY = re.compile(
    r"\bthank|\bthx\b|\bdelta|∆|Δ|&#8710;|\bgold\b|\bgilded\b|\bsilver\b|\bupvote|\bkind (?:stranger|words)|\bconvinced\b|"
    r"\bpersuaded\b|\bconced|\bblew up\b|\bbest ?of\b|\bshout-?out|\bglad\b|"
    rf"\b{_VIEW}\b[^.\n]{{0,60}}\b(?:chang|alter|sway|shift|moved)|"
    rf"\b(?:chang|alter|sway|shift|reconsider)\w*\b[^.\n]{{0,60}}\b{_VIEW}\b|\bC'?d my V\b",
    re.IGNORECASE,
)
_OF_THE_REPLIES = re.compile(
    # In a post: what was written after the replies had come may say which of them was good.
    r"\bcomment(?:s|ers?)\b|\brepl(?:y|ies)\b|\brespon(?:se|ses|ded|dents?)\b|\banswers\b|\binbox\b"
    r"|\bpoint(?:ed|ing) (?:it |this |that )?out\b|\bso far\b|\bi was wrong\b|\bit seems\b|\bso i give\b|\backnowledge"
    r"|\b(?:good|great|fair|valid|best|excellent|interesting|made some|your) (?:points?|arguments?)\b"
    r"|\b(?:most|many|some|few|lot|several) (?:of you|people)\b|\bpeople (?:here|have|seem|are|keep)\b|\byou (?:guys|all)\b|\by'?all\b"
    r"|\beveryone\b|\breali[sz]ed?\b|\blearn(?:ed|t)\b|\btil\b|\bi (?:now )?(?:agree|understand|see)\b",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?=\s)")

_DELTA_WORD = re.compile(r"\bdelta'?(?:s|d|ed)?\b|\bdelta ?bot\b|∆|Δ", re.IGNORECASE)
_DELTA_DEED = re.compile(
    r"\bthank|\baward|\bearn|\bgot\b|\bg[ai]ve|\bgiv(?:ing|en)|\bgrant|\bdeserv|\bworth|\breceiv|\bfirst\b|\breject|\bconfirm|\bdisallowed\b"
    r"|\bglad\b|\bappreciate|\bhere'?s\b|\bhave (?:a|my|your)\b|\bwhere'?s\b|\balready\b|\bfor (?:a|the|that|your|my)\b|\bpartial\b"
    r"|\benough\b|\bsidebar\b|\bedits?\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"\b(?:i|i'?(?:ll|ve|d|m)|me|my|you|your|you'?(?:ll|ve|d|re)|op|here|this|that|rules|sidebar)\b", re.IGNORECASE)
_BOT_TALK = re.compile(
    r"this delta (?:has been|is currently)|\d+ (?:delta|point)s? awarded to|delta system explained|deltaboards", re.IGNORECASE
)
_SUCCESS = re.compile(
    # that the view of the other HAS changed; "I would like to change your view" says nothing and stays
    r"\b(?:i|we|i'?ve|i have|have i|have we|someone|somebody|(?:some|any)(?:one|body) else|comments?|people|already)\b[^.!?\n]{0,20}"
    rf"\bchanged (?:your|op'?s?)\b[^.!?\n]{{0,20}}\b{_VIEW}\b"
    rf"|\bhelped (?:to )?(?:you )?(?:to )?change your {_VIEW}\b"
    rf"|\bdid (?:i|it|this|that) change your {_VIEW}\b|\b(?:this|it) (?:has )?changed your {_VIEW}\b"
    rf"|\byour {_VIEW} (?:has been|was|has|is|'s been) (?:now )?changed\b"
    r"|\b(?:glad|happy|pleased|honou?red)\b (?:that )?(?:i|to (?:have|hear|see)|we|it|this|my)\b[^.!?\n]{0,50}"
    r"\b(?:help|chang|convinc|persuad|sway|construct|useful|of use|of service)"
    r"|\bthank(?:s| you)\b[^.!?\n]{0,30}\b(?:kind words|compliment|gold|gilding|silver|recognition)\b"
    r"|^\W*you(?:'re|’re| are|r)? (?:very |most |quite )?welcome\W*$",
    re.IGNORECASE,
)
_CONCEDES = re.compile(
    # In a post: that its author's view HAS changed; "I want my view changed" stays
    rf"\bmy {_VIEW} (?:has been|is|was|has|'s been|have been|have) "
    r"(?:now |already |\w{2,12}ly )?(?:changed|altered|shifted)\b"
    rf"|\b(?:i(?:'ve| have)?|already|has|have|you) (?:now |already )?(?:changed|altered) my {_VIEW}\b"
    rf"|^\W*(?:so\W+|edit\W+|ok\W+)?(?:my )?{_VIEW} (?:successfully )?changed\b"
    r"|\bthank(?:s| you)\b[^.!?\n]{0,80}\bfor (?:all |the |your |making |helping ){0,3}"
    r"(?:pointing|informing|clarif|explain|showing|me |idea|insight|information|repl|respon|comments|discussion|posts|input|participat)",
    re.IGNORECASE,
)
_HINTS = ("delta", "awarded to", "∆", "δ", "chang", "welcome", "glad", "happy", "pleased", "honored", "honoured", "thank", "alter", "shift")
"""Lower case. Every sentence that the patterns above find holds one of them: a plain search first saves most of the time."""


def award_tokens(text: str) -> str:
    """The signs that make an award go: ``!delta``, ``∆``, ``Δ``."""
    return _TOKEN.sub("", text) if "∆" in text or "Δ" in text or "!delta" in text.lower() else text


def delta_talk(text: str) -> str:
    """Sentences about an award given, received, asked for or refused, or about the reader's view having changed, go.

    Long ones are argument and stay. Of a short line little more than such a sentence is nothing kept.
    """
    return _without_talk(text, _is_talk)


def post_talk(text: str) -> str:
    """As :func:`delta_talk`, for a post: also sentences that say that its author's view has changed, or thank for replies."""
    return _without_talk(text, _is_post_talk)


def _without_talk(text: str, is_talk: Callable[[str], bool]) -> str:
    if not _hinted(text):
        return text
    return "\n".join(_line_without(line, is_talk) if _hinted(line) else line for line in text.split("\n"))


def _hinted(text: str) -> bool:
    low = text.lower()
    return any(hint in low for hint in _HINTS)


def _line_without(line: str, is_talk: Callable[[str], bool]) -> str:
    if len(line) < _LONGEST_LINE and _BOT_TALK.search(line):
        return ""
    sentences = _SENTENCE_END.split(line)
    kept = [sentence for sentence in sentences if not (_hinted(sentence) and is_talk(sentence))]
    if len(kept) == len(sentences):
        return line
    rest = "".join(kept)
    return rest if len(rest.split()) > 6 else ""


def _is_talk(sentence: str) -> bool:
    words = len(sentence.split())
    if words > _LONGEST_TALK or len(sentence) >= _LONGEST_LINE:
        return False
    if _BOT_TALK.search(sentence) or _SUCCESS.search(sentence):
        return True
    if not _DELTA_WORD.search(sentence) or not _DELTA_DEED.search(sentence):
        return False
    return words <= 8 or _ADDRESSED.search(sentence) is not None


def _is_post_talk(sentence: str) -> bool:
    return _is_talk(sentence) or (len(sentence) < _LONGEST_LINE and _CONCEDES.search(sentence) is not None)


def edits(text: str) -> str:
    """Edits of a reply that thank, award or concede go; those that mend a word or add an argument stay."""
    return _without_edits(text, whole=False)


def post_edits(text: str) -> str:
    """As :func:`edits`, for a post, where the author may go on at length about what convinced them; edits about the replies go too."""
    return _without_edits(text, whole=True)


def _without_edits(text: str, whole: bool) -> str:
    """Leave out edits that thank, award or concede; with ``whole`` (posts) also those that speak of the replies.

    An edit runs from its mark to the end of the paragraph. With ``whole`` (posts: "Edit: you convinced me, and here is how …") one in the
    second half of the text runs on to the next edit or the end. An edit that is most of the text loses only its telling sentences, and so
    does one that begins within a line, near its beginning: the argument may stand in the same paragraph.
    """
    tells = (_GIVES_AWAY, _OF_THE_REPLIES) if whole else (_GIVES_AWAY,)
    low = text.lower()
    marks = list(_EDIT.finditer(text)) if "edit" in low or "eta" in low or "update" in low else []
    if not marks:
        return text
    kept = [text[: marks[0].start()]]
    for mark, end in zip(marks, [*(later.start() for later in marks[1:]), len(text)], strict=True):
        blank = _BLANK_LINE.search(text, mark.end(), end)  # the mark swallows no line end: "EDIT:" alone ...
        if blank and not text[mark.end() : blank.start()].strip():  # ... heads the paragraph below it
            blank = _BLANK_LINE.search(text, blank.end(), end)
        close = blank.start() if blank else end
        within_a_line = mark.start() > 0 and text[mark.start() - 1] != "\n"
        if not any(pattern.search(text, mark.start(), close) for pattern in tells):
            kept.append(text[mark.start() : end])
        elif whole and mark.start() * 2 >= len(text):
            continue
        elif within_a_line or (close - mark.start()) * 2 > len(text):
            reach = _LONGEST_LINE if within_a_line else len(text)
            kept += [*_without_telling(text[mark.start() : close], tells, reach), text[close:end]]
        else:
            kept.append(text[close:end])
    return "".join(kept)


def _without_telling(text: str, tells: Sequence[re.Pattern[str]], reach: int) -> Iterator[str]:
    """The sentences of ``text`` but for those that give something away among the ones that begin in its first ``reach`` characters."""
    start = 0
    for sentence in _SENTENCE_END.split(text):
        if start >= reach or not any(pattern.search(sentence) for pattern in tells):
            yield sentence
        start += len(sentence)
