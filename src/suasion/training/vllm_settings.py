"""The recipe's section ``practice.vllm``: where vLLM runs, and how surely it must hold the weights that are trained."""

from __future__ import annotations

from pydantic import Field, field_validator

from suasion.config import Config


class VllmConfig(Config):
    """Of ``practice.rollouts=vllm``."""

    server: str | None = None
    """URL of a server of its own GPU (``vllm serve``); by default vLLM runs in each training process, on the same GPU."""
    group_port: int = Field(51216, ge=1, le=65535)
    """At which the weights are sent to a server."""
    timeout: float = Field(240.0, gt=0)
    """Seconds in which a server must answer."""
    gpu_memory: float = Field(0.3, gt=0, lt=1)
    """The share of the GPU that vLLM takes for itself where it runs beside the training."""
    check_every: int = Field(50, ge=1)
    """Steps between two checks that vLLM holds the weights that are trained; the first comes before anything is learned."""
    tolerance: float = Field(0.1, gt=0)
    """Nats a token by which its log-probabilities of a reply may differ from the trainer's, on average."""

    @field_validator("server")
    @classmethod
    def _a_url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("a URL is wanted, http://HOST:8000 for example")
        return None if value is None else value.rstrip("/")
