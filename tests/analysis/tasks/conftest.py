"""One prover for all tests of tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suasion.analysis.logic.prover import Prover


@pytest.fixture(scope="session")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as one:
        yield one
