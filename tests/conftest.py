"""A tiny random Llama with a tokenizer of its own: every trainer runs on it in seconds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CHAT_TEMPLATE = (
    "{% for message in messages %}<|turn|>{{ message.role }}\n{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real material beside the repository; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/data beside the repository")
    return SHARED


@pytest.fixture(scope="session")
def nano_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder: 2 layers, 64 wide, an 800-token BPE trained on the shipped sample."""
    return make_nano(tmp_path_factory.mktemp("nano"), seed=0)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of weights go to a temporary cache, not to the user's (the embedded model's conversion is kept where it is)."""
    if "SUASION_CACHE" not in os.environ:
        monkeypatch.setenv("SUASION_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def make_nano(folder: Path, *, seed: int, end_is_padding: bool = False) -> Path:
    """Write a random model. ``end_is_padding``: ship it as many models are, with the end token for padding."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    from suasion.persuasion.mining.sources import sample_folder

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|begin|>", "<|end|>", "<|pad|>", "<|turn|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=800, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    lines = (sample_folder() / "changemyview_comments.ndjson").read_text(encoding="utf-8").splitlines()
    tokenizer.train_from_iterator(lines, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|begin|>",
        eos_token="<|end|>",
        pad_token="<|end|>" if end_is_padding else "<|pad|>",
        additional_special_tokens=["<|turn|>", "<|pad|>"],
        chat_template="{{ bos_token }}" + CHAT_TEMPLATE,
    )
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        bos_token_id=fast.bos_token_id,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.pad_token_id,
        initializer_range=0.2,  # large enough for replies and scores to differ
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
