"""Do the judges see what people see? Each judge's scores against people's verdicts, in total and by length."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from suasion.errors import SuasionError
from suasion.persuasion.arena.ballots import Ballot, comparisons, view_changes
from suasion.persuasion.arena.clustering import Clustered, clustered_share

if TYPE_CHECKING:
    from suasion.persuasion.arena.store import Store


class Scoring(Protocol):
    """Anything that gives each reply a number: the greater the better."""

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Any:
        """Scores, shape (n,)."""


#: Kinds of ballots, by which reply people took: a judge that counts words is right on the first and wrong on the second.
SPLITS = ("all", "people took the longer", "people took the shorter", "about as long")
_ABOUT = 1.1  # up to this ratio of words two replies are about as long


@dataclass(frozen=True)
class JudgeAgreement:
    """How often a judge prefers the reply that a rater preferred (or that moved its reader further than the other moved another reader).

    A judge's tie counts half, people's ties are left out.
    """

    judge: str
    shares: dict[str, Clustered]  # by the names of SPLITS

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return {"judge": self.judge, "agreement": {name: one.as_dict() for name, one in self.shares.items()}}


def judges_and_people(ballots: Sequence[Ballot], scores: Mapping[str, Mapping[str, float]]) -> list[JudgeAgreement]:
    """Agreement of each judge with people.

    Args:
        scores: judge: reply's id: score. A reply without a score leaves its ballots out.
    """
    decided = [ballot for ballot in [*comparisons(ballots), *_couples(ballots)] if ballot.answer in ("left", "right")]
    return [_against(judge, decided, of_judge) for judge, of_judge in scores.items()]


def words_as_judge(ballots: Sequence[Ballot]) -> dict[str, float]:
    """The judge to beat: the longer reply is the better one. Scores by reply's id."""
    counted = [*comparisons(ballots), *view_changes(ballots)]
    sides = [((one.left_reply, one.left_words), (one.right_reply, one.right_words)) for one in counted]
    return {reply: float(words) for both in sides for reply, words in both if reply}


def scores_of(judge: Scoring, store: Store) -> dict[str, float]:
    """A judge's score for each reply of a study, by the reply's id, each beside its premise; what it could not judge is left out."""
    premises, replies = store.premises(), store.replies()
    scores = judge.score([premises[reply.premise] for reply in replies], [reply.text for reply in replies])
    return {reply.id: float(score) for reply, score in zip(replies, scores, strict=True) if math.isfinite(score)}


def read_scores(path: Path, replies: Collection[str]) -> dict[str, dict[str, float]]:
    """Read judges' scores: JSON lines with the ``reply``'s id and one number a judge; texts beside them are passed over.

    Args:
        replies: the ids there are; a row about another reply is an error.

    Raises:
        SuasionError: unreadable, a row without a known reply, a score that is no finite number, or no score at all.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the scores: {error}", where=path) from error
    scores: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SuasionError(f"This line is not JSON: {error}", where=where) from error
        reply = row.get("reply") if isinstance(row, dict) else None
        if not isinstance(reply, str) or reply not in replies:
            hint = "Begin from the replies that `suasion arena export` writes, and add a column a judge."
            raise SuasionError("This line names no reply of the study.", where=where, hint=hint)
        for judge, score in row.items():
            if isinstance(score, int | float) and not isinstance(score, bool) and judge != "words":
                if not math.isfinite(score):
                    raise SuasionError(f"The score of '{judge}' is not a finite number.", where=where)
                scores.setdefault(judge, {})[reply] = float(score)
    if not scores:
        raise SuasionError("There is no score in this file.", where=path, hint='A line is {"reply": ID, "practice judge": 1.25, …}.')
    return scores


def _couples(ballots: Sequence[Ballot]) -> list[Ballot]:
    """In a study of changed views: two raters, two replies to one premise, and which of them moved its reader further.

    They are given as comparisons whose rater is the premise: couples share their raters in all ways, so that only premises can be taken as
    independent, and intervals are clustered by them alone.
    """
    by_premise: dict[str, list[Ballot]] = {}
    for ballot in view_changes(ballots):
        by_premise.setdefault(ballot.premise, []).append(ballot)
    return [
        replace(
            one,
            rater=premise,
            right=other.left,
            right_reply=other.left_reply,
            right_words=other.left_words,
            answer="left" if one.fall > other.fall else "right" if one.fall < other.fall else "tie",
        )
        for premise, theirs in by_premise.items()
        for one, other in combinations(theirs, 2)
        if one.left != other.left
    ]


def _against(judge: str, decided: Sequence[Ballot], scores: Mapping[str, float]) -> JudgeAgreement:
    known = [ballot for ballot in decided if ballot.left_reply in scores and ballot.right_reply in scores]
    right = [_right(ballot, scores) for ballot in known]
    kinds = [_kind(ballot) for ballot in known]
    shares = {}
    for split in SPLITS:
        chosen = [index for index, kind in enumerate(kinds) if split in ("all", kind)]
        shares[split] = clustered_share([right[index] for index in chosen], [known[index] for index in chosen])
    return JudgeAgreement(judge, shares)


def _right(ballot: Ballot, scores: Mapping[str, float]) -> float:
    taken, left = (ballot.left_reply, ballot.right_reply) if ballot.answer == "left" else (ballot.right_reply, ballot.left_reply)
    return 0.5 if scores[taken] == scores[left] else float(scores[taken] > scores[left])


def _kind(ballot: Ballot) -> str:
    taken, left = (ballot.left_words, ballot.right_words) if ballot.answer == "left" else (ballot.right_words, ballot.left_words)
    if max(taken, left) <= _ABOUT * min(taken, left):
        return SPLITS[3]
    return SPLITS[1] if taken > left else SPLITS[2]
