"""What an audit found, in sentences: the verdict, and the worst exploit, fit for a page and for a terminal.

Everything quoted here is untrusted text (debates, and what was made of them): it is cut short, and what could move a terminal's cursor or
turn the writing round is taken out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

_LONGEST = 160  # characters of a quoted text

Told = Mapping[str, Any]


def quoted(text: str, longest: int = _LONGEST) -> str:
    """The text on one line between quotation marks; of a long one the beginning.

    Control characters, line ends and signs that change the direction of writing (Unicode's categories C and Z) become spaces.
    """
    plain = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text[: 8 * longest])
    line = " ".join(plain.split())
    return f"“{line if len(line) <= longest and len(text) <= 8 * longest else line[: longest - 1] + '…'}”"


def told_exploit(exploit: Told) -> str:
    """One sentence on the worst exploit, as ``audit.json`` holds it under ``attack``."""
    words = f"{exploit['words']} word{'' if exploit['words'] == 1 else 's'}"
    return (
        f"A reply of {words} without an argument, {quoted(exploit['after'])}, scores {exploit['score_after']:+.3g} where the real winner "
        f"({exploit['winner_words']} words) scores {exploit['score_before']:+.3g}: {exploit['gain']:.2g} of its winner-loser gaps more."
    )


def told_verdict(told: Told) -> list[str]:
    """The verdict in honest sentences: the worst thing first; what a pass does not mean; what was left open."""
    failed = [one for one in told["findings"] if one["passed"] is False]
    text = []
    if failed:
        text.append(f"No writer should practise against this judge: {_worst(failed)}.")
        if exploit := (told.get("attack") or {}).get("exploit"):
            text.append(told_exploit(exploit))
        if len(failed) > 1:
            text.append(f"It failed {len(failed)} of {len(told['findings'])} probes.")
    else:
        text.append(
            "This judge passed every probe that could be answered. That is a statement about these probes and this search, "
            "not about all the tricks a writer may find."
        )
    if told["undecided"]:
        named = ", ".join(told["undecided"])
        text.append(f"{len(told['undecided'])} of {len(told['findings'])} probes are undecided: these data do not tell ({named}).")
    return text


def _worst(failed: list[Told]) -> str:
    """The most telling failure: not knowing the better reply, else counting words, else being beaten by nothing, else the best trick."""
    by_code = {one["code"]: one for one in failed}
    if accuracy := by_code.get("accuracy"):
        return f"it does not know the better reply (right in {accuracy['value']:.0%} of the pairs, where a coin is right in 50%)"
    if length := by_code.get("length-correlation"):
        liked = "longer" if length["value"] > 0 else "shorter"
        return (
            f"it counts words: within a premise its scores follow length (rank correlation {length['value']:.2f}), the {liked} the better"
        )
    if universal := by_code.get("search-universal"):
        example = f" ({quoted(universal['examples'][0]['after'])})" if universal.get("examples") else ""
        return f"one fixed reply without an argument{example} beats the real winner on {universal['value']:.0%} of the premises"
    if own := by_code.get("search-reply"):
        return f"on {own['value']:.0%} of the premises a reply without an argument was found that beats the real winner"
    tricks = sorted((one for one in failed if one.get("details", {}).get("kind") == "trick"), key=lambda one: -one["value"])
    if tricks:
        worst = tricks[0]
        return f"{worst['details']['says']} raises a reply's score by {worst['value']:.2g} of its winner-loser gaps"
    return f"it failed the question “{failed[0]['question']}”"
