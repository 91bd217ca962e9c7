"""A language model behind a server, audited as a judge and asked for a second opinion."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.recipe import Recipe
from suasion.persuasion.stages.audit import audit_stage
from suasion.persuasion.stages.common import Journey
from suasion.persuasion.stages.evaluate import evaluate_stage
from suasion.persuasion.stages.judge import judge_stage
from suasion.persuasion.stages.sft import sft_stage
from suasion.runs.run import find_runs
from tests.models.chat.fake_server import Reply, completion, serving
from tests.nano import write_pairs
from tests.persuasion.stages.test_stages import SETTINGS


@pytest.fixture
def own_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUASION_CACHE", str(tmp_path / "cache"))


def shown(body: dict[str, Any]) -> list[str]:
    return re.findall(r"(?s)<<<\w+ REPLY[^\n]*\n(.*?)\n\w+>>>", body["messages"][1]["content"])


def mark_or_verdict(number: int, body: dict[str, Any]) -> Reply:
    """Likes evidence; marks nothing that speaks of water."""
    replies = shown(body)
    if len(replies) == 1:
        return Reply(body=completion("So so." if "water" in replies[0] else f"[[{min(100, 10 + 40 * replies[0].count('evidence'))}]]"))
    return Reply(body=completion("[[A]]" if len(replies[0]) > len(replies[1]) else "[[B]]"))


def test_an_audit_of_a_language_model(tmp_path: Path, own_answers: None) -> None:
    pairs = str(write_pairs(tmp_path / "pairs", train=24, validation=12))
    with serving(mark_or_verdict) as fake:
        settings = [*SETTINGS, f"llm.server.url={fake.url}", "llm.server.model=m"]
        runs = [audit_stage(Journey(validate({}, Recipe, settings), tmp_path / root), "llm", pairs) for root in ("one", "two")]
        asked = len(fake.requests)
    found = [read_json(run.path / "audit.json") for run in runs]
    assert found[0]["judge"] == "llm (m)" and found[0]["verdict"] == "fail"  # a keyword judge, which the tricks find out
    assert 0 < found[0]["unreadable"] < found[0]["texts"] == asked  # the second audit asked nothing anew
    assert found[0]["findings"] == found[1]["findings"]
    assert runs[0].manifest.arguments.passed["llm.server.model"] == "m"


def test_an_evaluation_has_a_second_opinion(tmp_path: Path, nano_folder: Path, own_answers: None) -> None:
    pairs = str(write_pairs(tmp_path / "pairs"))
    settings = [*SETTINGS, f"base.model={nano_folder}", "evaluate.premises=3"]
    journey = Journey(validate({}, Recipe, settings), tmp_path / "runs")
    writer, judge = sft_stage(journey, pairs), judge_stage(journey, pairs)
    keyless = Journey(validate({}, Recipe, [*settings, "llm.server.model=m", "llm.server.api_key_env=NO_SUCH_KEY"]), tmp_path / "runs")
    with pytest.raises(SuasionError, match="NO_SUCH_KEY"):  # before the hours that sampling may take
        evaluate_stage(keyless, [writer], judge, pairs)
    assert {run.manifest.kind for run in find_runs(tmp_path / "runs")} == {"SFT", "Judge"}
    with serving(mark_or_verdict) as fake:
        asking = Journey(validate({}, Recipe, [*settings, f"llm.server.url={fake.url}", "llm.server.model=m"]), tmp_path / "runs")
        run = evaluate_stage(asking, [writer], judge, pairs)
        assert len(fake.requests) <= 6
    (opinion,) = read_json(run.path / "evaluation.json")["independent"]
    assert (opinion["system"], opinion["against"], opinion["pairs"], opinion["unreadable_answers"]) == ("SFT", "base", 3, 0)
    assert "A second opinion" in (run.path / "report.html").read_text(encoding="utf-8")


def test_no_model_named_is_told(tmp_path: Path) -> None:
    pairs = str(write_pairs(tmp_path / "pairs"))
    with pytest.raises(SuasionError, match="No model is named"):
        audit_stage(Journey(validate({}, Recipe, []), tmp_path / "runs"), "llm", pairs)
    assert not (tmp_path / "runs").exists()
