"""Answers of a language model kept by what was asked, so that a killed evaluation goes on and a repeated one costs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import append_jsonl, read_jsonl, sha256_json
from suasion.models.chat.engine import ChatSampling, Message


class KeptAnswers:
    """A log that is appended to answer by answer, each on the disk before the next; a torn last line is forgiven.

    Args:
        path: the log, absent at first; ``None`` keeps answers in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._known: dict[str, str] = {}
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SuasionError(f"No place to keep answers: {error.strerror or error}", where=path.parent) from error
        for row in read_jsonl(path):
            if isinstance(row.get("key"), str) and isinstance(row.get("answer"), str):
                self._known[row["key"]] = row["answer"]

    def get(self, key: str) -> str | None:
        """The answer, if there is one."""
        return self._known.get(key)

    def keep(self, key: str, answer: str) -> None:
        """Keep an answer. Raises SuasionError where the log cannot be written."""
        self._known[key] = answer
        if self.path is not None:
            append_jsonl(self.path, {"key": key, "answer": answer})


def key_of(identity: str, messages: Sequence[Message], sampling: ChatSampling) -> str:
    """What an answer is kept under: the engine that gave it and everything it was asked."""
    turns: list[Mapping[str, str]] = [{"role": turn["role"], "content": turn["content"]} for turn in messages]
    return sha256_json([identity, turns, sampling.model_dump(mode="json")])
