"""Who writes an epoch's answers, the model in this process or servers that get each epoch's adapter; and who judges them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from suasion.config import Config
from suasion.models.chat.server import ServerConfig


class VllmConfig(Config):
    """A vLLM that is started here (it has to be installed, best in an environment of its own)."""

    command: tuple[str, ...] = ("vllm", "serve")
    """What starts it; the model and the options below are put behind it."""
    options: tuple[str, ...] = ()
    """More of its options: ``--tensor-parallel-size=2``."""
    port: int = Field(8000, ge=1, le=65535)
    start: PositiveFloat = 900.0
    """Seconds that it may take until it answers: weights are read and kernels compiled."""
    max_lora_rank: PositiveInt = 64
    """At least the rank of the adapters."""


class EngineConfig(Config):
    """The chat engine of a run, and its judges."""

    kind: Literal["local", "servers"] = "local"
    """``local``: the model in this process. ``servers``: those named below, which must be vLLM's own, with ``--enable-lora`` and
    ``VLLM_ALLOW_RUNTIME_LORA_UPDATING=1``, and see the run's folder under the same path; or one that is started here."""
    batch_size: PositiveInt = 16
    """Of the local model: answers written at once."""
    servers: tuple[ServerConfig, ...] = ()
    """Servers that share the load; ``model`` is what they call the base."""
    start: VllmConfig | None = None
    """A vLLM to start here, instead of ``servers``."""
    concurrency: PositiveInt = 64
    """Of the vLLM started here: requests under way at once."""
    tolerance: PositiveFloat = 0.1
    """Nats: how far the log-probabilities that a server gives a passage's tokens may be from the trainer's, on average."""
    judge_on: Literal["cores", "ray"] = "cores"
    """Where answers are judged: on this machine's cores, or on the cluster that Ray finds (extra ``ray``)."""
    judges: PositiveInt | None = None
    """Processes that judge; by default one a core, of this machine or of the cluster."""

    @model_validator(mode="after")
    def _has_servers(self) -> EngineConfig:
        if self.kind == "servers" and bool(self.servers) == (self.start is not None):
            raise ValueError("with kind: servers, name either servers or start")
        if self.kind == "local" and (self.servers or self.start):
            raise ValueError("servers and start are for kind: servers")
        if len({server.url for server in self.servers}) < len(self.servers):
            raise ValueError("each server is to be named once")
        if len({server.model for server in self.servers}) > 1:
            raise ValueError("all servers must call the base by the same name")
        return self
