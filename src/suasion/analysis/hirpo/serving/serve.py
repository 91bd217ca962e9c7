"""An engine that answers as a writer does, on servers: fed, checked, then used.

Before any answer counts, each server has to show that it makes the same tokens of a chat as the trainer does, and gives them the
log-probabilities that the trainer's model gives them: not those of the base, nor of the epoch before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import numpy as np

from suasion.analysis.hirpo.engine import EngineConfig
from suasion.analysis.hirpo.serving.agreement import Passage, disagreement, log_probabilities
from suasion.analysis.hirpo.serving.process import started
from suasion.analysis.hirpo.serving.vllm import Vllm
from suasion.analysis.hirpo.writer import Writer, memory_freed
from suasion.analysis.tasks import Problem, get_task
from suasion.analysis.tasks.prompts import problem_prompt
from suasion.errors import Refused, SuasionError
from suasion.models.chat.engine import ChatEngine
from suasion.models.chat.server import Server, ServerConfig
from suasion.models.chat.several import Several
from suasion.models.rendering import Renderer

_CHECKED = ("argmap", "infreco", "arganno")  # tasks whose worked examples are the passages


def on_servers(config: EngineConfig, renderer: Renderer, log: Path) -> Callable[[Writer], AbstractContextManager[ChatEngine]]:
    """What gives an engine for a writer, for a while, in place of the model in this process.

    Args:
        config: of kind ``servers``.
        log: where a vLLM that is started here prints to.

    Raises (when an engine is asked for):
        SuasionError: a server cannot be started, reached or fed.
        Refused: a server does not answer as the writer does.
    """
    known: dict[str, list[np.ndarray]] = {}  # of states that were served before

    @contextmanager
    def serve(writer: Writer) -> Iterator[ChatEngine]:
        chats = _chats()
        ids = [[*renderer.ids(chat), *_plain_ids(renderer, answer)] for chat, answer in chats]
        passages = _passages(writer, ids, known)
        with ExitStack() as stack:
            if config.start is not None:
                model, adapters = _to_start(writer)
                url = stack.enter_context(started(config.start, model, adapters, log))
                servers = [ServerConfig(url=url, model="base", concurrency=config.concurrency)]
            else:
                servers = list(config.servers)
            name = _fed(servers, writer, loaded=config.start is not None)
            for server in servers:
                vllm = Vllm(server)
                for chat, _ in chats:
                    check_tokens(vllm, name or server.model, chat, renderer.ids(chat))
                check(vllm, name or server.model, passages, config.tolerance)
            engines = [Server(server.model_copy(update={"model": name or server.model})) for server in servers]
            try:
                yield Several(engines)
            finally:
                if name and config.start is None:
                    for server in servers:
                        Vllm(server).unload_adapter(name)

    return serve


def check(vllm: Vllm, model: str, passages: Sequence[Passage], tolerance: float) -> None:
    """Raises Refused where a server's log-probabilities are not the trainer's, see :func:`disagreement`."""
    for passage in passages:
        wrong = disagreement(vllm.log_probabilities(model, passage.ids), passage, tolerance)
        if wrong:
            hint = "Restart the server. If it serves in a coarser number format on purpose, raise engine.tolerance."
            raise Refused(f"The server does not answer as the model that was trained: {wrong}.", where=vllm.config.url, hint=hint)


def check_tokens(vllm: Vllm, model: str, chat: Sequence[Mapping[str, str]], ids: Sequence[int]) -> None:
    """Raises Refused where a server makes other tokens of a chat than training does."""
    served = vllm.prompt_ids(model, chat)
    if served != list(ids):
        place = next(
            (place for place, (one, other) in enumerate(zip(served, ids, strict=False)) if one != other), min(len(served), len(ids))
        )
        what = f"The server makes {len(served)} tokens of a chat and training makes {len(ids)}; they differ from token {place} on."
        raise Refused(what, where=vllm.config.url, hint="Start it with the base's own chat template and tokenizer.")


def _fed(servers: Sequence[ServerConfig], writer: Writer, loaded: bool) -> str:
    """The name that the servers know the writer by; "" for the base's."""
    if writer.folder is None or writer.weights == "full":
        if writer.folder is not None and not loaded:
            hint = "Train an adapter (training.weights: lora), or let a vLLM be started (engine.start)."
            raise SuasionError("Servers that run already can be fed adapters, and not all weights.", hint=hint)
        return ""
    name = _name(writer.folder)
    if not loaded:
        for server in servers:
            Vllm(server).unload_adapter(name)  # of an earlier attempt, under this very name
            Vllm(server).load_adapter(name, writer.folder)
    return name


def _to_start(writer: Writer) -> tuple[str, list[tuple[str, Path]]]:
    if writer.folder is not None and writer.weights == "full":
        return str(writer.folder), []
    return str(writer.base.folder), [(_name(writer.folder), writer.folder)] if writer.folder else []


def _name(folder: Path) -> str:
    """Of an adapter: where it lies, from the run's folder on, so that each epoch's is another."""
    return "-".join(folder.resolve().parts[-3:]).replace("/", "")


def _chats() -> list[tuple[list[dict[str, str]], str]]:
    """Prompts and answers to measure on: worked examples."""
    chats = []
    for name in _CHECKED:
        task = get_task(name)
        prompt = problem_prompt(task, Problem(task.example.source, task.example.reference))
        chats.append(([{"role": "user", "content": prompt}], task.example.answer))
    return chats


def _plain_ids(renderer: Renderer, text: str) -> list[int]:
    return [int(token) for token in renderer.tokenizer(text, add_special_tokens=False)["input_ids"]]


def _passages(writer: Writer, ids: Sequence[Sequence[int]], known: dict[str, list[np.ndarray]]) -> list[Passage]:
    """The passages with what the writer gives them, and with what the base and earlier states gave them."""
    wanted = _measured(writer, ids)
    if "the base" not in known:
        known["the base"] = wanted if writer.folder is None else _measured(Writer(writer.base, writer.weights, None), ids)
    mine = "the base" if writer.folder is None else f"an earlier state, {_name(writer.folder)}"
    others = {name: found for name, found in known.items() if name != mine}
    known[mine] = wanted
    return [
        Passage(tokens, one, {name: found[place] for name, found in others.items()})
        for place, (tokens, one) in enumerate(zip(ids, wanted, strict=True))
    ]


def _measured(writer: Writer, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
    with memory_freed():
        model = writer.to_answer()
        return [log_probabilities(model, tokens) for tokens in ids]
