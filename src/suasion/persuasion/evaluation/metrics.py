"""BLEU and ROUGE-L against the winning replies: how much a reply sounds like one that convinced. Over sacrebleu and rouge-score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any


def bleu(reply: str, references: Sequence[str]) -> float:
    """Sentence BLEU (0-100) against several references, with effective order (Post 2018, arXiv:1804.08771)."""
    return float(_bleu().sentence_score(reply, list(references)).score)


def rouge_l(reply: str, references: Sequence[str]) -> float:
    """ROUGE-L F1 (0-1) against the closest reference (Lin 2004)."""
    return float(_rouge().score_multi(list(references), reply)["rougeL"].fmeasure)


@lru_cache(maxsize=1)
def _bleu() -> Any:
    from sacrebleu.metrics import BLEU

    return BLEU(effective_order=True)


@lru_cache(maxsize=1)
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True)
