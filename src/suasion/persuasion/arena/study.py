"""What a study asks of its raters: the settings that are fixed before the first ballot and lie in the study's ``study.yaml``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.persuasion.arena.screening import Screening

Design = Literal["preference", "change-of-view"]
Line = Annotated[str, Field(min_length=1, max_length=500)]

CONSENT = (
    "You will read opinions that people posted, and replies to them. Some of the replies may have been written by computer programs; you "
    "are not told which. Some may argue for things you find wrong or unpleasant.\n\n"
    "Taking part is voluntary, and you may stop at any time by closing the page. What is kept: the nickname that you choose, your answers, "
    "and when you gave them. The answers are used, without the nickname, to find out whose replies convince people."
)


class Practice(Config):
    """A practice ballot: two replies of which one is plainly better, and why, which the rater is told afterwards."""

    premise: str
    better: str
    worse: str
    why: str


class Study(Config):
    """Everything that is decided before the first ballot. A study's settings cannot be changed once it is made."""

    title: Line = "Which reply is better?"
    design: Design = "preference"
    """``preference``: two replies, which is better? ``change-of-view``: one reply, and one's own opinion before and after it."""
    question: Line = "Which reply would be more likely to change this person's view?"
    consent: Annotated[str, Field(min_length=1, max_length=20_000)] = CONSENT
    thanks: Annotated[str, Field(min_length=1, max_length=5_000)] = "All your answers are stored. You can close this page."
    ask: tuple[Line, ...] = ()
    """Further questions on the first page, answered in a line of text. They may make the data personal: ask only what is needed."""

    ties: bool = True
    """Whether "about equally good" is an answer."""
    both_bad: bool = False
    """Whether "both are bad" is an answer."""
    strength: bool = False
    """Whether to ask how much better, from 1 (slightly) to 3 (clearly)."""
    reason: bool = False
    """Whether to ask for a reason, which may be left empty."""
    scale: Annotated[int, Field(ge=3, le=11)] = 7
    """Steps from "disagree" to "agree" in a change-of-view study."""

    humans: bool = True
    """Whether replies that changed a view in the real debate take part, as one more system, where the sources have them."""
    premises: Annotated[int | None, Field(ge=1)] = None
    """At most so many, drawn by the seed; default: all that every system has replied to."""
    raters_per_premise: Annotated[int, Field(ge=1, le=1000)] = 3
    ballots_per_rater: Annotated[int, Field(ge=1, le=500)] = 20
    """At most; never more than there are premises."""
    practice: bool = True
    """Whether to begin with practice ballots, with feedback."""
    examples: Annotated[tuple[Practice, ...], Field(max_length=10)] = ()
    """Practice ballots of the study's own, instead of the built-in ones."""
    reading_checks: Annotated[int, Field(ge=0, le=3)] = 1
    """Attention checks: a sound reply against shuffled words; in a change-of-view study, a reply that asks for a certain answer."""
    repeat_checks: Annotated[int, Field(ge=0, le=10)] = 1
    """Attention checks of a preference study: an earlier pair again, sides swapped."""
    screening: Screening = Screening()
    """Whose ballots are left out of the second set of numbers; stated before the study."""
    seed: int = 0

    @model_validator(mode="after")
    def _fits(self) -> Study:
        if self.design == "change-of-view":
            changed = [name for name in ("both_bad", "strength") if getattr(self, name)]
            if changed:
                raise ValueError(f"{', '.join(changed)}: a change-of-view study shows one reply, so there is nothing to compare")
        return self

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers to a comparison, as they are stored."""
        return ("left", "right", *(("tie",) if self.ties else ()), *(("both_bad",) if self.both_bad else ()))
