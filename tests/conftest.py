"""What all tests share: the nano model, a command line that does not import torch anew each time, and a cache of our own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# On so small a model two threads mostly wait for each other: ten times slower where the machine is busy.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")

from tests.forks import CommandLine
from tests.nano import make_nano, nano_base, small_renderer

if TYPE_CHECKING:
    from suasion.models.base import Base
    from suasion.models.rendering import Renderer

# A busy machine is slow to draw examples too: no property fails for that.
settings.register_profile("suasion", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suasion")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real material beside the repository; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/data beside the repository")
    return SHARED


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Digests of weights go to a temporary cache, not to the user's; the embedded model's own test takes it from where setup put it."""
    with pytest.MonkeyPatch.context() as patch:
        if "SUASION_CACHE" not in os.environ:
            patch.setenv("SUASION_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def nano_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder: 2 layers, 64 wide, an 800-token BPE trained on the shipped sample."""
    return make_nano(tmp_path_factory.mktemp("nano"), seed=0)


@pytest.fixture(scope="session")
def other_nano_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another model of the same shape and with the same tokenizer."""
    return make_nano(tmp_path_factory.mktemp("other-nano"), seed=1)


@pytest.fixture(scope="session")
def nano(nano_folder: Path, own_cache: None) -> Base:
    """The nano model as a base."""
    return nano_base(nano_folder)


@pytest.fixture(scope="session")
def renderer(nano: Base) -> Renderer:
    """Renders for the nano model, with small limits."""
    return small_renderer(nano)


@pytest.fixture(scope="session")
def suasion(tmp_path_factory: pytest.TempPathFactory, own_cache: None) -> Iterator[CommandLine]:
    """Runs ``suasion`` command lines, each in a process of its own."""
    command_line = CommandLine(tmp_path_factory.mktemp("command-line"))
    yield command_line
    command_line.close()
