from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from suasion.cli.pairs import pairs_command
from suasion.errors import SuasionError
from suasion.files import sha256_file, write_json
from suasion.persuasion.mining import pairs as pairs_module
from suasion.persuasion.mining.pairs import PairsConfig, PairsResult, make_pairs
from suasion.persuasion.mining.splits import SPLITS, find_leaks
from suasion.persuasion.mining.tables import read_rows
from tests.persuasion.mining.tables_for_tests import Rows, award, comment, debate, post, together, words, write

THREADS = Path(__file__).resolve().parents[3] / "../shared/data/cmv/full-threads"


def many(n: int = 12) -> Rows:
    return together(*(debate(f"d{number:02}", [60 + number, 90], [58, 62, 64 + number, 85, 95, 120]) for number in range(n)))


def made(tmp_path: Path, rows: Rows, seed: int = 0, name: str = "out", **config: Any) -> tuple[PairsResult, Path]:
    out = tmp_path / name
    out.mkdir()
    return make_pairs(write(tmp_path / "mined", rows), out, PairsConfig(**config), seed), out


def rows_of(out: Path) -> list[dict[str, Any]]:
    return [row | {"split": split} for split in SPLITS for row in read_rows(out / f"{split}.parquet")]


def test_the_tables_are_whole_and_in_the_ecosystems_shape(tmp_path: Path) -> None:
    result, out = made(tmp_path, many())
    rows = rows_of(out)
    assert sum(result.pairs.values()) == len(rows) > 0
    for row in rows:
        assert [message["role"] for side in ("prompt", "chosen", "rejected") for message in row[side]] == ["user", "assistant", "assistant"]
        assert row["chosen"][0]["content"] == words((row["debate_id"], row["winner_id"]), row["winner_words"])
        assert row["rejected"][0]["content"] == words((row["debate_id"], row["loser_id"]), row["loser_words"])
        assert row["winner_author_hash"] == hashlib.sha256(f"{row['debate_id']}-{row['winner_id'][3:]}".encode()).hexdigest()
        assert row["length_ratio"] == row["winner_words"] / row["loser_words"]
        assert row["winner_created"] is None
    premises = read_rows(out / "premises.parquet")
    assert sorted(row["debate_id"] for row in premises) == [f"d{number:02}" for number in range(12)]
    assert all(len(row["winners"]) == len(row["winner_ids"]) == len(row["winner_author_hashes"]) == 2 for row in premises)
    assert {row["debate_id"]: row["split"] for row in premises}.items() >= {row["debate_id"]: row["split"] for row in rows}.items()


def test_no_name_reaches_a_file(tmp_path: Path) -> None:
    rows = debate("x", [60], [60], author_of="secretive_fellow")
    rows["comments"][0]["text"] += " as /u/secretive_fellow says"
    _, out = made(tmp_path, together(rows, many()), opt_out=["hidden_person"])
    for path in out.rglob("*"):
        if path.is_file():
            assert b"secretive_fellow" not in path.read_bytes()
            assert b"hidden_person" not in path.read_bytes()


def test_datasets_reads_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import load_dataset

    result, out = made(tmp_path, many())
    files = {split: str(out / f"{split}.parquet") for split in SPLITS}
    loaded = load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert {split: len(loaded[split]) for split in SPLITS} == result.pairs
    assert loaded["train"][0]["chosen"][0]["role"] == "assistant"


def test_same_seed_same_files_whatever_the_order_of_rows(tmp_path: Path) -> None:
    rows = many()
    _, one = made(tmp_path, rows, seed=3, name="one")
    for table in rows.values():
        table.reverse()
    _, other = made(tmp_path, rows, seed=3, name="other")
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert names
    assert all(sha256_file(one / name) == sha256_file(other / name) for name in names)
    _, third = made(tmp_path, rows, seed=4, name="third")
    assert sha256_file(one / "premises.parquet") != sha256_file(third / "premises.parquet")


