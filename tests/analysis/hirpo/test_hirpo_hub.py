from __future__ import annotations

from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from pydantic import ValidationError

from suasion.analysis.hirpo.hub import push
from suasion.analysis.hirpo.hub_settings import HubConfig
from suasion.errors import SuasionError
from suasion.runs.run import Run


class Hub:
    """Stands in for the hub."""

    calls: list[tuple[str, dict[str, Any]]] = []

    def create_repo(self, name: str, **named: Any) -> None:
        self.calls.append((name, named))

    def upload_folder(self, **named: Any) -> None:
        self.calls.append((named["repo_id"], named))


class Offline(Hub):
    def create_repo(self, name: str, **named: Any) -> None:
        raise OSError("no route to the hub\nwith more lines")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    with Run.start(tmp_path, "HIRPO", config={}) as run:
        (run.path / "adapter").mkdir()
        (run.path / "pairs").mkdir()
    return run


def test_model_and_pairs_go_to_their_places(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "HfApi", Hub)
    Hub.calls = []
    push(run, HubConfig(push=True, model="us/writer", dataset="us/pairs"))
    assert [(name, named["repo_type"]) for name, named in Hub.calls] == [
        ("us/writer", "model"),
        ("us/writer", "model"),
        ("us/pairs", "dataset"),
        ("us/pairs", "dataset"),
    ]
    assert Hub.calls[0][1]["private"] is True
    assert Hub.calls[1][1]["folder_path"] == str(run.path / "adapter")


def test_without_the_hub_it_is_said_where_everything_lies(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "HfApi", Offline)
    with pytest.raises(SuasionError, match="no route to the hub") as caught:
        push(run, HubConfig(push=True, model="us/writer"))
    assert "with more lines" not in caught.value.what and str(run.path / "adapter") in str(caught.value)


def test_pushing_needs_a_name() -> None:
    with pytest.raises(ValidationError, match=r"needs hub\.model"):
        HubConfig(push=True)
    with pytest.raises(ValidationError):
        HubConfig(model="https://hub/x")
