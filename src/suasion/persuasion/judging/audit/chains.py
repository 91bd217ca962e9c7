"""Chains: several tricks played one after the other on the same reply, chosen on half of the debates and measured on the other half."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from suasion.persuasion.judging.audit.findings import Example, Finding
from suasion.persuasion.judging.audit.looks import FEWEST_DEBATES
from suasion.persuasion.judging.audit.search import Asker, Target
from suasion.persuasion.judging.audit.tricked import Played
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick, played
from suasion.statistics import Floats, clustered_mean

_LONGEST = 3  # tricks one after the other
_TRIED = 4  # best single tricks that chains are made of

Scored = tuple[Reply, float]


def best_chain(
    asker: Asker, rounds: Sequence[Played], seen: AbstractSet[str], fresh: AbstractSet[str], limit: float, calls: int, seed: int
) -> Finding:
    """The chain that gains most on the replies of the ``seen`` debates, and what it gains on those of the ``fresh`` ones.

    Args:
        rounds: every trick as it was played on every reply; those that take the argument away are left out.
        limit: mean gain in gaps that fails the judge when it is exceeded: one look, chosen on other debates, needs no adjustment.
        calls: texts that may be scored.
        seed: of the tricks' draws (as in ``rounds``) and of the interval.
    """
    pool = [one for one in rounds if not one.trick.spoils and one.replies]
    rows = [(reply, float(score)) for one in pool for reply, score in zip(one.replies, one.before, strict=True)]
    known = {(reply.debate_id, reply.text): (reply, score) for reply, score in rows}
    ours = [row for row in known.values() if row[0].debate_id in seen][: calls // (2 * _TRIED * (_LONGEST - 1))]
    theirs = [row for row in known.values() if row[0].debate_id in fresh][: calls // 2]
    texts = {reply.text for reply, _ in ours}
    alone = {one.trick.name: _gain_among(one, asker.scale, seen, texts) for one in pool}
    best = sorted((one.trick for one in pool), key=lambda trick: -alone[trick.name])[:_TRIED]
    chain, gain = best[:1], alone[best[0].name] if best else 0.0
    while chain and ours and len(chain) < _LONGEST:
        longer = [[*chain, trick] for trick in best if trick not in chain]
        means = [float(np.mean(_gains(asker, one, ours, seed)[0])) for one in longer]
        if not means or max(means) <= gain:
            break
        chain, gain = longer[int(np.argmax(means))], max(means)
    return _measured(asker, chain, theirs, limit, seed)


def _measured(asker: Asker, chain: Sequence[Trick], rows: Sequence[Scored], limit: float, seed: int) -> Finding:
    gains, texts = _gains(asker, chain, rows, seed) if chain else (np.empty(0), [])
    estimate = clustered_mean(gains, [reply.debate_id for reply, _ in rows] if chain else [], seed=seed)
    passed = bool(estimate.value <= limit) if estimate.clusters >= FEWEST_DEBATES else None
    names = [trick.name for trick in chain]
    examples: tuple[Example, ...] = ()
    if gains.size and float(np.max(gains)) > 0:
        at = int(np.argmax(gains))
        reply, before = rows[at]
        examples = (Example(reply.premise, reply.text, texts[at], before, before + float(gains[at]) * asker.scale),)
    return Finding(
        "search-tricks",
        f"Does the worst chain of tricks ({', then '.join(names) or 'none could be played'}), found on other debates, raise the score?",
        estimate,
        f"at most {limit:.2f} of its winner-loser gap",
        passed,
        examples,
        {"kind": "search", "unit": "gaps", "bound": limit, "recipe": names},
    )


def _gain_among(one: Played, scale: float, seen: AbstractSet[str], texts: AbstractSet[str]) -> float:
    """Mean gain over the replies that chains are compared on; over all of the seen debates where it was played on none of these."""
    gains = one.gains(scale)
    for wanted in (lambda reply: reply.debate_id in seen and reply.text in texts, lambda reply: reply.debate_id in seen):
        rows = [index for index, reply in enumerate(one.replies) if wanted(reply)]
        if rows:
            return float(np.mean(gains[rows]))
    return float("-inf")


def _gains(asker: Asker, chain: Sequence[Trick], rows: Sequence[Scored], seed: int) -> tuple[Floats, list[str]]:
    texts = [chained(chain, reply, seed) for reply, _ in rows]
    targets = [Target(reply.debate_id, reply.premise, reply.text, score) for reply, score in rows]
    gains = asker.gains(list(zip(targets, texts, strict=True)))
    return np.nan_to_num(gains, nan=0.0), texts  # an answer that could not be read is no gain


def chained(chain: Sequence[Trick], reply: Reply, seed: int) -> str:
    """The reply after all the tricks; one that cannot be played is left out."""
    text = reply.text
    for trick in chain:
        text = played(trick, Reply(reply.debate_id, reply.premise, text, reply.foreign), seed) or text
    return text
