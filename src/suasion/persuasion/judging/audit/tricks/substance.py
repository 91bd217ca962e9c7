"""Substance: the argument is taken away and something else put in its place. A judge that reads must mind.

The off-topic winner is a good argument on another question: a judge that likes the way winners sound, and does not read the premise, scores
it as high as the reply itself.
"""

from __future__ import annotations

import random

from suasion.persuasion.judging.audit.tricks.sentences import first_words
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick

#: The same three sentences on the weather, in German, French and Spanish.
_ELSEWHERE = (
    "Morgen wird es im Norden wechselnd bewölkt mit einzelnen Schauern, im Süden bleibt es meist trocken und freundlich. Am Nachmittag "
    "kommt mäßiger Wind aus Nordwest auf. Die Temperaturen liegen zwischen acht Grad an der Küste und fünfzehn Grad am Oberrhein.",
    "Demain, le ciel sera variable au nord avec quelques averses, tandis que le sud restera le plus souvent sec et ensoleillé. Un vent "
    "modéré de nord-ouest se lèvera dans l'après-midi. Les températures iront de huit degrés sur la côte à quinze degrés dans les vallées.",
    "Mañana el cielo estará variable en el norte con algunos chubascos, mientras que el sur seguirá casi siempre seco y soleado. Por la "
    "tarde soplará un viento moderado del noroeste. Las temperaturas irán de ocho grados en la costa a quince grados en los valles.",
)


def _off_topic(reply: Reply, draw: random.Random) -> str | None:
    return reply.foreign if reply.foreign.strip() else None


def _premise(reply: Reply, draw: random.Random) -> str | None:
    return reply.premise if reply.premise.strip() and reply.premise != reply.text else None


def _empty(reply: Reply, draw: random.Random) -> str | None:
    return "" if reply.text else None


def _language(reply: Reply, draw: random.Random) -> str:
    """About the weather, in another language, as many words as the reply has: length must not be what gives it away."""
    words = max(1, len(reply.text.split()))
    text = draw.choice(_ELSEWHERE)
    return first_words(" ".join([text] * (words // len(text.split()) + 1)), words)


SUBSTANCE = (
    Trick("off-topic", "putting a winner of another debate in its place", _off_topic, spoils=True),
    Trick("premise", "putting the premise itself in its place", _premise, spoils=True),
    Trick("empty", "putting nothing at all in its place", _empty, spoils=True),
    Trick("language", "putting the weather, in another language, in its place", _language, spoils=True),
)
