"""Load a base as a writer or as a judge, plain or in 4 bit, with a fresh or a saved adapter.

Only safetensors are read and no remote code runs. An adapter carries the lock of the base it was trained on and is refused on any
other; weights that are missing at load are an error, never a fresh random head.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from suasion.errors import SuasionError
from suasion.files import read_json, write_json
from suasion.models import unsloth
from suasion.models.base import Base
from suasion.models.lora import LoraConfig, peft_config
from suasion.models.sharded import whole_state
from suasion.runs.lineage import differing

if TYPE_CHECKING:
    import torch
    from peft import PeftModel

Task = Literal["CAUSAL_LM", "SEQ_CLS"]
_LOCK_FILE = "base_lock.json"
_HEAD = ".score.weight"


def device() -> str:
    """``cuda`` where there is one, else ``cpu``."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def load_base(base: Base, task: Task) -> Any:
    """The untouched base: a causal language model, or with a freshly drawn one-number head (``SEQ_CLS``).

    The head is drawn from torch's global generator: seed it first.

    Raises:
        SuasionError: the model cannot be loaded, or not whole.
    """
    from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

    unsloth.require_untouched()
    settings: dict[str, Any] = {"dtype": _dtype(base), "use_safetensors": True, "trust_remote_code": False}
    if base.config.quantization == "nf4":
        settings |= {"quantization_config": _nf4(), "device_map": device()}
    factory: Any = AutoModelForCausalLM
    if task == "SEQ_CLS":
        factory, settings["num_labels"] = AutoModelForSequenceClassification, 1
    try:
        with quiet_about_the_new_head():
            model, found = factory.from_pretrained(base.folder, **settings, output_loading_info=True)
    except ImportError as error:
        raise SuasionError(
            f"Loading needs a package that is not installed: {error!s:.200}", hint="4-bit loading: pip install 'suasion[4bit]'."
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise SuasionError(f"The model cannot be loaded: {error!s:.400}", where=base.folder) from error
    missing = sorted(set(found["missing_keys"]) - ({"score.weight"} if task == "SEQ_CLS" else set()))
    if missing:
        raise SuasionError(
            f"The model's files lack weights, which would be drawn at random: {', '.join(missing[:3])}"
            + (f" and {len(missing) - 3} more." if len(missing) > 3 else "."),
            where=base.folder,
            hint="Download or convert the model again.",
        )
    model.config.pad_token_id = base.tokenizer.pad_token_id
    model.config.use_cache = task == "CAUSAL_LM"
    return model if "device_map" in settings else model.to(device())


def writer_to_train(base: Base, start: LoraConfig | Path) -> PeftModel:
    """A writer whose adapter is trained, loaded by ``base.backend``.

    Args:
        start: what a fresh adapter is to be like, or the folder of the one to go on from.

    Raises:
        SuasionError: as :func:`load_base` and :func:`with_saved_adapter`; or the backend cannot be had here.
    """
    quick = base.config.backend == "unsloth"
    if isinstance(start, LoraConfig):
        if quick:
            fresh: PeftModel = unsloth.with_new_adapter(unsloth.load_for_training(base, _dtype(base)), start)
            return fresh
        return with_new_adapter(load_base(base, "CAUSAL_LM"), base, start, "CAUSAL_LM")
    if quick:
        check_adapter(start, base)
        saved: PeftModel = unsloth.with_saved_adapter(unsloth.load_for_training(base, _dtype(base)), start)
        return saved
    return with_saved_adapter(load_base(base, "CAUSAL_LM"), base, start, trainable=True)


def with_new_adapter(model: Any, base: Base, lora: LoraConfig, task: Task) -> PeftModel:
    """Put a fresh LoRA adapter on a base; what may be trained is only the adapter (and a judge's head)."""
    from peft import get_peft_model, prepare_model_for_kbit_training

    if base.config.quantization == "nf4":
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
    return get_peft_model(model, peft_config(lora, model, task))


def with_saved_adapter(model: Any, base: Base, folder: Path, *, trainable: bool) -> PeftModel:
    """Put a saved adapter on a base.

    Raises:
        SuasionError: the adapter is absent or incomplete, or belongs to another base.
    """
    from peft import PeftModel, prepare_model_for_kbit_training
    from safetensors import SafetensorError, safe_open

    check_adapter(folder, base)
    if trainable and base.config.quantization == "nf4":
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
    weights = folder / "adapter_model.safetensors"
    try:
        adapted = PeftModel.from_pretrained(model, folder, is_trainable=trainable)
        with safe_open(weights, framework="pt") as file:
            saved = set(file.keys())
            head = {name: file.get_tensor(name) for name in saved if name.endswith(_HEAD)}
    except KeyError as error:  # of the head: PEFT looks it up by name
        raise SuasionError(f"The adapter's weights do not fit this model: missing {error!s:.200}.", where=folder) from error
    except (OSError, ValueError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
        raise SuasionError(f"The adapter cannot be loaded: {error!s:.300}", where=folder) from error
    _check_complete(adapted, saved, folder)
    for weights_of_head in head.values():  # in the precision it was saved in, whatever the rest is in
        classifier: Any = adapted.get_base_model()
        trained = classifier.score.modules_to_save["default"]
        trained.weight.data = weights_of_head.to(trained.weight.device)
    return adapted


def merged(model: Any, base: Base) -> Any:
    """The model with its adapter merged in where that is the same function and a good deal faster: in float32.

    Weights in 4 bit or bfloat16 would round the adapter off; there the model stays as it is.
    """
    import torch

    exact = base.config.quantization == "none" and _dtype(base) == torch.float32
    return model.merge_and_unload() if exact else model


def save_adapter(model: Any, base: Base, folder: Path) -> Path:
    """Save the adapter (with a judge's head) and the lock of its base; return the folder."""
    model.peft_config["default"].base_model_name_or_path = base.config.model  # not the path of this machine's cache
    try:
        model.save_pretrained(folder, selected_adapters=["default"], safe_serialization=True, state_dict=whole_state(model))
    except OSError as error:
        raise SuasionError(
            f"The adapter could not be saved: {error}", where=folder, hint="Free some space; the run resumes from its last checkpoint."
        ) from error
    write_json(folder / _LOCK_FILE, {"model": base.config.model, "lock": base.lock})
    return folder


def check_adapter(folder: Path, base: Base) -> None:
    """Refuse an adapter that is not there or was trained on another base."""
    if not (folder / "adapter_model.safetensors").is_file():
        raise SuasionError(
            "There is no adapter here (adapter_model.safetensors).", where=folder, hint="Was its run finished? See `suasion runs list`."
        )
    if not (folder / _LOCK_FILE).is_file():
        raise SuasionError("This adapter carries no base lock, so nothing tells which base it was trained on.", where=folder)
    theirs = read_json(folder / _LOCK_FILE)
    different = [f"{part} ({there:.12} there, {here:.12} here)" for part, here, there in differing(base.lock, theirs["lock"])]
    if different:
        raise SuasionError(
            f"This adapter was trained on another base ('{theirs['model']}', here '{base.config.model}'): {'; '.join(different)}.",
            where=folder,
            hint="Use the base it was trained on: its run's manifest names it.",
        )


def _check_complete(model: Any, saved: set[str], folder: Path) -> None:
    """Every adapter and head weight of the model must have been in the file, and nothing else."""
    from peft import get_peft_model_state_dict

    wanted = set(get_peft_model_state_dict(model))
    if wanted != saved:
        missing, surplus = sorted(wanted - saved)[:3], sorted(saved - wanted)[:3]
        raise SuasionError(
            f"The adapter's weights do not fit this model: missing {missing or 'none'}, unexpected {surplus or 'none'}.", where=folder
        )


def _dtype(base: Base) -> torch.dtype:
    import torch

    if base.config.dtype == "auto":
        return torch.bfloat16 if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else torch.float32
    return torch.float32 if base.config.dtype == "float32" else torch.bfloat16


def _nf4() -> Any:
    """NF4 with double quantisation. Computation in bfloat16, as QLoRA does; importing bitsandbytes is left to transformers."""
    import torch
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=torch.bfloat16
    )


@contextmanager
def quiet_about_the_new_head() -> Iterator[None]:
    """transformers warns that ``score.weight`` is newly drawn. For a judge that starts it must be; at load we check for ourselves."""
    logger = logging.getLogger("transformers.modeling_utils")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
