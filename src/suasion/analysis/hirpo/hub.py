"""To the hub: the model with its card, the pairs with theirs. Without ``push`` both stay in the run's folder, ready to be uploaded."""

from __future__ import annotations

import shutil
from pathlib import Path

from suasion.analysis.hirpo.cards import dataset_card, model_card
from suasion.analysis.hirpo.hub_settings import HubConfig
from suasion.errors import SuasionError
from suasion.files import write_text
from suasion.progress import say
from suasion.runs.run import Run

PAIRS_FOLDER, MODEL_FOLDER = "pairs", "adapter"


def write_cards(run: Run, licence_of_texts: str = "") -> None:
    """The cards, from the run's record: ``adapter/README.md`` and ``pairs/README.md`` beside the pairs of all epochs."""
    write_text(run.path / MODEL_FOLDER / "README.md", model_card(run))
    folder = run.path / PAIRS_FOLDER
    folder.mkdir(exist_ok=True)
    for pairs in sorted(run.path.glob("epoch-*/pairs.jsonl")):
        target = folder / f"{pairs.parent.name}.jsonl"
        if not target.exists():
            partial = target.with_suffix(".partial")
            shutil.copyfile(pairs, partial)
            partial.rename(target)
    write_text(folder / "README.md", dataset_card(run, licence_of_texts))


def push(run: Run, config: HubConfig) -> None:
    """Upload model and pairs.

    Raises:
        SuasionError: the hub cannot be reached or says no; what is in the run's folder is untouched.
    """
    _upload(run.path / MODEL_FOLDER, config.model, "model", config.private)
    if config.dataset:
        _upload(run.path / PAIRS_FOLDER, config.dataset, "dataset", config.private)


def _upload(folder: Path, name: str, kind: str, private: bool) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    api = HfApi()
    try:
        api.create_repo(name, repo_type=kind, private=private, exist_ok=True)
        api.upload_folder(folder_path=str(folder), repo_id=name, repo_type=kind)
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise SuasionError(
            f"The {kind} '{name}' could not be uploaded: {first_line:.200}",
            where=folder,
            hint="Log in with `hf auth login` and check the network; or upload the folder by hand: its card is in it.",
        ) from error
    say(f"HIRPO: the {kind} is on the hub as {name}")