AUTHORS = st.sampled_from(["ann", "bob", "cid", "dan", "eve", "fay", "[deleted]", "DeltaBot", "AutoModerator", "op"])
REPLY = st.tuples(AUTHORS, st.integers(18, 26), st.integers(0, 40), st.booleans())


@st.composite
def mined(draw: st.DrawFn) -> Rows:
    """Debates whose replies share authors and texts, some by bots and by the post's author, some awarded."""
    parts = []
    for number in range(draw(st.integers(2, 9))):
        name = f"d{number}"
        rows: Rows = {"posts": [post(name, draw(AUTHORS))], "comments": [], "awards": []}
        for place, (author, n, text, won) in enumerate(draw(st.lists(REPLY, min_size=1, max_size=6))):
            rows["comments"].append(comment(name, f"{name}c{place}", author, text=words(text, n)))
            if won:
                op = rows["posts"][0]["author"]
                rows["comments"].append(comment(name, f"{name}a{place}", op, f"{name}c{place}", text="!delta " + words(place, 12)))
                rows["awards"].append(award(name, f"{name}a{place}", f"{name}c{place}", giver=op))
        parts.append(rows)
    return together(*parts)


@given(mined(), st.integers(0, 3), st.integers(1, 2))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_pair_crosses_a_split_and_no_bot_or_post_author_is_in_one(rows: Rows, seed: int, most: int) -> None:
    config = PairsConfig(min_words=10, length_caliper=0.3, validation=0, max_pairs_per_winner=most)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module.datacard, "_draw", lambda *arguments: None)  # pictures take their time and play no part here
        out = Path(folder) / "out"
        out.mkdir()
        told = None
        try:
            result = make_pairs(write(Path(folder) / "mined", rows), out, config, seed)
        except SuasionError as error:
            told = error.what
        if told is not None:  # too little was drawn to make pairs from
            assert "leak" not in told
            assert not list(out.glob("*.parquet"))
            return
        assert find_leaks(out) == []
        authors = {row["comment_id"]: row["author"] for row in rows["comments"]}
        posters = {row["debate_id"]: row["author"] for row in rows["posts"]}
        written = rows_of(out)
        assert len({row["loser_id"] for row in written}) == len(written)
        for row in written:
            for side in ("winner_id", "loser_id"):
                assert authors[row[side]] not in ("DeltaBot", "AutoModerator", posters[row["debate_id"]])
            assert row["chosen"] != row["rejected"]
        for split in SPLITS:
            here = [row for row in written if row["split"] == split]
            longer = sum((row["winner_words"] > row["loser_words"]) - (row["winner_words"] < row["loser_words"]) for row in here)
            assert abs(longer) <= (len(here) == 1)
        for entry in result.steps.values():
            assert entry["in"] == entry["kept"] + sum(entry["dropped"].values())


def test_shared_authors_never_stand_on_two_sides(tmp_path: Path) -> None:
    rows = many(20)
    for row in rows["comments"]:
        if "l" in row["comment_id"] and int(row["debate_id"][1:]) % 2:
            row["author"] = "prolific"
    result, out = made(tmp_path, rows)
    assert find_leaks(out) == []
    assert result.steps["pairs within a split"]["dropped"]["an author of a reply stands in another split"] > 0


