"""Where a run's outcome goes."""

from __future__ import annotations

from pydantic import Field, model_validator

from suasion.config import Config


class HubConfig(Config):
    """Where the outcome goes."""

    push: bool = False
    model: str = Field("", pattern=r"^$|^[\w.-]+/[\w.-]+$")
    """The model's id on the hub, ``OWNER/NAME``."""
    dataset: str = Field("", pattern=r"^$|^[\w.-]+/[\w.-]+$")
    """The pairs' id; "": they are not uploaded."""
    private: bool = True

    @model_validator(mode="after")
    def _has_a_place(self) -> HubConfig:
        if self.push and not self.model:
            raise ValueError("push needs hub.model, OWNER/NAME")
        return self
