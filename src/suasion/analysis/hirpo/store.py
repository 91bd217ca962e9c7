"""The answers and verdicts of an epoch, kept as they come: an epoch that is killed anywhere goes on from here.

A row of ``answers.jsonl`` is an answer (``key``, ``path``, ``asked``, ``text``, ``cut``) or a verdict (``key``, ``path``, ``findings``,
``scores``). ``key`` and ``path`` say which (see :class:`~suasion.analysis.hirpo.tries.Try`), so nothing is there twice; ``asked`` is a
digest of everything that the answer was asked for with. In memory there is only where each problem's rows begin.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from suasion.analysis.hirpo.rowlog import RowLog, rows
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling, Message


@dataclass(frozen=True)
class Said:
    """What a model said; ``text`` is ``None`` where the prompt was too long for it, ``cut`` how much repetition was taken off."""

    text: str | None
    cut: int = 0


@dataclass
class Known:
    """What is known already of one problem: what was said, by path, and the verdicts, by the text they are on."""

    said: dict[str, tuple[str, Said]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)


class Store:
    """Keeps answers and verdicts in a file, absent at first; in a ``with`` block, or closed by hand. One process at a time.

    Raises:
        SuasionError: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._begins: dict[str, array[int]] = {}
        for begins, row in rows(path):
            if isinstance(row.get("key"), str) and isinstance(row.get("path"), str):
                self._begins.setdefault(row["key"], array("Q")).append(begins)
        self._log = RowLog(path)

    @property
    def path(self) -> Path:
        """The file."""
        return self._log.path

    def known(self, key: str) -> Known:
        """What there is of a problem. Raises SuasionError where a row was tampered with."""
        known = Known()
        try:
            for begins in self._begins.get(key, ()):
                row = self._log.read(begins)
                if "asked" in row:
                    known.said.setdefault(row["path"], (row["asked"], Said(row["text"], row["cut"])))
                elif row["path"] in known.said:  # where it is not, the machine went down and took the answer with it
                    findings = tuple(Finding(**finding) for finding in row["findings"])
                    known.verdicts.setdefault(known.said[row["path"]][1].text or "", Verdict(findings, row["scores"]))
        except (LookupError, TypeError, ValueError) as error:
            raise SuasionError(
                f"A row on {key} is not as it was written: {error!r:.200}", where=self.path, hint="Begin in a new folder."
            ) from error
        return known

    def keep_said(self, key: str, path: str, asked: str, said: Said) -> None:
        """Keep an answer. Raises SuasionError where it cannot be written."""
        self._keep({"key": key, "path": path, "asked": asked, "text": said.text, "cut": said.cut})

    def keep_verdict(self, key: str, path: str, verdict: Verdict) -> None:
        """Keep a verdict on an answer that was kept before. Raises SuasionError where it cannot be written."""
        findings = [{name: getattr(finding, name) for name in Finding.__slots__} for finding in verdict.findings]
        self._keep({"key": key, "path": path, "findings": findings, "scores": dict(verdict.scores)})

    def close(self) -> None:
        """Force everything onto the disk. Raises SuasionError where that fails."""
        self._log.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _keep(self, row: dict[str, Any]) -> None:
        self._begins.setdefault(row["key"], array("Q")).append(self._log.append(row))


def digest_of_chat(messages: Sequence[Message]) -> str:
    """What tells one chat from another."""
    return hashlib.sha256(json.dumps([(turn["role"], turn["content"]) for turn in messages]).encode()).hexdigest()


def digest(chat: str, sampling: ChatSampling) -> str:
    """What tells one question from another: its chat's digest and how the answer is drawn, seed and all."""
    return hashlib.sha256(f"{chat} {json.dumps(sampling.model_dump(mode='json'), sort_keys=True)}".encode()).hexdigest()[:16]


def checked(known: Known, path: str, asked: str, where: Path) -> Said | None:
    """What was said, if it was.

    Raises:
        SuasionError: it was said to another question, so the file is of another epoch or of another configuration.
    """
    if path not in known.said:
        return None
    before, said = known.said[path]
    if before != asked:
        raise SuasionError(
            "The answers in this file were asked for with other prompts, sampling settings or seeds.",
            where=where,
            hint="Resume with the configuration it was begun with, or begin in a new folder.",
        )
    return said
