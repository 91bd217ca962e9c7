"""Tiny random models of the architectures that the recipes name: Llama 3, Llama 2, Longformer, ModernBERT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.nano import make_nano

#: As the chat models of Llama 2 have it: no system turn of its own, a BOS before every turn of the user, the end token behind a reply.
LLAMA2_TEMPLATE = (
    "{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set system = '<<SYS>>\\n' + messages[0]['content'] + "
    "'\\n<</SYS>>\\n\\n' %}{% else %}{% set rest = messages %}{% set system = '' %}{% endif %}{% for message in rest %}"
    "{% if message['role'] == 'user' %}"
    "{{ bos_token + '[INST] ' + (system if loop.first else '') + message['content'].strip() + ' [/INST]' }}"
    "{% else %}{{ ' ' + message['content'].strip() + ' ' + eos_token }}{% endif %}{% endfor %}"
)


def make_llama3(folder: Path) -> Path:
    """Grouped-query attention, a BPE of bytes: what the nano model is."""
    return make_nano(folder, seed=0)


def make_llama2(folder: Path, *, template: str | None = LLAMA2_TEMPLATE) -> Path:
    """As many key heads as query heads, RMS norm of 1e-5, ``<s>``, ``</s>`` and ``<unk>`` as its only special tokens: no padding token."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(["<unk>", "<s>", "</s>"], bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    tokenizer.chat_template = template
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=172,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=1024,
        rms_norm_eps=1e-5,
        bos_token_id=1,
        eos_token_id=2,
        initializer_range=0.2,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_longformer(folder: Path, *, positions: int = 258, seed: int = 0) -> Path:
    """A masked language model, as the published one is; windows of 16 tokens; ``positions - 2`` of them can be used."""
    import torch
    from transformers import LongformerConfig, LongformerForMaskedLM

    marks = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask>"}
    tokenizer = _tokenizer(
        list(marks.values()), pair=("<s> $A </s>", "<s> $A </s> </s> $B </s>"), sep_token="</s>", cls_token="<s>", **marks
    )
    torch.manual_seed(seed)
    config = LongformerConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=positions,
        attention_window=16,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        sep_token_id=2,
        type_vocab_size=1,
        initializer_range=0.2,
    )
    LongformerForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_modernbert(folder: Path, *, seed: int = 0) -> Path:
    """Alternating local and global attention, rotary positions, 256 of them."""
    import torch
    from transformers import ModernBertConfig, ModernBertForMaskedLM

    marks = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    tokenizer = _tokenizer(list(marks.values()), pair=("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]"), **marks)
    torch.manual_seed(seed)
    config = ModernBertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=2,
        max_position_embeddings=256,
        global_attn_every_n_layers=3,
        local_attention=16,
        pad_token_id=2,
        cls_token_id=0,
        sep_token_id=1,
        bos_token_id=0,
        eos_token_id=1,
        initializer_range=0.2,
    )
    ModernBertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer(special: list[str], pair: tuple[str, str] | None = None, **named: str) -> Any:
    """A BPE of 600 tokens trained on the shipped sample, whose first tokens are the special ones."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    from suasion.persuasion.mining.sources.forms import sample_folder

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    lines = (sample_folder() / "changemyview_comments.ndjson").read_text(encoding="utf-8").splitlines()[:100]
    tokenizer.train_from_iterator(lines, trainer)
    if pair:
        single, both = pair
        tokenizer.post_processor = processors.TemplateProcessing(
            single=single, pair=both, special_tokens=[(token, tokenizer.token_to_id(token)) for token in special]
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named)
