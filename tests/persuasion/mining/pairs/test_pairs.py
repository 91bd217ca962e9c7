from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.persuasion.mining.pairs import pairs as pairs_module
from suasion.persuasion.mining.pairs.balance import MEASURES
from suasion.persuasion.mining.pairs.leaks import find_leaks, verify
from suasion.persuasion.mining.pairs.pairs import TABLES, PairsResult, make_pairs
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import read_rows
from tests.persuasion.mining.tables_for_tests import Rows, award, comment, debate, post, together, words, write

THREADS = Path(__file__).resolve().parents[4] / "../shared/data/cmv/full-threads"


def many(n: int = 12) -> Rows:
    return together(*(debate(f"d{number:02}", [60 + number, 90], [58, 62, 64 + number, 85, 95, 120]) for number in range(n)))


def made(tmp_path: Path, rows: Rows, seed: int = 0, name: str = "out", count: Any = None, **config: Any) -> tuple[PairsResult, Path]:
    out = tmp_path / name
    out.mkdir()
    return make_pairs(write(tmp_path / "mined", rows), out, PairsConfig(**config), seed, count), out


def letters(texts: Sequence[str], /) -> list[int]:
    """A token for every three letters: another length than words, as a tokenizer's is."""
    return [max(1, len(text) // 3) for text in texts]


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
        assert row["winner_created"] is None and row["winner_tokens"] is None
        assert row["post_author_hash"] == hashlib.sha256(f"{row['debate_id']}-op".encode()).hexdigest()
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


def files_of(out: Path) -> dict[Path, str]:
    return {path.relative_to(out): sha256_file(path) for path in sorted(out.rglob("*")) if path.is_file()}


def test_same_seed_same_files_whatever_the_order_of_rows(tmp_path: Path) -> None:
    rows = many()
    _, one = made(tmp_path, rows, seed=3, name="one")
    _, again = made(tmp_path, rows, seed=3, name="again")
    assert files_of(one) == files_of(again) and len(files_of(one)) > len(TABLES) + 2
    for table in rows.values():
        table.reverse()
    _, other = made(tmp_path, rows, seed=3, name="other")
    different = {str(name) for name, digest in files_of(one).items() if files_of(other)[name] != digest}
    assert different <= {"plots/length-ratio.png"}  # one loser a winner is drawn for it, debate after debate
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


@given(mined(), st.integers(0, 3), st.integers(1, 2), st.sampled_from(["root", "comment", "path"]), st.sampled_from(["random", "time"]))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_pair_crosses_a_split_and_no_bot_or_post_author_is_in_one(rows: Rows, seed: int, most: int, unit: Any, by: Any) -> None:
    config = PairsConfig(min_words=10, length_caliper=0.3, validation=0, max_pairs_per_winner=most, unit=unit, split_by=by)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module.datacard.pictures, "draw", lambda *arguments: {})  # pictures take their time and play no part here
        out = Path(folder) / "out"
        out.mkdir()
        told = None
        try:
            result = make_pairs(write(Path(folder) / "mined", rows), out, config, seed, letters)
        except SuasionError as error:
            told = error.what
        if told is not None:  # too little was drawn to make pairs from
            assert "leak" not in told
            assert not list(out.glob("*.parquet"))
            return
        found = verify(out)
        assert found.leaks == () and not any("post's author" in note for note in found.notes)
        for measures in found.length_auc.values():
            assert all(auc.low <= 0.5 <= auc.high for auc in measures.values())
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
            longer = sum((row["winner_tokens"] > row["loser_tokens"]) - (row["winner_tokens"] < row["loser_tokens"]) for row in here)
            assert abs(longer) <= (len(here) == 1)
            singles = [row for row in read_rows(out / "labelled.parquet") if row["split"] == split]
            assert sum(row["label"] for row in singles) * 2 == len(singles) == len({row["reply_id"] for row in singles})
        check_fours(read_rows(out / "best-of-four.parquet"), rows)
        for entry in result.steps.values():
            assert entry["in"] == entry["kept"] + sum(entry["dropped"].values())


def check_fours(fours: list[dict[str, Any]], rows: Rows) -> None:
    """Each has one winner and three losers, no reply twice."""
    won = {row["winner_id"] for row in rows["awards"]}
    assert len({reply for row in fours for reply in row["reply_ids"]}) == 4 * len(fours)
    for row in fours:
        assert [reply in won for reply in row["reply_ids"]] == [place == row["winner"] for place in range(4)]


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


def test_lengths_are_tokens_where_they_are_counted(tmp_path: Path) -> None:
    result, out = made(tmp_path, many(40), count=letters, length_caliper=0.1)
    rows = rows_of(out)
    assert rows
    for row in rows:
        for side in ("chosen", "rejected"):
            assert row[f"{'winner' if side == 'chosen' else 'loser'}_tokens"] == letters([row[side][0]["content"]])[0]
        assert abs(math.log(row["winner_tokens"] / row["loser_tokens"])) <= 0.1 + 1e-9
    assert any(abs(math.log(row["length_ratio"])) > 0.1 for row in rows)  # in words they may differ by more
    for measures in verify(out).length_auc.values():
        assert set(measures) == set(MEASURES)
        assert all(auc.low <= 0.5 <= auc.high for auc in measures.values())
    assert result.longer_wins["after"].value == 0.5


def test_what_other_ways_would_have_kept_is_told(tmp_path: Path) -> None:
    result, out = made(tmp_path, many(30), max_pairs_per_winner=2)
    cost = result.matching_cost
    assert cost["optimal"]["matched"] == result.steps["pairs within a split"]["in"]
    assert cost["optimal"]["balanced"] == sum(result.pairs.values())
    assert (
        cost["uncalipered"]["matched"] == 30 * 4 >= cost["optimal"]["matched"] >= max(cost[way]["matched"] for way in ("greedy", "random"))
    )
    assert all(cost[way]["balanced"] <= cost[way]["within splits"] <= cost[way]["matched"] for way in ("optimal", "greedy", "random"))
    assert json.loads((out / "datacard.json").read_text())["matching_cost"] == cost


def test_by_time_no_debate_for_training_is_later_than_one_for_testing(tmp_path: Path) -> None:
    rows = many(30)
    for number, row in enumerate(rows["posts"]):
        row["created_utc"] = 1_500_000_000 + (number * 7 % 30) * 86_400
    for row in rows["comments"]:  # two losers of a late debate wrote all over the early ones
        if row["comment_id"].endswith("l3"):
            row["author"] = "prolific"
    result, out = made(tmp_path, rows, split_by="time")
    created = {row["debate_id"]: row["created_utc"] for row in rows["posts"]}
    times = {split: [created[row["debate_id"]] for row in read_rows(out / "premises.parquet") if row["split"] == split] for split in SPLITS}
    assert max(times["train"]) < min(times["validation"]) and max(times["validation"]) < min(times["test"])
    assert find_leaks(out) == [] and all(result.pairs.values())


def test_without_times_the_ids_tell_the_order(tmp_path: Path) -> None:
    _, out = made(tmp_path, many(30), split_by="time")
    names = {split: [row["debate_id"] for row in read_rows(out / "premises.parquet") if row["split"] == split] for split in SPLITS}
    assert max(names["train"]) < min(names["validation"]) < max(names["validation"]) < min(names["test"])


def test_a_copy_in_a_later_split_makes_the_earlier_debate_go(tmp_path: Path) -> None:
    rows = many(30)
    rows["posts"][2] |= {key: rows["posts"][29][key] for key in ("title", "text")}
    result, out = made(tmp_path, rows, split_by="time")
    assert "d02" not in {row["debate_id"] for row in read_rows(out / "premises.parquet")}
    assert "d29" in {row["debate_id"] for row in read_rows(out / "premises.parquet")}
    assert result.steps["debates within a split"] == {"in": 30, "kept": 29, "dropped": {"a text of theirs has a copy on a later side": 1}}
    assert find_leaks(out) == []


def test_a_comments_prompt_holds_the_turns_above_it(tmp_path: Path) -> None:
    parts = []
    for number in range(20):
        name, op = f"d{number:02}", f"d{number:02}-op"
        rows: Rows = {"posts": [post(name, op)], "comments": [comment(name, f"{name}t", f"{name}-w")], "awards": []}
        rows["comments"] += [comment(name, f"{name}q", op, f"{name}t", n=30), comment(name, f"{name}w", f"{name}-w", f"{name}q", depth=2)]
        rows["comments"] += [comment(name, f"{name}l{k}", f"{name}-l{k}", f"{name}q", n=55 + k * 4, depth=2) for k in range(4)]
        rows["comments"].append(comment(name, f"{name}a", op, f"{name}w", text="!delta " + words((name, "award"), 30), depth=3))
        rows["awards"].append(award(name, f"{name}a", f"{name}w", giver=op))
        parts.append(rows)
    _, out = made(tmp_path, together(*parts), unit="comment")
    assert rows_of(out)
    for row in rows_of(out):
        assert [message["role"] for message in row["prompt"]] == ["user", "assistant", "user"]
        assert row["prompt"][2]["content"] == words((row["debate_id"], f"{row['debate_id']}q"), 30)
    for table in ("labelled", "best-of-four"):
        written = read_rows(out / f"{table}.parquet")
        assert written and all(len(row["prompt"]) == 3 for row in written)  # the same for winners and losers


def test_a_kill_leaves_no_card_and_no_half_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = many(20)
    _, whole = made(tmp_path, rows, name="whole")
    _, out = made(tmp_path, rows, seed=1, name="again")  # an earlier attempt's files lie there

    def killed(*arguments: Any) -> None:
        raise KeyboardInterrupt

    for number in range(len(TABLES) + 1):
        with monkeypatch.context() as patch:
            name = ["write_pairs", "write_premises", "write_fours", "write_labelled", "find_leaks"][max(0, number - 2)]
            patch.setattr(pairs_module, name, killed)
            with pytest.raises(KeyboardInterrupt):
                make_pairs(tmp_path / "mined", out, PairsConfig(), 0)
        assert not (out / "datacard.json").exists()
        assert not list(out.glob(".*.tmp"))
    make_pairs(tmp_path / "mined", out, PairsConfig(), 0)
    assert {name: sha256_file(out / name) for name in (*TABLES, "datacard.json")} == {
        name: sha256_file(whole / name) for name in (*TABLES, "datacard.json")
    }


def test_pairs_of_any_length_are_not_balanced_and_the_card_warns(tmp_path: Path) -> None:
    result, out = made(tmp_path, many(40), matching="any")
    matched, _ = made(tmp_path, many(40), name="matched")
    assert sum(result.pairs.values()) >= sum(matched.pairs.values()) and result.matching_cost == {}
    assert "at_random" not in (out / "README.md").read_text() and "Not for training a judge" in (out / "README.md").read_text()
    assert set(result.longer_wins) >= {"before", "after"}


def test_mined_debates_state_no_pairs_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="mined debates state none"):
        made(tmp_path, many(), matching="none")


@pytest.mark.skipif(not THREADS.is_dir(), reason="the real threads are not beside this checkout")
@pytest.mark.parametrize(("unit", "most", "least"), [("root", 1, 8), ("comment", 1, 8), ("comment", 3, 12), ("path", 2, 12)])
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
            text = "\n".join(message["content"] for message in row[side])
            assert "∆" not in text
            assert "footnote from your moderators" not in text
            assert "/u/" not in text
