"""A language model as judge: two replies compared in both orders, or one reply given a mark; for evaluation, as an independent judge.

Such a judge favours the reply that it is shown first, the longer one, and its own (Zheng et al. 2023, arXiv:2306.05685). So a comparison
is asked both ways round: only a verdict that survives the swap is a win, all else is a tie, and how often a swap changes the verdict is
reported. A verdict that cannot be read has no score: it is NaN, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from suasion.config import Config
from suasion.models.base import cache_folder
from suasion.models.chat.engine import ChatEngine, ChatSampling, Message
from suasion.models.chat.many import Answer, ask_all
from suasion.models.chat.server import Server, ServerConfig
from suasion.models.rendering import cut_words
from suasion.models.scoring import Scores
from suasion.persuasion.judging.kept_answers import KeptAnswers, key_of
from suasion.persuasion.judging.verdicts import mark_question, pairwise_question, read_mark, read_winner
from suasion.statistics import Estimate, clustered_share

#: The judge's name wherever a judge run can be named.
LLM = "llm"


class LlmConfig(Config):
    """A language model as judge."""

    server: ServerConfig = ServerConfig()
    sampling: ChatSampling = ChatSampling()
    premise_words: int = Field(470, ge=1)
    """Words of a premise that are shown."""
    reply_words: int = Field(1000, ge=1)
    """Words of a reply that are shown."""


@dataclass(frozen=True)
class Comparison:
    """Verdicts on n pairs of replies.

    ``orders``, shape (n, 2): what the pair's first reply was credited with when it was shown first (column 0) and when it was shown second
    (column 1): 1 won, 0.5 tied, 0 lost, NaN unreadable. ``too_long`` counts the questions that did not fit into the model's context (they
    are NaN too).
    """

    orders: NDArray[np.float64]
    too_long: int

    @property
    def credit(self) -> NDArray[np.float64]:
        """Shape (n,): 1 or 0 where both orders agree on a winner, 0.5 otherwise, NaN where either cannot be read."""
        one, other = self.orders[:, 0], self.orders[:, 1]
        return np.where(np.isnan(one) | np.isnan(other), np.nan, np.where(one == other, one, 0.5))

    @property
    def unreadable(self) -> int:
        """Answers, of the 2 n, that could not be read."""
        return int(np.isnan(self.orders).sum())

    def win_share(self, debates: Sequence[str]) -> Estimate:
        """How often the first reply wins, ties half, over the pairs that could be read."""
        return _share(self.credit, debates)

    def flipped(self, debates: Sequence[str]) -> Estimate:
        """Order bias: how often swapping the two changes the verdict, over the pairs that could be read."""
        changed = np.where(np.isnan(self.credit), np.nan, self.orders[:, 0] != self.orders[:, 1])
        return _share(changed, debates)

    def shown_first(self, debates: Sequence[str]) -> Estimate:
        """Which way the order pulls: how often the reply that is shown first wins, ties half; 0.5 is no pull."""
        return _share(np.concatenate([self.orders[:, 0], 1 - self.orders[:, 1]]), [*debates, *debates])

    def as_dict(self, debates: Sequence[str]) -> dict[str, Any]:
        """All of it, JSON-able."""
        return {
            "pairs": len(self.orders),
            "unreadable_answers": self.unreadable,
            "too_long": self.too_long,
            "ties": int(np.sum(self.credit == 0.5)),
            "win_share": self.win_share(debates).as_dict(),
            "flipped_by_order": self.flipped(debates).as_dict(),
            "shown_first_wins": self.shown_first(debates).as_dict(),
        }


class LlmJudge:
    """Judges through a chat engine. As a :class:`suasion.persuasion.judging.judge.Judge` it gives marks from 1 to 100.

    Args:
        engine: who is asked.
        config: how much is shown, and how answers are drawn.
        kept: answers that were given before.
        seed: of the fences' markers, and sent along with each request.
    """

    #: A score may be NaN: the answer could not be read, or the texts did not fit. Such a text is left out and counted, never scored.
    may_be_unreadable = True

    def __init__(self, engine: ChatEngine, config: LlmConfig, kept: KeptAnswers, *, seed: int, label: str = "") -> None:
        self.engine, self.config, self.kept, self.seed, self.label = engine, config, kept, seed, label
        self._sampling = config.sampling if config.sampling.seed is not None else config.sampling.model_copy(update={"seed": seed})

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """A mark from 1 to 100 a reply, shape (n,), float32; NaN where it could not be read. Coarse: expect ties."""
        questions = [
            mark_question(self._view(premise), self._reply(reply), self.seed) for premise, reply in zip(premises, replies, strict=True)
        ]
        return np.asarray([_read(answer, read_mark) for answer in self._answers(questions)], dtype=np.float32)

    def compare(self, premises: Sequence[str], firsts: Sequence[str], seconds: Sequence[str]) -> Comparison:
        """Which of two replies to each premise convinces more, asked in both orders: 2 n questions."""
        three = zip(premises, firsts, seconds, strict=True)
        texts = [(self._view(premise), self._reply(first), self._reply(second)) for premise, first, second in three]
        forward = [pairwise_question(premise, first, second, self.seed) for premise, first, second in texts]
        backward = [pairwise_question(premise, second, first, self.seed) for premise, first, second in texts]
        answers = self._answers(forward + backward)
        read = np.asarray([_read(answer, read_winner) for answer in answers], dtype=np.float64).reshape(2, -1)
        return Comparison(np.stack([read[0], 1 - read[1]], axis=1), too_long=sum(answer is None for answer in answers))

    def _view(self, premise: str) -> str:
        return cut_words(premise, self.config.premise_words)

    def _reply(self, reply: str) -> str:
        return cut_words(reply, self.config.reply_words)

    def _answers(self, questions: Sequence[Sequence[Message]]) -> list[str | None]:
        """An answer to each, each question put once at most; ``None`` where it does not fit."""
        keys = [key_of(self.engine.identity, question, self._sampling) for question in questions]
        new = {key: question for key, question in zip(keys, questions, strict=True) if self.kept.get(key) is None}
        order = list(new)

        def keep(answer: Answer) -> None:
            if answer.text is not None:
                self.kept.keep(order[answer.number], answer.text)

        ask_all(self.engine, list(new.values()), self._sampling, keep, label=self.label)
        return [self.kept.get(key) for key in keys]


def check_llm(config: LlmConfig) -> None:
    """Refuse now what could not be asked after hours of other work. Raises SuasionError: no model is named, or the key is not set."""
    Server(config.server)


def load_llm_judge(config: LlmConfig, *, seed: int, kept: Path | None = None, label: str = "") -> LlmJudge:
    """The judge behind a server.

    Args:
        kept: the log of answers; by default one in the user's cache, so that an audit and an evaluation ask nothing twice.

    Raises:
        SuasionError: no model is named, the key is not set, or the log cannot be kept.
    """
    return LlmJudge(Server(config.server), config, KeptAnswers(kept or cache_folder() / "answers.jsonl"), seed=seed, label=label)


def _read(answer: str | None, reader: Callable[[str], float | None]) -> float:
    found = None if answer is None else reader(answer)
    return float("nan") if found is None else float(found)


def _share(values: NDArray[np.float64], debates: Sequence[str]) -> Estimate:
    """Over what could be read."""
    known = np.flatnonzero(~np.isnan(values)).tolist()
    return clustered_share(values[known], [debates[row] for row in known])
