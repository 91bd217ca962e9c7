"""What the tests of runs share."""

from __future__ import annotations

from pathlib import Path

import pytest

LOCK = {"weights": "a" * 64, "tokenizer": "b" * 64, "chat_template": "c" * 64, "quantization": "none"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def lock() -> dict[str, str]:
    return dict(LOCK)
