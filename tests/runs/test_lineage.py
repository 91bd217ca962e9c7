from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from suasion.errors import SuasionError
from suasion.runs.lineage import check_base, differing, lineage, picture, text_tree
from suasion.runs.run import Run


@pytest.fixture
def family(root: Path, lock: dict[str, str]) -> dict[str, Run]:
    with Run.start(root, "Pairs", config={}) as pairs:
        pass
    with Run.start(root, "SFT", config={}, parents={"pairs": pairs}, base_lock=lock) as writer:
        pass
    with Run.start(root, "Judge", config={}, parents={"pairs": pairs}, base_lock=lock) as judge:
        pass
    with Run.start(root, "GRPO", config={}, parents={"judge": judge, "writer": writer, "pairs": pairs}, base_lock=lock) as practice:
        pass
    return {"pairs": pairs, "writer": writer, "judge": judge, "practice": practice}


def test_children_stand_before_parents_each_once(root: Path, family: dict[str, Run]) -> None:
    names = [ancestor.id for ancestor in lineage(family["practice"].path, root)]
    assert names[0] == family["practice"].name and names[-1] == family["pairs"].name
    assert sorted(names) == sorted(run.name for run in family.values())


def test_the_tree_names_roles_and_draws_each_run_once(root: Path, family: dict[str, Run]) -> None:
    text = text_tree(lineage(family["judge"].path, root))
    assert text == f"{family['judge'].name}  (done)\n   pairs: {family['pairs'].name}  (done)"


def test_a_vanished_parent_is_shown_as_such(root: Path, family: dict[str, Run]) -> None:
    shutil.rmtree(family["writer"].path)
    ancestors = lineage(family["practice"].path, root)
    assert f"writer: {family['writer'].name}  (vanished)" in text_tree(ancestors)
    assert "vanished" in _svg(picture(ancestors))


def test_a_parent_outside_the_root_is_found_where_it_lay(root: Path, tmp_path: Path) -> None:
    with Run.start(root, "Pairs", config={}, path=tmp_path / "out") as pairs:
        pass
    with Run.start(root, "SFT", config={}, parents={"pairs": pairs}) as child:
        pass
    assert [ancestor.note for ancestor in lineage(child.path, root)] == ["done", "done"]
    shutil.rmtree(tmp_path / "out")
    with Run.start(root, "Pairs", config={}, path=tmp_path / "out"):
        pass
    assert [ancestor.note for ancestor in lineage(child.path, root)] == ["done", "vanished"]  # another run lies there now


def test_a_loop_in_tampered_manifests_does_not_hang(root: Path, family: dict[str, Run]) -> None:
    path = family["pairs"].path / "manifest.json"
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"parents": {"self": family["pairs"].name, "child": family["practice"].name}})
    )
    ancestors = lineage(family["practice"].path, root)
    assert len(ancestors) == 4 and ancestors[0].id == family["practice"].name
    assert family["judge"].name in text_tree(ancestors)
    _svg(picture(ancestors))


def test_names_in_the_picture_are_escaped(root: Path, family: dict[str, Run]) -> None:
    path = family["pairs"].path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"parents": {"<b>": '<script>"&'}}))
    assert "<script>" not in _svg(picture(lineage(family["pairs"].path, root)))


def _svg(uri: str) -> str:
    text = base64.b64decode(uri.removeprefix("data:image/svg+xml;base64,")).decode()
    ElementTree.fromstring(text)  # well-formed, or it raises
    return text


def test_every_part_of_the_base_counts(lock: dict[str, str]) -> None:
    check_base("child", lock, {"parent": dict(reversed(lock.items())), "without": None})
    check_base("child", None, {"parent": lock})
    for part in lock:
        with pytest.raises(
            SuasionError, match=rf"child and its parent parent do not[^\0]*- {part}: child has {lock[part][:12]}, parent has nothing"
        ):
            check_base("child", lock, {"parent": {key: value for key, value in lock.items() if key != part}})
    assert differing({}, {"weights": "x" * 64}) == [("weights", "nothing", "x" * 12)]
