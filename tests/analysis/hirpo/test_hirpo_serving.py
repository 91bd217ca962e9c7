from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from suasion.analysis.hirpo.engine import EngineConfig, VllmConfig
from suasion.analysis.hirpo.serving.agreement import Passage, disagreement
from suasion.analysis.hirpo.serving.process import command_line
from suasion.analysis.hirpo.serving.serve import on_servers
from suasion.analysis.hirpo.serving.vllm import Vllm
from suasion.analysis.hirpo.writer import Writer, fresh
from suasion.config import validate
from suasion.errors import Refused, SuasionError
from suasion.models.base import Base
from suasion.models.chat.engine import ChatEngine, ChatSampling
from suasion.models.chat.server import ServerConfig
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from tests.analysis.hirpo.fake_vllm import FakeVllm, other_adapter
from tests.models.chat.fake_server import FakeServer, Reply, completion, scripted, serving

WANTED = np.array([-1.0, -2.0, -0.5, -3.0])


def passage(**others: np.ndarray) -> Passage:
    return Passage([1, 2, 3, 4, 5], WANTED, others)


def test_what_agrees() -> None:
    assert disagreement(WANTED, passage(), 0.1) is None
    assert disagreement(WANTED + np.array([0.1, -0.1, 0.05, 0]), passage(base=WANTED + 1), 0.1) is None
    assert disagreement(WANTED + 0.01, passage(base=WANTED + 0.005), 0.1) is None, "what is nearly the same cannot be told apart"


def test_what_does_not() -> None:
    for served in (WANTED + 0.11, WANTED[:3], WANTED * np.nan, WANTED - np.inf):
        assert disagreement(served, passage(), 0.1)
    hardly = WANTED + 0.05  # within the tolerance, and still another model
    wrong = disagreement(hardly, passage(**{"an earlier state": hardly + 0.001}), 0.1)
    assert wrong and "an earlier state" in wrong


@pytest.fixture(scope="module")
def writers(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> list[Writer]:
    """The base, and two trained states."""
    folder = tmp_path_factory.mktemp("run")
    begin = fresh(nano, "lora", LoraConfig(rank=4), folder / "epoch-000" / "adapter", 0)
    return [Writer(nano, "lora", None), *(other_adapter(begin, folder / f"epoch-00{number}" / "adapter", number) for number in (1, 2))]


@contextmanager
def fed(fake: FakeVllm) -> Iterator[FakeServer]:
    holder: list[FakeServer] = []

    def answer(number: int, body: dict[str, object]) -> Reply:
        return fake.answer(str(holder[0].requests[number][1]["path"]), body)

    with serving(answer) as server:
        holder.append(server)
        yield server


def config(*servers: FakeServer, tolerance: float = 0.1) -> EngineConfig:
    configs = tuple(ServerConfig(url=server.url, model="base", concurrency=4, retries=0) for server in servers)
    return EngineConfig(kind="servers", servers=configs, tolerance=tolerance)


def asked(engine: ChatEngine, number: int = 6) -> list[str]:
    async def ask() -> list[str]:
        sampling = ChatSampling(extra_body={"min_p": 0.05})
        found = await asyncio.gather(*(engine.complete([{"role": "user", "content": "?"}], 1, sampling) for _ in range(number)))
        await engine.aclose()
        return [text for (text,) in found]

    return asyncio.run(ask())


def test_each_epoch_s_adapter_is_fed_checked_and_used_on_all_servers(writers: list[Writer], renderer: Renderer, tmp_path: Path) -> None:
    one, two = (FakeVllm(writers[0], renderer, noise=noise) for noise in (0.0, 0.02))
    with fed(one) as first, fed(two) as second:
        serve = on_servers(config(first, second), renderer, tmp_path / "log")
        with serve(writers[0]) as engine:
            assert set(asked(engine)) == {"from base"} and engine.concurrency == 8
        for number in (1, 2):
            with serve(writers[number]) as engine:
                (said,) = set(asked(engine))
                assert said.endswith(f"epoch-00{number}-adapter")
    for fake in (one, two):
        assert set(fake.models) == {"base"}, "what is not needed any more is unloaded"
        chats = [body for path, body in fake.asked if path == "/v1/chat/completions"]
        assert len(chats) == 9 and all(body["min_p"] == 0.05 for body in chats)


def test_a_server_that_serves_something_else_is_refused(writers: list[Writer], renderer: Renderer, tmp_path: Path) -> None:
    with fed(FakeVllm(writers[0], renderer, stale=writers[1].folder)) as server:
        serve = on_servers(config(server, tolerance=0.001), renderer, tmp_path / "log")
        with pytest.raises(Refused, match="nats a token") as refused, serve(writers[2]):
            pass
        assert server.url in str(refused.value)


def test_a_server_that_still_serves_the_epoch_before_is_refused(writers: list[Writer], renderer: Renderer, tmp_path: Path) -> None:
    """Also where both are within the tolerance."""
    with fed(FakeVllm(writers[0], renderer, stale=writers[1].folder)) as server:
        serve = on_servers(config(server, tolerance=50.0), renderer, tmp_path / "log")
        with serve(writers[1]):
            pass
        with pytest.raises(Refused, match=r"an earlier state, .*epoch-001-adapter"), serve(writers[2]):
            pass


def test_a_server_that_ignores_adapters_is_refused(writers: list[Writer], renderer: Renderer, tmp_path: Path) -> None:
    fake = FakeVllm(writers[0], renderer)
    with fed(fake) as server:
        fake.models = _Always(fake.models["base"])
        with pytest.raises(Refused, match="the base"), on_servers(config(server, tolerance=50.0), renderer, tmp_path / "log")(writers[1]):
            pass


class _Always(dict[str, object]):
    """The same model under every name."""

    def __init__(self, model: object) -> None:
        self.model = model

    def get(self, name: str, default: object = None) -> object:
        return self.model


def test_a_server_with_another_template_is_refused(writers: list[Writer], renderer: Renderer, tmp_path: Path) -> None:
    fake = FakeVllm(writers[0], renderer)
    fake.template = lambda ids: [ids[0], *ids]
    with fed(fake) as server, pytest.raises(Refused, match="from token 1 on"), on_servers(config(server), renderer, tmp_path)(writers[0]):
        pass


def test_a_server_that_takes_no_adapters_is_told_how_to(writers: list[Writer], renderer: Renderer, tmp_path: Path) -> None:
    fake = FakeVllm(writers[0], renderer, takes=False)
    serve_on = on_servers
    with fed(fake) as server, pytest.raises(SuasionError, match="--enable-lora"), serve_on(config(server), renderer, tmp_path)(writers[1]):
        pass


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500, body=b"broken"),
        Reply(body=b"no json"),
        Reply(body=b"{}"),
        Reply(body=b'{"choices": [{"prompt_logprobs": null}], "tokens": null}'),
        Reply(body=b'{"choices": [{"prompt_logprobs": [null, {"7": {"logprob": "x"}}]}], "tokens": ["x"]}'),
        Reply(drop=True),
    ],
)
def test_what_a_server_says_is_not_trusted(reply: Reply) -> None:
    with serving(scripted(reply)) as server:
        vllm = Vllm(ServerConfig(url=server.url, model="base"))
        for ask in (
            lambda: vllm.log_probabilities("base", [1, 2]),
            lambda: vllm.prompt_ids("base", [{"role": "user", "content": "?"}]),
        ):
            with pytest.raises(SuasionError) as error:
                ask()
            assert "127.0.0.1" in str(error.value)