def broken(rows: Rows, what: str) -> Rows:
    if what == "no awards":
        rows["awards"] = []
    elif what == "others' awards":
        rows["awards"] = [row | {"by_author": False} for row in rows["awards"]]
    elif what == "short":
        rows["comments"] = [row | {"text": row["text"][:60]} for row in rows["comments"]]
    elif what == "lengths":
        rows["comments"] = [
            row | {"text": row["text"] + words("more", 200)} if "w" in row["comment_id"] else row for row in rows["comments"]
        ]
    elif what == "no posts":
        rows["posts"] = [row | {"text": "[removed]"} for row in rows["posts"]]
    return rows


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("no awards", "No award was found"),
        ("others' awards", r"No award counts: .* not by the post's author.*"),
        ("short", r"No winner is left: .*shorter than 50 words"),
        ("lengths", r"No pair is left: .*winners matched.*no loser of about its length.*"),
        ("no posts", r"No debate is usable: .*deleted or removed"),
    ],
)
def test_what_leaves_nothing_is_told_with_the_step(tmp_path: Path, what: str, message: str) -> None:
    with pytest.raises(SuasionError, match=message):
        made(tmp_path, broken(many(), what))
    assert list((tmp_path / "out").iterdir()) == []


def test_an_empty_split_is_named_unless_its_share_is_zero(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="The split validation is empty") as caught:
        made(tmp_path, many(2))
    assert "validation=0" in str(caught.value.hint)
    assert list((tmp_path / "out").iterdir()) == []
    result, out = made(tmp_path, many(2), name="two", validation=0)
    assert result.pairs["validation"] == 0
    assert read_rows(out / "validation.parquet") == []


def test_few_debates_still_fill_every_split(tmp_path: Path) -> None:
    result, _ = made(tmp_path, many(3))
    assert all(result.pairs[split] >= 1 for split in SPLITS)


def run_command(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(pairs_command)
    return CliRunner().invoke(app, list(arguments))


def test_the_command_writes_a_run_and_prints_json(tmp_path: Path) -> None:
    source, out = write(tmp_path / "mined", many()), tmp_path / "out"
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("seed: 5\npairs:\n  max_pairs_per_winner: 2\n")
    result = run_command(str(source), "pairs.length_caliper=0.3", "-o", str(out), "--recipe", str(recipe), "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert sum(told["pairs"].values()) == len(rows_of(out))
    assert (out / "manifest.json").is_file()
    assert (out / "report.html").is_file()
    card = json.loads((out / "datacard.json").read_text())
    assert (card["seed"], card["config"]["max_pairs_per_winner"], card["config"]["length_caliper"]) == (5, 2, 0.3)


@pytest.mark.parametrize(("argument", "message"), [("pairs.min_word=3", "did you mean 'min_words'"), ("pairs.min_words=few", "min_words")])
def test_the_command_refuses_wrong_settings_before_it_starts(tmp_path: Path, argument: str, message: str) -> None:
    result = run_command(str(write(tmp_path / "mined", many())), argument, "-o", str(tmp_path / "out"))
    assert isinstance(result.exception, SuasionError)
    assert message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_the_command_knows_no_such_folder(tmp_path: Path) -> None:
    result = run_command("nowhere", "-R", str(tmp_path))
    assert isinstance(result.exception, SuasionError)
    assert "'nowhere'" in str(result.exception)


@pytest.mark.skipif(not THREADS.is_dir(), reason="the real threads are not beside this checkout")
@pytest.mark.parametrize(("unit", "most", "least"), [("root", 1, 8), ("comment", 1, 25), ("comment", 3, 50)])
def test_real_threads_make_pairs_without_leaks(tmp_path: Path, unit: str, most: int, least: int) -> None:
    from suasion.persuasion.mining.mine import mine

    source, out = tmp_path / "mined", tmp_path / "out"
    source.mkdir()
    out.mkdir()
    mine([THREADS], source)
    result = make_pairs(source, out, PairsConfig(unit=unit, max_pairs_per_winner=most), 0)
    assert sum(result.pairs.values()) >= least
    assert find_leaks(out) == []
    assert result.steps["awards"] == {"in": 55, "kept": 47, "dropped": {"not by the post's author": 8}}
    for row in rows_of(out):
        for side in ("prompt", "chosen", "rejected"):
            text = row[side][0]["content"]
            assert "∆" not in text
            assert "footnote from your moderators" not in text
            assert "/u/" not in text
    assert write_json(tmp_path / "steps.json", result.steps).is_file()
