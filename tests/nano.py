"""A tiny random Llama with a tokenizer of its own, and pair tables to go with it: every trainer runs on them in seconds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suasion.models.base import Base, BaseConfig, resolve_base
from suasion.models.rendering import Renderer, RenderingConfig

CHAT_TEMPLATE = (
    "{% for message in messages %}<|turn|>{{ message.role }}\n{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)
WORDS = ("tea", "coffee", "water", "price", "people", "think", "often", "better", "worse", "because", "always", "never", "city", "school")
SMALL = RenderingConfig(prompt_tokens=128, reply_tokens=16, total_tokens=192)


def make_tokenizer(*, template: str | None = "{{ bos_token }}" + CHAT_TEMPLATE, end_is_padding: bool = False, declared: bool = True) -> Any:
    """An 800-token BPE trained on the shipped sample.

    Args:
        end_is_padding: ship it as many models are, with the end token for padding.
        declared: list the template's own tokens among ``all_special_tokens``; Llama 3 does not list its header tokens there.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    from suasion.persuasion.mining.sources.forms import sample_folder

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        special_tokens=["<|begin|>", "<|end|>", "<|pad|>", "<|turn|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    lines = (sample_folder() / "changemyview_comments.ndjson").read_text(encoding="utf-8").splitlines()
    tokenizer.train_from_iterator(lines, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|begin|>",
        eos_token="<|end|>",
        pad_token="<|end|>" if end_is_padding else "<|pad|>",
        additional_special_tokens=["<|turn|>", "<|pad|>"] if declared else [],
        chat_template=template,
    )


def make_nano(folder: Path, *, seed: int, end_is_padding: bool = False, ends: Sequence[int] = ()) -> Path:
    """Write a random model of 2 layers, 64 wide.

    Args:
        ends: further ids that the model declares to end a reply; random replies then do end.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer(end_is_padding=end_is_padding)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.2,  # large enough for replies and scores to differ
    )
    model = LlamaForCausalLM(config)
    if ends:
        model.generation_config.eos_token_id = [tokenizer.eos_token_id, *ends]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def nano_base(folder: Path, **settings: Any) -> Base:
    """The base in a folder that :func:`make_nano` wrote."""
    return resolve_base(BaseConfig(model=str(folder), **settings))


def small_renderer(base: Base, **limits: int) -> Renderer:
    """A renderer with limits that suit the nano model."""
    return Renderer(base.tokenizer, SMALL.model_copy(update=limits))


def shaken(model: Any, seed: int = 0, scale: float = 0.02) -> Any:
    """An adapted model whose adapter (fresh ones change nothing: B is zero) and head are moved at random."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter += scale * torch.randn(parameter.shape, generator=generator)
    return model


def write_pairs(folder: Path, *, train: int = 6, validation: int = 2, test: int = 4, seed: int = 0) -> Path:
    """Pair tables as ``suasion pairs`` writes them: in every pair the winner says 'evidence' and the loser does not."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    premises = []
    for split, number in (("train", train), ("validation", validation), ("test", test)):
        rows = []
        for index in range(number):
            premise = f"CMV: {' '.join(draw.choices(WORDS, k=8))}."
            winner, loser = (" ".join(draw.choices(WORDS, k=draw.randint(8, 14))) for _ in range(2))
            rows.append(
                {
                    "prompt": [{"role": "user", "content": premise}],
                    "chosen": [{"role": "assistant", "content": f"evidence {winner} evidence"}],
                    "rejected": [{"role": "assistant", "content": f"nonsense {loser} nonsense"}],
                    "debate_id": f"{split}{index}",
                    "winner_id": f"w{split}{index}",
                    "loser_id": f"l{split}{index}",
                }
            )
            premises.append({"debate_id": f"{split}{index}", "split": split, "prompt": rows[-1]["prompt"], "winners": [winner]})
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{split}.parquet")
    pq.write_table(pa.Table.from_pylist(premises), folder / "premises.parquet")
    return folder


def write_labelled(folder: Path) -> Path:
    """Add ``labelled.parquet`` to a folder of :func:`write_pairs`: every winner and loser as a single reply."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = []
    for split in ("train", "validation", "test"):
        for pair in pq.read_table(folder / f"{split}.parquet").to_pylist():
            for side, label in (("chosen", True), ("rejected", False)):
                known = {"split": split, "debate_id": pair["debate_id"], "prompt": pair["prompt"]}
                rows.append(known | {"reply": pair[side], "label": label})
    pq.write_table(pa.Table.from_pylist(rows), folder / "labelled.parquet")
    return folder


def adapter_weights(folder: Path) -> dict[str, Any]:
    """The tensors of a saved adapter."""
    from safetensors.torch import load_file

    return dict(load_file(folder / "adapter_model.safetensors"))


def same_weights(first: Path, second: Path) -> bool:
    """Whether two saved adapters are equal to the last bit."""
    import torch

    ours, theirs = adapter_weights(first), adapter_weights(second)
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
