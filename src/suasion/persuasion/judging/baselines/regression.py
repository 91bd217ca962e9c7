"""Logistic regression on pairs: a weight a feature, learned from winner minus loser.

For the features ``x`` of a winner and ``y`` of a loser, ``P(winner preferred) = sigmoid(w · (x - y))``: the model of Bradley and Terry with
strengths that are linear in features. There is no intercept, so a single reply has the score ``w · x``, and a pair costs the same with
either sign: pairs are shown with the winner first and the loser first in turn, which is what showing each with both signs would teach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.statistics import Floats

STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)
"""The values tried for scikit-learn's ``C``, the inverse strength of the L2 penalty."""
FEW_DEBATES = 0.01
"""``C`` where one debate leaves nothing to choose it on: a cautious one."""
FOLDS = 4


@dataclass(frozen=True)
class Weights:
    """What was learned. ``values`` has shape (k,), to be multiplied with features as they come; ``strength`` is the ``C`` chosen."""

    values: Floats
    strength: float


def learn(differences: Any, debates: Sequence[str], seed: int, *, standardise: bool) -> Weights:
    """Weights from pairs.

    Args:
        differences: features of each winner less those of its loser, shape (n, k); an array or a SciPy sparse matrix.
        debates: of each pair. The ``C`` is taken that gives held-out debates the smallest log loss, in :data:`FOLDS` folds of whole
            debates.
        seed: of the folds.
        standardise: measure each feature in its own root mean square over the pairs, so that the penalty treats all alike. (Of
            differences, 0 is the middle: nothing is subtracted.)

    One thread is used: sums in another order would give other last digits.

    Raises:
        SuasionError: there is no pair.
    """
    from threadpoolctl import threadpool_limits

    if differences.shape[0] == 0:
        raise SuasionError("There is no pair to learn a baseline from.", hint="Look at the train split of the pairs.")
    if differences.shape[1] == 0:  # texts without a word have no features
        return Weights(np.zeros(0), FEW_DEBATES)
    scale = _scale(differences) if standardise else np.ones(differences.shape[1])
    rows = differences / scale if standardise else differences
    with threadpool_limits(1):
        strength = _chosen(rows, debates, seed)
        return Weights(_fitted(rows, strength) / scale, strength)


def _scale(differences: Floats) -> Floats:
    scale = np.sqrt(np.mean(np.square(differences), axis=0))
    return np.asarray(np.where(scale > 0, scale, 1.0), dtype=np.float64)


def _chosen(rows: Any, debates: Sequence[str], seed: int) -> float:
    from sklearn.model_selection import GroupKFold

    names = np.asarray(debates)
    folds = min(FOLDS, np.unique(names).size)
    if folds < 2:
        return FEW_DEBATES
    parts = list(GroupKFold(folds, shuffle=True, random_state=seed).split(names, groups=names))
    losses = [sum(_log_loss(rows[held_out] @ _fitted(rows[train], c)) for train, held_out in parts) for c in STRENGTHS]
    return STRENGTHS[int(np.argmin(losses))]  # of equal ones the first: the strongest penalty


def _fitted(rows: Any, strength: float) -> Floats:
    from scipy.sparse import diags_array
    from sklearn.linear_model import LogisticRegression

    if rows.shape[0] == 1:
        rows = rows[[0, 0]]  # scikit-learn wants to see both answers
    signs = np.where(np.arange(rows.shape[0]) % 2, -1.0, 1.0)
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=1000)
    return np.asarray(model.fit(diags_array(signs).tocsr() @ rows, signs).coef_[0], dtype=np.float64)


def _log_loss(margins: Floats) -> float:
    """Sum of ``-ln sigmoid(margin)``."""
    return float(np.logaddexp(0.0, -margins).sum())
