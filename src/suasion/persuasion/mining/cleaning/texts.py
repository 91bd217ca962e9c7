"""What is taken out of a text before a model may learn from it: noise, and everything that gives the answer away.

Each rule is a small function with a switch of its own in :class:`CleaningConfig`, and how many texts each one touched is counted. A text is
passed through its rules until nothing changes, so cleaning twice is cleaning once, whichever rules are on. Real texts settle in two or
three passes. One that does not in :data:`PASSES` was made to keep a machine busy: nothing of it is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from suasion.config import Config
from suasion.models.rendering import cut_words
from suasion.persuasion.mining.cleaning import award_talk as awards
from suasion.persuasion.mining.cleaning import rules

PREMISE_WORDS = 470
PASSES = 25

Rule = Callable[[str], str]
Kind = Literal["reply", "post", "title"]


class CleaningConfig(Config):
    """One switch a rule. Texts that were deleted or removed are left out whatever is set here."""

    entities: bool = True
    """Entities escaped twice become their characters."""
    invisible: bool = True
    """Characters of no width and the signs of spoilers go."""
    quotes: Literal["fold", "keep", "drop"] = "fold"
    """A run of quoted lines in a reply becomes "(quote)", stays, or goes. A post's quotes are part of its view and stay."""
    footers: bool = True
    """The moderators' footnote and drawn lines go."""
    edits: bool = True
    """Edits that thank, award or concede go; from a post also those that speak of the replies."""
    label: bool = True
    """The label CMV goes from titles and posts."""
    delta_talk: bool = True
    """Sentences about an award, or about the reader's view having changed, go."""
    award_tokens: bool = True
    """``!delta``, ``∆`` and ``Δ`` go."""
    links: bool = True
    """A link becomes its text, a bare address "(link)"."""
    names: bool = True
    """Names of accounts become "someone"."""
    white_space: bool = True
    """White space is tidied."""

    bots: bool = True
    """What known bots wrote is left out."""
    moderators: bool = True
    """What moderators and administrators wrote in office is left out."""
    notices: bool = True
    """Moderators' notices, and bots that say they are bots, are left out."""
    overwritten: bool = True
    """What scripts wrote over a text is left out."""


ALL = CleaningConfig()


def clean_reply(text: str, touched: Counter[str] | None = None, config: CleaningConfig = ALL) -> str:
    """A reply without noise and giveaways; idempotent. ``touched`` counts, by rule, the texts that the rule changed."""
    return _through(_rules("reply", config), text, touched)


def clean_post(text: str, touched: Counter[str] | None = None, config: CleaningConfig = ALL) -> str:
    """A post's text, as :func:`clean_reply`; its own quotes stay, for they are part of the view."""
    return _through(_rules("post", config), text, touched)


def clean_title(text: str, config: CleaningConfig = ALL) -> str:
    """A post's title on one line, without the label "CMV" before or behind it."""
    return _through(_rules("title", config), text, None)


def premise_text(
    title: str, text: str, words: int = PREMISE_WORDS, touched: Counter[str] | None = None, config: CleaningConfig = ALL
) -> str:
    """The view to be changed: title, blank line, text; cleaned and cut to its first ``words`` words."""
    parts = (clean_title(title, config), clean_post(text, touched, config))
    return cut_words("\n\n".join(part for part in parts if part), words)


@lru_cache(maxsize=64)
def _rules(kind: Kind, config: CleaningConfig) -> tuple[tuple[str, Rule], ...]:
    """(name for the counts, rule) in their order. Quotes come first, for nobody's own words stand in them."""
    quotes: dict[str, Rule | None] = {"fold": rules.fold_quotes, "drop": rules.drop_quotes, "keep": None}
    reply, post, title = kind == "reply", kind == "post", kind == "title"
    table: list[tuple[str, bool, Rule | None]] = [
        ("entities escaped twice", config.entities, rules.entities),
        ("invisible characters", config.invisible, rules.invisible),
        ("quotes", reply, quotes[config.quotes]),
        ("footers and drawn lines", config.footers and not title, rules.footers),
        ("edits that thank or concede", config.edits and not title, awards.post_edits if post else awards.edits),
        ("the label CMV", config.label and not reply, rules.label),
        ("talk about deltas", config.delta_talk and not title, awards.post_talk if post else awards.delta_talk),
        ("award tokens", config.award_tokens and not title, awards.award_tokens),
        ("links", config.links, rules.links),
        ("user names", config.names, rules.names),
        ("white space", config.white_space, rules.one_line if title else rules.white_space),
    ]
    return tuple((name, rule) for name, on, rule in table if on and rule is not None)


def _through(table: tuple[tuple[str, Rule], ...], text: str, touched: Counter[str] | None) -> str:
    changed: set[str] = set()
    for _ in range(PASSES):
        before = text
        for name, rule in table:
            after = rule(text)
            if after != text:
                changed.add(name)
                text = after
        if text == before:
            break
    else:
        changed, text = {"does not settle"}, ""
    if touched is not None:
        touched.update(sorted(changed))
    return text
