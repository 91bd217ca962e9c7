"""The model between two epochs: a folder with an adapter or with all weights, loaded to answer or to learn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from suasion.errors import SuasionError
from suasion.files import read_json, write_json
from suasion.models.base import Base, BaseConfig
from suasion.models.few_rows import for_few_rows
from suasion.models.loading import device, load_base, merged, save_adapter, with_new_adapter, with_saved_adapter
from suasion.models.lora import LoraConfig

_LOCK_FILE = "base_lock.json"
Weights = Literal["lora", "full"]


@dataclass(frozen=True)
class Writer:
    """A model's state.

    Attributes:
        base: what it stands on.
        weights: what its folder holds: an adapter, or everything.
        folder: ``None``: the untouched base.
    """

    base: Base
    weights: Weights
    folder: Path | None

    def to_answer(self) -> Any:
        """The model, for sampling: an adapter is merged in where that is exact."""
        if self.folder is None:
            return for_few_rows(load_base(self.base, "CAUSAL_LM").eval())
        if self.weights == "full":
            return for_few_rows(load_base(self._as_base(), "CAUSAL_LM").eval())
        model = with_saved_adapter(load_base(self.base, "CAUSAL_LM"), self.base, self.folder, trainable=False)
        return for_few_rows(merged(model, self.base).eval())

    def to_learn(self) -> tuple[Any, Any | None]:
        """The model with what may be trained, and for all weights a frozen copy of it; an adapter's copy is the trainer's affair."""
        if self.weights == "lora":
            if self.folder is None:
                raise SuasionError("A base without an adapter cannot go on learning one; begin with a fresh adapter.")
            return with_saved_adapter(load_base(self.base, "CAUSAL_LM"), self.base, self.folder, trainable=True), None
        base = self._as_base() if self.folder else self.base
        return load_base(base, "CAUSAL_LM"), load_base(base, "CAUSAL_LM").requires_grad_(requires_grad=False).eval()

    def _as_base(self) -> Base:
        """A folder of all weights as something to load, once it is known to come from this base."""
        folder = self.folder
        assert folder is not None  # noqa: S101
        if read_json(folder / _LOCK_FILE)["lock"] != self.base.lock:
            raise SuasionError("These weights were trained from another base.", where=folder)
        config: BaseConfig = self.base.config.model_copy(update={"model": str(folder)})
        return replace(self.base, config=config, folder=folder)


def fresh(base: Base, weights: Weights, lora: LoraConfig, folder: Path, seed: int) -> Writer:
    """The writer before any training. A fresh adapter (which changes nothing yet) is written to ``folder``, once."""
    if weights == "full":
        return Writer(base, weights, None)
    if not (folder / _LOCK_FILE).is_file():
        from transformers import set_seed

        set_seed(seed)
        save_adapter(with_new_adapter(load_base(base, "CAUSAL_LM"), base, lora, "CAUSAL_LM"), base, folder)
    return Writer(base, weights, folder)


def save(model: Any, base: Base, weights: Weights, folder: Path) -> Writer:
    """Write what was trained, with the lock of its base; the lock is written last, so a folder that has one is whole.

    Raises:
        SuasionError: the disk is full, say.
    """
    (folder / _LOCK_FILE).unlink(missing_ok=True)
    if weights == "lora":
        save_adapter(model, base, folder)
        return Writer(base, weights, folder)
    try:
        model.save_pretrained(folder, safe_serialization=True)
        base.tokenizer.save_pretrained(folder)
    except OSError as error:
        raise SuasionError(f"The weights could not be saved: {error}", where=folder, hint="Free some space; the run resumes.") from error
    write_json(folder / _LOCK_FILE, {"model": base.config.model, "lock": base.lock})
    return Writer(base, weights, folder)


def is_saved(folder: Path) -> bool:
    """Whether a writer was saved here to its end."""
    return (folder / _LOCK_FILE).is_file()


@contextmanager
def memory_freed() -> Iterator[None]:
    """Give the memory of models that were let go of in the block back to the GPU."""
    try:
        yield
    finally:
        if device() == "cuda":
            import gc

            import torch

            gc.collect()
            torch.cuda.empty_cache()
