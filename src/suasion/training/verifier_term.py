"""A verifier of argument analysis as a term of the reward: what is taken off a reply that is no valid answer to the task.

It is asked over HTTP (``suasion serve``), as any other service would be: the wing that persuades knows nothing of the wing that proves.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import httpx
import msgspec
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.chat.patience import TRANSIENT, pause, retry_after

ATTEMPTS = 6
#: Share of the weight that each verdict costs. A prover that gave up has said neither.
_COSTS = {"valid": 0.0, "undecided": 0.5, "invalid": 1.0}


class VerifierTerm(Config):
    """Takes off ``weight`` from an invalid answer to ``task`` about the premise, half of it where the verdict is undecided."""

    weight: float = Field(gt=0)
    task: str = Field(min_length=1, pattern=r"^[a-z_]+$")
    """Of ``docs/tasks.md``: ``argmap``, say. The premise is its source text."""
    url: str = Field(pattern=r"^https?://")
    """Where a ``suasion serve`` listens."""
    seconds: float = Field(120.0, gt=0)
    """For each request."""
    answers: int = Field(64, ge=1)
    """At most so many in a request; the service takes 256."""


class _Told(msgspec.Struct):
    verdict: str


class _Verdicts(msgspec.Struct):
    verdicts: list[_Told]


def costs(term: VerifierTerm, premises: Sequence[str], replies: Sequence[str]) -> NDArray[np.float64]:
    """What each reply costs, shape (n,): 0 where it is valid, 0.5 where undecided, 1 where invalid. One request a premise and
    ``answers`` replies.

    Raises:
        SuasionError: the service cannot be reached, refuses, or says what is no verdict.
    """
    found = np.empty(len(replies), dtype=np.float64)
    indices: dict[str, list[int]] = {}
    for index, premise in enumerate(premises):
        indices.setdefault(premise, []).append(index)
    with httpx.Client(base_url=term.url, timeout=term.seconds) as client:
        for premise, places in indices.items():
            for start in range(0, len(places), term.answers):
                part = places[start : start + term.answers]
                found[part] = _asked(client, term, premise, [replies[index] for index in part])
    return found


def _asked(client: httpx.Client, term: VerifierTerm, source: str, answers: list[str]) -> list[float]:
    generator = random.Random()  # of pauses only
    for attempt in range(1, ATTEMPTS + 1):
        after = None
        try:
            reply = client.post(f"/verify/{term.task}", json={"source": source, "answers": answers})
        except httpx.HTTPError as error:
            trouble = f"{type(error).__name__}: {error}"
        else:
            if reply.status_code == 200:
                return _read(term, reply.content, len(answers))
            trouble = f"status {reply.status_code}: {reply.text[:200]}"
            if reply.status_code not in TRANSIENT:
                break
            after = retry_after(reply.headers)
        if attempt < ATTEMPTS:
            time.sleep(pause(attempt, after, generator))
    raise SuasionError(
        f"The verifier gave no verdicts ({trouble}).",
        where=f"{term.url}/verify/{term.task}",
        hint="Start it with `suasion serve`, and name its address in practice.shaping.verifier.url.",
    )


def _read(term: VerifierTerm, content: bytes, wanted: int) -> list[float]:
    try:
        told = [_COSTS[one.verdict] for one in msgspec.json.decode(content, type=_Verdicts).verdicts]
    except (msgspec.DecodeError, KeyError) as error:
        raise SuasionError(f"The verifier's reply cannot be read: {error}", where=term.url, hint="Is it `suasion serve`?") from error
    if len(told) != wanted:
        raise SuasionError(f"The verifier gave {len(told)} verdicts on {wanted} answers.", where=term.url, hint="Is it `suasion serve`?")
    return told
