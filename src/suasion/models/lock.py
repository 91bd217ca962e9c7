"""The base lock: a fingerprint of the one starting model that every stage must match.

It covers the weights, the tokenizer, the chat template and the quantisation, and nothing that may differ between two machines
(paths, file names, how the weights are cut into shards). "A couple of pieces were once built on slightly different base models,
and the scores drifted in ways nobody could explain": with the lock, they refuse to meet.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import read_json, sha256_json, write_json

#: Files that decide how text becomes ids. ``tokenizer_config.json`` is read apart: it also holds paths and the chat template.
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "merges.txt", "added_tokens.json")
_TOKENIZER_KEYS = ("add_bos_token", "add_eos_token", "bos_token", "eos_token", "unk_token", "tokenizer_class", "model_max_length")


def base_lock(folder: Path, *, chat_template: str, quantization: str, cache: Path) -> dict[str, str]:
    """Fingerprint a model folder.

    Args:
        folder: a Hugging Face model folder with safetensors weights.
        chat_template: the template in force (the tokenizer's own, or ours where it has none).
        quantization: how the weights are loaded, for example ``none`` or ``nf4-double``.
        cache: folder for digests of weights, so that 16 GB are not read at every start.

    Returns:
        ``weights``, ``tokenizer`` and ``chat_template`` as hex digests, and the word ``quantization``.
    """
    return {
        "weights": _weights_digest(folder, cache),
        "tokenizer": _tokenizer_digest(folder),
        "chat_template": hashlib.sha256(chat_template.encode()).hexdigest(),
        "quantization": quantization,
    }


def _weights_digest(folder: Path, cache: Path) -> str:
    shards = sorted(folder.glob("*.safetensors"))
    if not shards:
        raise SuasionError(
            "This model folder holds no safetensors weights.",
            where=folder,
            hint="Pickled weights (.bin, .pt) are not loaded: convert them first.",
        )
    # Size and time stand for the content here: a changed file has another key, and the digest is computed anew.
    key = sha256_json(
        [[shard.name, shard.resolve().stat().st_size, shard.resolve().stat().st_mtime_ns] for shard in shards] + [str(folder.resolve())]
    )
    remembered = cache / "weights" / f"{key}.json"
    if remembered.is_file():
        return str(read_json(remembered)["sha256"])
    tensors: dict[str, str] = {}
    for shard in shards:
        tensors |= _tensor_digests(shard)
    digest = sha256_json(tensors)
    write_json(remembered, {"sha256": digest, "folder": folder.name, "tensors": len(tensors)})
    return digest


def _tensor_digests(shard: Path) -> dict[str, str]:
    """Digest of each tensor with its type and shape, by name: the same however the weights are cut into files.

    Format: an 8-byte little-endian header length, a JSON header, the data (https://github.com/huggingface/safetensors#format).
    """
    try:
        with shard.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            (length,) = struct.unpack("<Q", data[:8])
            header = json.loads(data[8 : 8 + length])
            digests = {}
            for name, entry in header.items():
                if name == "__metadata__":
                    continue
                start, end = (8 + length + offset for offset in entry["data_offsets"])
                if end > len(data):
                    raise ValueError(f"the tensor '{name}' is cut off")
                content = hashlib.sha256(memoryview(data)[start:end])
                digests[name] = f"{entry['dtype']}{entry['shape']}{content.hexdigest()}"
            return digests
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:  # the header may be any JSON
        raise SuasionError(f"This weights file is not whole: {error}", where=shard, hint="Download or convert the model again.") from error


def _tokenizer_digest(folder: Path) -> str:
    parts: dict[str, object] = {}
    for name in _TOKENIZER_FILES:
        path = folder / name
        if path.is_file():
            parts[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    if not parts:
        raise SuasionError(
            "This model folder holds no tokenizer.", where=folder, hint="It needs tokenizer.json or tokenizer.model beside the weights."
        )
    settings = folder / "tokenizer_config.json"
    if settings.is_file():
        content = read_json(settings)
        parts["settings"] = {key: content.get(key) for key in _TOKENIZER_KEYS}
    return sha256_json(parts)
