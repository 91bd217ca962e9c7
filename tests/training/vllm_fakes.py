"""What stands in for vLLM where there is no GPU: a server that speaks its protocol, and an engine, both on a model of our own."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch


def prompt_logprobs(model: Any, ids: list[int]) -> list[dict[int, float] | None]:
    """For each place of a prompt the log-probability of the token there; none at the first, as vLLM has it."""
    with torch.inference_mode():
        told = model(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(dim=-1)
    return [None, *({token: float(told[place, token])} for place, token in enumerate(ids[1:]))]


class Server(ThreadingHTTPServer):
    """``vllm serve`` as far as it is asked: health, models, and the log-probabilities of a prompt."""

    def __init__(self, model: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.model, self.asked = model, []
        self.silent = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self._say({"data": [{"id": "nano"}]} if self.path == "/v1/models" else {})

    def do_POST(self) -> None:
        if self.server.silent.is_set():
            threading.Event().wait(5)
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        (ids,) = body["prompt"]
        places = [
            None if place is None else {str(token): {"logprob": value, "rank": 1} for token, value in place.items()}
            for place in prompt_logprobs(self.server.model, ids)
        ]
        self._say({"choices": [{"prompt_logprobs": places}]})

    def _say(self, answer: Any) -> None:
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def serving(model: Any) -> Iterator[Server]:
    server = Server(model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Engine:
    """``vllm.LLM`` as far as it is asked: always the likeliest token, so that what it draws tells its weights."""

    model: Any

    def generate(self, asked: list[Any], sampling_params: Any, use_tqdm: bool) -> list[Any]:
        given = sampling_params if isinstance(sampling_params, list) else [sampling_params] * len(asked)
        return [self._output(one["prompt_token_ids"], own) for one, own in zip(asked, given, strict=True)]

    def _output(self, prompt: list[int], own: Any) -> Any:
        ids, drawn = list(prompt), []
        for _ in range(own.max_tokens):
            with torch.inference_mode():
                told = self.model(input_ids=torch.tensor([ids])).logits[0, -1].float().log_softmax(dim=-1)
            token = int(told.argmax())
            ids.append(token)
            drawn.append({token: SimpleNamespace(logprob=float(told[token]))})
        answer = SimpleNamespace(token_ids=[next(iter(place)) for place in drawn], logprobs=drawn)
        places = [
            None if place is None else {token: SimpleNamespace(logprob=value) for token, value in place.items()}
            for place in prompt_logprobs(self.model, prompt)
        ]
        return SimpleNamespace(outputs=[answer] * getattr(own, "n", 1), prompt_logprobs=places)


class Generation:
    """TRL's connection: takes weights over into ``model`` when it is synced, unless it is ``stale``."""

    def __init__(self, model: Any, *, stale: bool = False) -> None:
        self.model, self.stale, self.synced = model, stale, 0
        self.llm = Engine(model)
        self.generation_kwargs: dict[str, Any] = {}
        self.vllm_client = SimpleNamespace(session=SimpleNamespace(request=lambda *_, timeout=None: timeout))

    def sync_weights(self) -> None:
        self.synced += 1
        if not self.stale:
            self.model.load_state_dict(dict(self._iter_named_params()), strict=False)

    def _iter_named_params(self) -> Any:
        raise AssertionError("TRL's own way wears the weights off")

    def generate(self, *, prompts: list[list[int]], images: None, num_generations: int) -> tuple[Any, ...]:
        outputs = self.llm.generate([{"prompt_token_ids": ids} for ids in prompts], SimpleNamespace(max_tokens=6, n=1), use_tqdm=False)
        answers = [output.outputs[0] for output in outputs]
        told = [[[place[token].logprob] for token, place in zip(one.token_ids, one.logprobs, strict=True)] for one in answers]
        return prompts, [one.token_ids for one in answers], told, None


def fake_vllm(patch: pytest.MonkeyPatch) -> None:
    """Make ``import vllm`` give what draws need of it."""
    module = ModuleType("vllm")
    module.SamplingParams = SimpleNamespace  # type: ignore[attr-defined]
    patch.setitem(sys.modules, "vllm", module)


def fake_trainer(policy: Any, generation: Generation) -> Any:
    accelerator = SimpleNamespace(unwrap_model=lambda model: model, is_main_process=True, process_index=0, num_processes=1)
    state = SimpleNamespace(global_step=0)
    return SimpleNamespace(model=policy, vllm_generation=generation, accelerator=accelerator, state=state, _last_loaded_step=-1)
