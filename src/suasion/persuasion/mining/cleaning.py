"""What is taken out of a text before a model may learn from it: noise, and everything that gives the answer away.

A reply that thanks for its award is easy to judge and teaches nothing. Each rule is a small named function in one of two tables, and
how many texts each one touched is counted. A text is passed through its table until nothing changes, so cleaning twice is cleaning
once. It ends because every rule that changes a text lowers ``length + 3 · slashes`` (a name loses its slash, all else gets shorter).
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Mapping

from suasion.models.rendering import cut_words

PREMISE_WORDS = 470
Rule = Callable[[str], str]

# A list, not "ends in bot": people are called Talbot, and some call themselves robot.
BOTS = frozenset({
    "automoderator", "deltabot", "deltabot2", "changemyview-modteam", "remindmebot", "totesmessenger", "autotldr", "imguralbumbot",
    "wikitextbot", "autowikibot", "helperbot_", "sneakpeekbot", "snapshillbot", "goodbot_badbot", "gifv-bot", "linkfixerbot",
    "tweetsincommentsbot", "tweet_poster", "alternate-source-bot", "converter-bot", "metric_units", "could-of-bot",
    "commonmisspellingbot", "smile-bot",
})  # fmt: skip

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LINK = re.compile(r"!?\[([^\[\]]{0,1000})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,3}\)")
_BARE_LINK = re.compile(r"https?://[^\s()\[\]<>]+", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w/])/?u/[\w-]{3,}", re.IGNORECASE)
_QUOTE = re.compile(r"^[ \t]*>(?!!).*\n?", re.MULTILINE)
_SPOILER = re.compile(r">!|!<")
_RULE_LINE = re.compile(r"^[ \t]*(?:_[ \t]*){3,}$\n?|^[ \t]*(?:\*[ \t]*){3,}$\n?|^[ \t]*(?:-[ \t]*){3,}$\n?", re.MULTILINE)
_FOOTER = re.compile(
    r"(?<![>*_ \t])[>*_ \t]*(?:hello, users of cmv|this is a footnote from (?:your|the)(?: cmv)? moderators).*(?:\n[ \t]*>.*)*\n?"
    r"|please leave the footnote below the following line.{0,120}?(?:thank you!|$)",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = re.compile(r"!delta(?:s|bot)?|∆|(?<![\u0370-\u03ff])Δ(?![A-Z]\b|[\u0370-\u03ff])", re.IGNORECASE)  # ΔT and Greek words stay
_EDIT = re.compile(
    r"^[^\w\n]*(?:(?:quick|not-so|double|triple|second|third|final|last|late|another|one|more)\W+){0,3}(?:edit(?:ed)?|eta|update)\b[^\w\n]*"
    r"|(?-i:(?<=\s)[^\w\s]*(?:EDIT|Edit|ETA|UPDATE|Update)[ \t]*#?\d*[^\w\s]*[:–—-][^\w\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_GIVES_AWAY = re.compile(
    r"\bthank|\bthx\b|\bdelta|∆|Δ|&#8710;|\bgold\b|\bgilded\b|\bsilver\b|\bupvote|\bkind stranger|\bconvinced\b|"
    r"\bpersuaded\b|\bconced|\bblew up\b|"
    r"\b(?:view|views|mind|opinion|stance|position)\b[^.\n]{0,60}\b(?:chang|alter|sway|shift|moved)|"
    r"\b(?:chang|alter|sway|shift|reconsider)\w*\b[^.\n]{0,60}\b(?:view|views|mind|opinion|stance|position)\b|\bC'?d my V\b",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_DELTA_WORD = re.compile(r"\bdelta'?(?:s|d|ed)?\b|\bdelta ?bot\b|∆|Δ", re.IGNORECASE)
_DELTA_DEED = re.compile(
    r"\bthank|\baward|\bearn|\bgot\b|\bg[ai]ve|\bgiv(?:ing|en)|\bdeserv|\breceiv|\bfirst\b|\breject|\bconfirm|\bdisallowed\b|\bglad\b|\bappreciate|"
    r"\bhere'?s\b|\bhave (?:a|my|your)\b|\bwhere'?s\b|\balready\b|\bfor (?:the|that|your|my)\b",
    re.IGNORECASE,
)
_BOT_TALK = re.compile(
    r"this delta (?:has been|is currently)|\d+ (?:delta|point)s? awarded to|delta system explained|deltaboards", re.IGNORECASE
)
_FIRST_LABEL = re.compile(
    r"^[\W_]*(?:cmv|change my view)\b"
    r"(?!['’]| (?:is|isn|has|are|was|does|can|could|should|would|will|needs|from|on|that|about|by|with|if|users|mods|posts?)\b)[\W_]*",
    re.IGNORECASE,
)
_LAST_LABEL = re.compile(
    r"[\s,.;:!?(\[-]*(?:\b(?:so|please|plz|pls|just)\b[\s,]*)*\b(?:cmv|change my view)\b(?:,? please)?[\W_]*$", re.IGNORECASE
)
_DELETED = re.compile(r"\s*\[\s*(?:deleted|removed|unavailable|missing)\b[^\[\]]{0,120}\]\s*", re.IGNORECASE)
_OVERWRITTEN = re.compile(
    r"\b(?:this|my) (?:comment|post)\b.{0,80}"
    r"\b(?:overwritten|edited|deleted|removed|purged|redacted)\b.{0,80}\b(?:script|privacy|protest|power ?delete|api)",
    re.IGNORECASE | re.DOTALL,
)
_NOTICE = re.compile(
    r"^\W*(?:(?:sorry|hi|hello|hey),? .{1,60}\byour (?:comment|post|submission|thread) (?:has|was|have)\b.{0,40}\bremoved|"
    r"your (?:comment|post|submission)(?: has)? (?:violated|(?:been )?removed)|removed,? (?:see|per|for|under|due to) .{0,30}\brule|"
    r"(?:comment|post|submission) removed\b|this (?:comment|post|submission|thread) has been (?:removed|locked))|"
    r"\bi am a bot\b.{0,80}performed automatically|\bbeep\b.{0,3}\bboop\b",
    re.IGNORECASE | re.DOTALL,
)


def clean_reply(text: str, touched: Counter[str] | None = None) -> str:
    """A reply without noise and giveaways; idempotent. ``touched`` counts, by rule, the texts that the rule changed."""
    return _through(REPLY_RULES, text, touched)


def clean_post(text: str, touched: Counter[str] | None = None) -> str:
    """A post's text, as :func:`clean_reply`; its own quotes stay, for they are part of the view."""
    return _through(POST_RULES, text, touched)


