"""The baseline "words": logistic regression on a bag of words and of pairs of neighbouring words, TF-IDF weighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.models.scoring import Scores
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.baselines.regression import Weights, learn
from suasion.persuasion.judging.baselines.store import ABOUT, read_baseline, vector, write_baseline
from suasion.persuasion.judging.baselines.vectors import check_as_many, rows_of
from suasion.statistics import Floats

MOST_TERMS = 50_000
"""The most frequent terms are kept."""
_SETTINGS: dict[str, Any] = {"ngram_range": (1, 2), "sublinear_tf": True, "token_pattern": r"(?u)\b\w\w+\b"}
_TOLD = {"words": "lower case, two letters or more, alone and in pairs", "weight": "(1 + ln count) * idf, length 1"}
"""What the settings mean; kept with a baseline, so that another version does not read it otherwise without a word."""


@dataclass(frozen=True)
class Words:
    """A judge that knows words and not what they say: ``terms``, k of them, their inverse document frequencies ``idf`` and weights."""

    terms: tuple[str, ...]
    idf: Floats
    weights: Weights
    kind: str = "words"

    @classmethod
    def fit(cls, pairs: Sequence[Pair], seed: int) -> Words:
        """Learn from pairs; terms that stand in one reply alone are left out, as long as any are left.

        Raises as :func:`suasion.persuasion.judging.baselines.regression.learn`.
        """
        _, replies, winners, losers = rows_of(pairs)
        terms, idf = _vocabulary(replies)
        blank = cls(terms, idf, Weights(np.zeros(len(terms)), np.nan))
        vectors = blank._vectors(replies)
        debates = [pair.debate_id for pair in pairs]
        return cls(terms, idf, learn(vectors[winners] - vectors[losers], debates, seed, standardise=False))

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32; 0 for a reply without a known word. The premise is not looked at."""
        check_as_many(premises, replies)
        return np.asarray(self._vectors(replies) @ self.weights.values, dtype=np.float32)

    def save(self, folder: Path) -> Path:
        """Write it into a folder."""
        about: dict[str, Any] = {"kind": self.kind, "strength": self.weights.strength, "read": _TOLD, "terms": list(self.terms)}
        return write_baseline(folder, about, {"idf": self.idf, "weights": self.weights.values})

    @classmethod
    def load(cls, folder: Path) -> Words:
        """Read what :meth:`save` wrote.

        Raises:
            SuasionError: the files cannot be read or do not fit together.
        """
        about, numbers = read_baseline(folder)
        if about.get("read") != _TOLD:
            raise SuasionError("This baseline reads words otherwise than this version does.", where=folder / ABOUT, hint="Train it again.")
        terms = about.get("terms")
        if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms) or len(set(terms)) < len(terms):
            raise SuasionError("This baseline has no list of different terms.", where=folder / ABOUT, hint="Train it again.")
        idf, weights = (vector(numbers, name, len(terms), folder) for name in ("idf", "weights"))
        return cls(tuple(terms), idf, Weights(weights, float(about.get("strength") or np.nan)))

    @cached_property
    def _vectorizer(self) -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(vocabulary={term: place for place, term in enumerate(self.terms)}, **_SETTINGS)
        vectorizer.idf_ = self.idf
        return vectorizer

    def _vectors(self, replies: Sequence[str]) -> Any:
        """Sparse, shape (n, k), each row of length 1 (or 0)."""
        import scipy.sparse

        if not self.terms or not replies:
            return scipy.sparse.csr_matrix((len(replies), len(self.terms)))
        return self._vectorizer.transform(replies)


def _vocabulary(replies: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    for least in (2, 1):
        vectorizer = TfidfVectorizer(min_df=least, max_features=MOST_TERMS, **_SETTINGS)
        try:
            vectorizer.fit(replies)
        except ValueError:  # no term is left: texts that share no word, then texts without a word
            continue
        return tuple(map(str, vectorizer.get_feature_names_out())), np.asarray(vectorizer.idf_, dtype=np.float64)
    return (), np.zeros(0)