def test_the_key_is_sent_and_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_KEY", "secret-key")
    with serving(scripted(Reply(status=401, body=b"secret-key is wrong"))) as server:
        vllm = Vllm(ServerConfig(url=server.url, model="base", api_key_env="VLLM_KEY"))
        with pytest.raises(SuasionError) as error:
            vllm.load_adapter("x", Path("adapter"))
    assert "secret-key" not in str(error.value) and server.requests[0][0]["Authorization"] == "Bearer secret-key"


def test_weights_cannot_be_fed_to_servers_that_run(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    from suasion.analysis.hirpo.serving.serve import _fed

    with serving(scripted(Reply(body=completion("x")))) as server, pytest.raises(SuasionError, match="all weights"):
        _fed([ServerConfig(url=server.url, model="base")], Writer(nano, "full", tmp_path), loaded=False)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def to_start(**changed: object) -> EngineConfig:
    command = (sys.executable, "-m", "tests.analysis.hirpo.fake_vllm", "serve")
    start = VllmConfig(**{"command": command, "port": free_port(), "start": 60.0, "max_lora_rank": 8, **changed})  # type: ignore[arg-type]
    return EngineConfig(kind="servers", start=start, concurrency=4)


def test_a_server_is_started_with_the_adapter_and_stopped_again(
    writers: list[Writer], renderer: Renderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    config = to_start()
    with on_servers(config, renderer, tmp_path / "vllm.log")(writers[1]) as engine:
        assert asked(engine, 1)[0].endswith("epoch-001-adapter")
    assert config.start is not None
    with socket.socket() as one, pytest.raises(OSError, match="refused"):
        one.connect(("127.0.0.1", config.start.port))


def test_a_server_that_does_not_start_is_told_with_what_it_said(
    writers: list[Writer], renderer: Renderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    for changed, says in (
        ({"options": ("--end-at-once",)}, r"CUDA is not there"),
        ({"command": ("no-such-program", "serve")}, "no-such-program"),
        ({"command": (sys.executable, "-c", "import time; time.sleep(60)"), "start": 0.1}, "within 0.1 s"),
    ):
        serve = on_servers(to_start(**changed), renderer, tmp_path / "vllm.log")
        with pytest.raises(SuasionError, match=says), serve(writers[1]):
            pass


def test_how_it_is_started(tmp_path: Path) -> None:
    words = command_line(VllmConfig(options=("--dtype=bfloat16",), port=8123), "folder", [("one", tmp_path)])
    assert words[:3] == ["vllm", "serve", "folder"] and words[-1] == "--dtype=bfloat16"
    assert words[words.index("--lora-modules") + 1] == f"one={tmp_path.resolve()}" and "--port=8123" in words
    assert os.path.isabs(words[words.index("--lora-modules") + 1].partition("=")[2])
    assert "--enable-lora" not in command_line(VllmConfig(), "folder", [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "servers"},
        {"kind": "local", "start": {}},
        {"kind": "servers", "start": {}, "servers": [{"model": "base"}]},
        {"kind": "servers", "servers": [{"model": "base"}, {"model": "base"}]},
        {"kind": "servers", "servers": [{"model": "base"}, {"model": "other", "url": "http://localhost:1/v1"}]},
        {"kind": "server"},
    ],
)
def test_settings_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(SuasionError):
        validate(wrong, EngineConfig)
