"""Every real file is read as the official parser reads it, but for the differences that are listed with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from suasion.analysis.argdown import parse
from tests.analysis.argdown.recorded import Recorded, our_reading, recorded_files

KNOWN = yaml.safe_load(Path(__file__).with_name("known_differences.yaml").read_text(encoding="utf-8"))
FILES = recorded_files()
CLEAN = [file for file in FILES if file.reading is not None]
REJECTED = [file for file in FILES if file.reading is None]
LEAST_AGREEMENT = 0.97

pytestmark = pytest.mark.skipif(not FILES, reason="needs ../shared/data beside the repository")


def differences(file: Recorded) -> list[str]:
    assert file.reading is not None
    document = parse(file.text)
    ours = our_reading(document)
    return (["errors"] if document.errors else []) + [part for part, official in file.reading.items() if ours[part] != official]


@pytest.mark.parametrize("file", CLEAN, ids=lambda file: file.name)
def test_a_sound_file_is_read_as_the_official_parser_reads_it(file: Recorded) -> None:
    assert differences(file) == KNOWN.get(file.name, {}).get("differs", [])


@pytest.mark.parametrize("file", REJECTED, ids=lambda file: file.name)
def test_a_file_that_the_official_parser_rejects_is_rejected(file: Recorded) -> None:
    assert parse(file.text).errors


def test_nearly_all_sound_files_agree_entirely() -> None:
    agreeing = sum(not differences(file) for file in CLEAN)
    assert len(FILES) == 230 and len(CLEAN) == 152
    assert agreeing / len(CLEAN) >= LEAST_AGREEMENT, f"{agreeing} of {len(CLEAN)}"


def test_only_undercuts_of_inferences_have_an_end_that_the_recording_does_not_name() -> None:
    for file in CLEAN:
        assert file.reading is not None
        unnamed = [[kind, source] for kind, source, target in file.reading["relations"] if not target]
        found = [[relation.type, relation.source.label] for relation in parse(file.text).relations if relation.target.kind == "inference"]
        assert sorted(found) == unnamed, file.name


def test_every_known_difference_has_a_reason_and_a_file() -> None:
    names = {file.name for file in CLEAN}
    assert all(len(known["reason"]) > 40 and known["differs"] and name in names for name, known in KNOWN.items())