def clean_title(text: str) -> str:
    """A post's title on one line, without the label "CMV" before or behind it."""
    return _through(TITLE_RULES, text, None)


def premise_text(title: str, text: str, words: int = PREMISE_WORDS, touched: Counter[str] | None = None) -> str:
    """The view to be changed: title, blank line, text; cleaned and cut to its first ``words`` words."""
    parts = (clean_title(title), clean_post(text, touched))
    return cut_words("\n\n".join(part for part in parts if part), words)


def is_deleted(text: str) -> bool:
    """Nothing is left of the text: empty, or one of the wordings of [deleted] and [removed]."""
    return not text.strip() or _DELETED.fullmatch(text) is not None


def is_overwritten(text: str) -> bool:
    """A script has replaced the text with a notice (the habit of people who leave the site)."""
    return len(text) < 1500 and _OVERWRITTEN.search(text) is not None


def is_bot(author: str | None) -> bool:
    """The author is one of the known :data:`BOTS`."""
    return author is not None and author.lower() in BOTS


def is_notice(text: str) -> bool:
    """A moderator's notice about somebody's comment or post, or a bot that says it is one."""
    return _NOTICE.search(text) is not None


def _through(rules: Mapping[str, Rule], text: str, touched: Counter[str] | None) -> str:
    changed: set[str] = set()
    before = None
    while text != before:
        before = text
        for name, rule in rules.items():
            after = rule(text)
            if after != text:
                changed.add(name)
                text = after
    if touched is not None:
        touched.update(sorted(changed))
    return text


def _entities(text: str) -> str:
    """Entities escaped twice or more (a typed ``&#8710;`` arrives as ``&amp;#8710;``) become their characters."""
    return _ENTITY.sub(lambda match: html.unescape(match.group()), re.sub(r"&(?:amp;)+", "&", text))


