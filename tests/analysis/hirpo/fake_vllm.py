"""What of vLLM's server the serving needs, with a nano model: as a function for the fake server, and as a program that can be started."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch

from suasion.analysis.hirpo.serving.agreement import log_probabilities
from suasion.analysis.hirpo.writer import Writer
from suasion.models.rendering import Renderer
from tests.models.chat.fake_server import Reply, completion


class FakeVllm:
    """Serves a base and the adapters it is fed.

    Args:
        writer: the base.
        renderer: of its tokenizer.
        stale: what it serves under every name, whatever it is fed: ``None`` for what it should.
        noise: nats that are added to log-probabilities, up and down by turns, as other kernels would.
        takes: whether it takes in adapters.
    """

    def __init__(self, writer: Writer, renderer: Renderer, stale: Path | None = None, noise: float = 0.0, takes: bool = True) -> None:
        self.renderer, self.noise, self.takes, self.stale, self.base = renderer, noise, takes, stale, writer.base
        self.models: dict[str, Any] = {"base": writer.to_answer()}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.template: Callable[[list[int]], list[int]] = lambda ids: ids

    def answer(self, path: str, body: dict[str, Any]) -> Reply:
        self.asked.append((path, body))
        if path == "/v1/load_lora_adapter" and self.takes:
            folder = self.stale or Path(body["lora_path"])
            self.models[body["lora_name"]] = Writer(self.base, "lora", folder).to_answer()
            return Reply(body=b"Success: adapter added")
        if path == "/v1/unload_lora_adapter" and self.takes:
            found = self.models.pop(body["lora_name"], None)
            return Reply(body=b"Success") if found is not None else Reply(status=404, body=b'{"message": "not loaded"}')
        model = self.models.get(body.get("model", ""))
        if model is None:
            return Reply(status=404, body=b'{"message": "does not exist"}')
        if path == "/tokenize":
            return Reply(body=json.dumps({"tokens": self.template(self.renderer.ids(body["messages"]))}).encode())
        if path == "/v1/completions":
            ids = body["prompt"]
            found = log_probabilities(model, ids)
            told = [{str(token): {"logprob": float(one) + self.noise * (-1) ** token}} for one, token in zip(found, ids[1:], strict=True)]
            return Reply(body=json.dumps({"choices": [{"prompt_logprobs": [None, *told]}]}).encode())
        return Reply(body=completion(f"from {body['model']}"))


def other_adapter(writer: Writer, folder: Path, seed: int) -> Writer:
    """A writer whose adapter says something else."""
    from suasion.analysis.hirpo.writer import save

    model, _ = writer.to_learn()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight += 0.3 * torch.randn(weight.shape, generator=generator)
    return save(model, writer.base, "lora", folder)


def main() -> None:
    """``vllm serve FOLDER --port=…``, of which only the adapters and the port are looked at."""
    from tests.nano import nano_base, small_renderer

    words = sys.argv[1:]
    if "--end-at-once" in words:
        sys.exit("CUDA is not there")
    base = nano_base(Path(words[1]))
    fake = FakeVllm(Writer(base, "lora", None), small_renderer(base))
    for word in words:
        name, equals, folder = word.partition("=")
        if equals and not name.startswith("--"):
            fake.answer("/v1/load_lora_adapter", {"lora_name": name, "lora_path": folder})
    port = next(int(word.partition("=")[2]) for word in words if word.startswith("--port="))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.say(Reply(body=b"{}"))

        def do_POST(self) -> None:
            self.say(fake.answer(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def say(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
