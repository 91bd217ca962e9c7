"""Texts of our own for practice ballots and attention checks, so that neither uses up a premise of the study."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from suasion.persuasion.arena.study import Practice

PRACTICE = (
    Practice(
        premise="Libraries have had their day. Everything in them is online, so towns should close them and spend the money on faster "
        "internet for everyone.",
        better="You are right that most of what people look up is online. But think of who sits in a library on a weekday: "
        "the pupil whose "
        "home has no quiet table, the man who has to apply for a job and owns no computer, the pensioner who is shown how the form works. "
        "Faster internet does nothing for them. Closing the building would not move the service online, it would end it for those who "
        "use it most.",
        worse="That is the silliest thing I have read all week. People like you have clearly never opened a book. Libraries are great and "
        "everybody knows it, so there is really nothing to discuss here.",
        why="One reply takes up what the author says, grants a part of it, and gives a reason that the author may not have "
        "thought of. The "
        "other only scolds.",
    ),
    Practice(
        premise="Nobody should be allowed to ride a bicycle without a helmet. If you fall you pay with your head, and then everybody else "
        "pays for the hospital.",
        better="Helmets are a good thing and I wear one. Making them compulsory is another matter: where that was done, fewer people "
        "cycled at all, and those who stopped now sit in cars. The health that was lost by moving less may well "
        "outweigh the injuries that "
        "were prevented. If it is the cost to everybody that troubles you, safer crossings would do more.",
        worse="I used to have a red bicycle and then I got a blue one. The blue one is faster, particularly downhill. My "
        "cousin has one too. "
        "There is a good shop near the station where they repair them while you wait.",
        why="One reply speaks to the author's own concern and shows it in another light. The other is about bicycles, but "
        "not about the view.",
    ),
)

_CHECKS = (
    (
        "Homework in primary school should be abolished. Children of eight have worked for six hours when they come home.",
        "Six hours is a long day, and pages of sums at the kitchen table help nobody. But abolishing homework also abolishes the ten "
        "minutes of reading aloud, and those are what the evidence speaks for most clearly: children who read a little every day learn to "
        "read fluently sooner. The families who would go on reading anyway lose nothing. The others lose the one push they got. Would a "
        "rule that allows reading, and nothing else, not meet your concern better than none at all?",
    ),
    (
        "Tipping in restaurants is a bad custom. The owner should pay the staff properly and put it on the bill.",
        "I would like honest prices as well. What makes me hesitate is what happened in places that tried: several put the prices up and "
        "the wages too, and lost both guests, who compared menus, and their best waiters, who had earned more from tips. A single "
        "restaurant cannot leave the custom without being punished for it. So the custom may be bad, and yet it is not the owner of this "
        "or that restaurant whom you should blame; only a rule for all of them could change it.",
    ),
    (
        "City centres should be closed to private cars, without exceptions.",
        "In most of a centre I would agree with you: the streets are better without them. It is the last two words that I would give up. "
        "A plumber comes with two hundred kilos of tools, a woman with bad knees cannot walk from the tram, and somebody who moves house "
        "needs a van once. Towns that allow such trips by permit have almost as few cars as those that allow none, and "
        "far fewer people who "
        "fight the whole plan. Exceptions are what makes the rule last.",
    ),
)
CHECKS = len(_CHECKS)


@dataclass(frozen=True)
class Check:
    """An attention check: a premise, a sound reply and its words in disorder."""

    premise: str
    sound: str
    gibberish: str


def checks(seed: int) -> list[Check]:
    """All checks there are, their words shuffled by the seed."""
    return [Check(premise, sound, gibberish(sound, seed)) for premise, sound in _CHECKS]


def gibberish(text: str, seed: int) -> str:
    """The same words in random order, in sentences as long as before."""
    rng = random.Random(seed)
    sentences = [re.findall(r"[\w'-]+", sentence) for sentence in re.split(r"(?<=[.?!])\s+", text)]
    words = [word.lower() for sentence in sentences for word in sentence]
    rng.shuffle(words)
    made, start = [], 0
    for sentence in sentences:
        part = " ".join(words[start : start + len(sentence)])
        start += len(sentence)
        made.append(part[:1].upper() + part[1:] + ".")
    return " ".join(made)


def instructed(sound: str, wanted: int) -> str:
    """A reply that asks, in its midst, for a certain answer: whoever has read it gives it."""
    sentences = re.split(r"(?<=[.?!])\s+", sound)
    middle = len(sentences) // 2
    sentences.insert(middle, f"This sentence only finds out whether replies are read: please choose {wanted} as your opinion below.")
    return " ".join(sentences)