def _invisible(text: str) -> str:
    return _INVISIBLE.sub("", text)


def _links(text: str) -> str:
    """A link becomes its text; a bare address becomes "(link)", so that no model learns to make addresses up."""
    found = 1
    while found:  # innermost first; here and not by another pass through all rules, for links may be nested deep
        text, found = _LINK.subn(r"\1", text)
    return _BARE_LINK.sub("(link)", text)


def _names(text: str) -> str:
    return _NAME.sub("someone", text)


def _footers(text: str) -> str:
    """The moderators' footnote below posts (all wordings), and lines drawn by signs."""
    return _RULE_LINE.sub("", _FOOTER.sub("", text))


def _quotes(text: str) -> str:
    return _QUOTE.sub("", text)


def _tokens(text: str) -> str:
    return _SPOILER.sub("", _TOKEN.sub("", text))


def _delta_talk(text: str) -> str:
    """Short lines about an award given, received, asked for or refused. Long lines that only speak of deltas are argument: they stay."""
    return "\n".join(line for line in text.split("\n") if not _is_delta_talk(line))


def _is_delta_talk(line: str) -> bool:
    if _BOT_TALK.search(line):
        return True
    return len(line) < 400 and len(line.split()) <= 30 and bool(_DELTA_WORD.search(line)) and bool(_DELTA_DEED.search(line))


def _edits(text: str) -> str:
    return _without_edits(text, whole=False)


def _post_edits(text: str) -> str:
    return _without_edits(text, whole=True)


def _without_edits(text: str, whole: bool) -> str:
    """Leave out edits that thank, award or concede; those that mend a word or add an argument stay.

    An edit runs from its mark to the end of the paragraph. With ``whole`` (posts: "Edit: you convinced me, and here is how …") one
    in the second half of the text runs on to the next edit or the end. An edit that is most of the text loses only its telling sentences.
    """
    marks = list(_EDIT.finditer(text))
    if not marks:
        return text
    kept = [text[: marks[0].start()]]
    for mark, end in zip(marks, [*(later.start() for later in marks[1:]), len(text)], strict=True):
        blank = _BLANK_LINE.search(text, mark.end(), end)  # the mark swallows no line end: "EDIT:" alone ...
        if blank and not text[mark.end() : blank.start()].strip():  # ... heads the paragraph below it
            blank = _BLANK_LINE.search(text, blank.end(), end)
        close = blank.start() if blank else end
        if not _GIVES_AWAY.search(text, mark.start(), close):
            kept.append(text[mark.start() : end])
        elif whole and mark.start() * 2 >= len(text):
            continue
        elif (close - mark.start()) * 2 > len(text):  # the edit and the argument in one paragraph: only the sentences that give away go
            sentences = re.split(r"(?<=[.!?])(?=\s)", text[mark.start() : close])
            kept += [*(sentence for sentence in sentences if not _GIVES_AWAY.search(sentence)), text[close:end]]
        else:
            kept.append(text[close:end])
    return "".join(kept)


def _space(text: str) -> str:
    """One space between words, one blank line between paragraphs, none around."""
    lines = (" ".join(line.split()) for line in re.split(r"\r\n|\r|\n", text))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _label(text: str) -> str:
    """CMV before and behind the text. Only the last 80 characters are looked at: searched whole, a hostile text would take minutes."""
    text = _FIRST_LABEL.sub("", text)
    return text[:-80] + _LAST_LABEL.sub("", text[-80:])


_BASIC: dict[str, Rule] = {"entities escaped twice": _entities, "invisible characters": _invisible}
_COMMON: dict[str, Rule] = {
    "talk about deltas": _delta_talk,
    "award tokens": _tokens,
    "links": _links,
    "user names": _names,
    "white space": _space,
}
REPLY_RULES: dict[str, Rule] = (
    _BASIC | {"quotes": _quotes, "footers and drawn lines": _footers, "edits that thank or concede": _edits} | _COMMON
)
POST_RULES: dict[str, Rule] = (
    _BASIC | {"footers and drawn lines": _footers, "edits that thank or concede": _post_edits, "the label CMV": _label} | _COMMON
)
TITLE_RULES: dict[str, Rule] = _BASIC | {"the label CMV": _label, "links": _links, "user names": _names, "white space": _one_line}
