from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.debates import Comment, Label, Post
from suasion.persuasion.mining.sources.convokit import UTTERANCES, Step, is_corpus, read, winners
from suasion.persuasion.mining.sources.lines import Reading, read_line

OLD = {"conversation_id": "root", "speaker": "user"}
META = ("success", "pair_ids", "ups", "edited", "distinguished")


def utterance(
    spelling: str, utterance_id: str, parent: str | None, speaker: str | None, text: str = "Because.", **more: Any
) -> dict[str, Any]:
    row = {
        "id": utterance_id,
        "conversation_id": "t3_p1",
        "reply_to" if spelling == "new" else "reply-to": parent,
        "timestamp": more.pop("timestamp", None),
        "speaker": speaker,
        "text": text,
        "meta": {name: more.pop(name) for name in META if name in more},
        **more,
    }
    return row if spelling == "new" else {OLD.get(name, name): value for name, value in row.items()}


def corpus(folder: Path, rows: list[dict[str, Any]], spelling: str = "new", about: Any = None, as_list: bool = False) -> Path:
    about = about or {"op-userID": "ann", "op-title": "CMV: tea &amp; milk", "op-text-body": "Tea &gt; coffee", "pair_ids": []}
    conversations = {"t3_p1": {"meta": about, "vectors": []} if spelling == "new" else about}
    (folder / "conversations.json").write_text(json.dumps(conversations))
    if as_list:
        (folder / "utterances.json").write_text(json.dumps(rows))
    else:
        (folder / "utterances.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def loaded(folder: Path) -> tuple[list[Any], Reading]:
    reading, taken = Reading(), []
    things = list(read(folder, reading, taken.append))
    assert sum(taken) == sum((folder / name).stat().st_size for name in ("conversations.json", *UTTERANCES) if (folder / name).is_file())
    kept = sum(isinstance(thing, Post | Comment) for thing in things)
    assert reading.lines["read"] == kept + sum(number for reason, number in reading.lines.items() if reason != "read")
    return things, reading


def labels(folder: Path) -> list[tuple[str, str | None, str | None]]:
    found = [thing for thing in loaded(folder)[0] if isinstance(thing, Label)]
    assert all(label.by_author and label.source == "convokit" and label.debate_id == "p1" for label in found)
    return [(label.winner_id, label.giver, label.winner) for label in found]


@pytest.mark.parametrize("spelling", ["old", "new"])
@pytest.mark.parametrize("as_list", [False, True])
def test_both_spellings_give_the_same_debate(tmp_path: Path, spelling: str, as_list: bool) -> None:
    rows = [
        utterance(spelling, "t3_p1", None, "ann", "Tea &gt; coffee"),
        utterance(spelling, "t1_c1", "t3_p1", "bob", "No &amp;#8710;", timestamp=1400000001, ups=3, edited=1400000009.0),
        utterance(spelling, "t1_c2", "t1_c1", "[deleted]", "[deleted]", timestamp="1400000002", distinguished="moderator"),
        utterance(spelling, "t1_c3", "t1_c1", "[missing]", "[missing]"),
        utterance(spelling, "t1_c4", "t1_c1", None, None),
        utterance(spelling, "t1_c5", None, "eve"),
        utterance(spelling, None, "t3_p1", "eve"),
    ]
    folder = corpus(tmp_path, rows, spelling, as_list=as_list)
    assert is_corpus(folder)
    things, reading = loaded(folder)
    assert things == [
        Post("p1", "ann", "CMV: tea & milk", "Tea > coffee"),
        Comment("c1", "p1", "p1", True, "bob", "No &#8710;", 1400000001, 3, True),
        Comment("c2", "p1", "c1", False, "[deleted]", "[deleted]", 1400000002, None, False, "moderator"),
        Comment("c4", "p1", "c1", False, "[deleted]", ""),
    ]
    assert reading.lines == {"read": 7, "a comment that the corpus misses": 1, "no link_id or parent_id": 1, "no id": 1}


def test_a_post_that_the_corpus_misses_still_makes_a_debate(tmp_path: Path) -> None:
    missing = utterance("new", "t3_p1", None, "[missing]", "[missing]")
    assert loaded(corpus(tmp_path, [missing]))[0] == [Post("p1", "ann", "CMV: tea & milk", "Tea > coffee")]
    assert loaded(corpus(tmp_path, [missing], about={"train": 1}))[0] == [Post("p1", "[deleted]", "", "")]
    things, reading = loaded(corpus(tmp_path, [utterance("new", "t1_c1", "t3_p1", "bob")]))
    assert [type(thing) for thing in things] == [Comment, Post] and reading.lines == {"read": 2}
    told = loaded(corpus(tmp_path, [utterance("new", "t3_p1", None, "ann", "Tea &lt; milk", ups=4)], about={"title": "CMV"}))[0]
    assert told == [Post("p1", "ann", "CMV", "Tea < milk", None, 4)]


PATH = [
    ("t1_c1", "t3_p1", "bob", 1, ["p_1", "p_2"]),
    ("t1_c2", "t1_c1", "ann", 1, ["p_1"]),
    ("t1_c3", "t1_c2", "bob", 1, ["p_1"]),
    ("t1_c4", "t1_c3", "ann", 1, ["p_1"]),  # the author's "∆ thanks"
    ("t1_l1", "t3_p1", "eve", 0, ["p_1"]),
    ("t1_l2", "t1_l1", "ann", 0, ["p_1"]),
    ("t1_o1", "t3_p1", "gus", None, []),
    ("t1_d1", "t3_p1", "fay", 1, ["p_3"]),
    ("t1_d2", "t1_d1", "ann", 1, ["p_3"]),
]


@pytest.mark.parametrize("spelling", ["old", "new"])
@pytest.mark.parametrize("pair_ids", [True, False])
@pytest.mark.parametrize("backwards", [True, False])
def test_the_last_challenge_of_each_winning_path_wins(tmp_path: Path, spelling: str, pair_ids: bool, backwards: bool) -> None:
    rows = [utterance(spelling, "t3_p1", None, "ann", success=None)]
    for utterance_id, parent, speaker, success, ids in PATH:
        rows.append(utterance(spelling, utterance_id, parent, speaker, success=success, pair_ids=ids if pair_ids else None))
    assert sorted(labels(corpus(tmp_path, rows[::-1] if backwards else rows, spelling))) == [("c3", "ann", "bob"), ("d1", "ann", "fay")]


def test_labels_that_a_copy_of_the_corpus_lifted_beside_meta(tmp_path: Path) -> None:
    rows = [utterance("old", "t3_p1", None, "ann")]
    rows += [{**utterance("old", *step[:3]), "meta": None, "success": step[3]} for step in PATH]
    assert labels(corpus(tmp_path, rows, "old")) == [("c3", "ann", "bob"), ("d1", "ann", "fay")]


def test_deleted_speakers(tmp_path: Path) -> None:
    gone = "[deleted]"

    def told(author: str, *speakers: str) -> list[tuple[str, str | None, str | None]]:
        parents = ["t3_p1", *(f"t1_c{number}" for number in range(1, len(speakers)))]
        rows = [utterance("new", "t3_p1", None, author)]
        rows += [
            utterance("new", f"t1_c{number}", parent, speaker, success=1)
            for number, (parent, speaker) in enumerate(zip(parents, speakers, strict=True), 1)
        ]
        return labels(corpus(tmp_path, rows, about={"op-userID": author}))

    assert told("ann", gone, "Ann", gone, "ann") == [("c3", "ann", None)]  # only the challenger can be deleted here
    assert told(gone, "bob", gone, "bob", gone) == [("c3", None, "bob")]
    assert told(gone, gone, gone, gone) == [("c1", None, None)]  # author and challenger look alike: the first is the challenger's for sure
    assert told("ann", "ann", "ann") == []


def test_a_broken_path_is_tied_by_its_pair_id_and_ordered_by_time() -> None:
    steps = [
        Step("c5", "lost", "bob", 50, ("p_1",)),
        Step("c1", "p1", "bob", 10, ("p_1",)),
        Step("c2", "c1", "ann", 20, ("p_1",)),
        Step("c3", "c2", "bob", 30),
        Step("x1", "lost2", "eve", 5),
    ]
    assert [label.winner_id for label in winners("p1", "ann", steps)] == ["c5", "x1"]


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.sampled_from(["ann", "bob", "eve", "[deleted]"]), st.none() | st.integers(1, 9)), max_size=12
    ),
    st.sampled_from(["ann", "[deleted]"]),
)
def test_no_winner_is_the_author_and_paths_win_once(comments: list[tuple[int, str, int | None]], author: str) -> None:
    steps = [Step(f"c{number}", f"c{parent}", speaker, moment) for number, (parent, speaker, moment) in enumerate(comments)]
    found = winners("p1", author, steps)
    assert len({label.winner_id for label in found}) == len(found)
    speakers = {step.id: step.speaker for step in steps}
    assert all(speakers[label.winner_id] != author or author == "[deleted]" for label in found)
    assert winners("p1", author, steps) == found


def test_a_long_chain_takes_linear_time() -> None:
    steps = [Step(f"c{number}", f"c{number - 1}", ("bob", "ann")[number % 2], None) for number in range(30_000)]
    assert [label.winner_id for label in winners("p1", "ann", steps)] == ["c29998"]


def test_other_folders_are_no_corpus(tmp_path: Path) -> None:
    assert not is_corpus(tmp_path) and not is_corpus(tmp_path / "absent")
    with pytest.raises(SuasionError, match="no ConvoKit corpus"):
        loaded(tmp_path)
    corpus(tmp_path, [{"id": "x", "body": "a dump's comment", "link_id": "t3_p1"}])
    assert not is_corpus(tmp_path)
    (tmp_path / "utterances.jsonl").write_bytes(b"\0\xff" * 100)
    assert not is_corpus(tmp_path)
    for bad, message in [("[1]", "no table of conversations"), ("{", "Cannot read JSON")]:
        (tmp_path / "conversations.json").write_text(bad)
        with pytest.raises(SuasionError, match=message):
            list(read(tmp_path, Reading(), lambda size: None))


def test_an_odd_line_is_counted(tmp_path: Path) -> None:
    corpus(tmp_path, [utterance("new", "t3_p1", None, "ann"), utterance("new", "t1_c1", "t3_p1", {"id": "bob"})])
    with (tmp_path / "utterances.jsonl").open("ab") as file:
        file.write(b'{torn\n{"id": "t1_c2", "text": "no root"}\n{"id": 5, "root": "t3_p1"}\n\xff\n')
    things, reading = loaded(tmp_path)
    assert things[1].author == "bob" and len(things) == 2
    assert reading.lines == {"read": 6, "not JSON": 2, "no conversation": 1, "no id": 1}


@pytest.mark.parametrize("shape", ["new", "old"])
def test_the_sample_is_the_same_as_the_dump_it_was_made_from(shared_data: Path, shape: str) -> None:
    folder = shared_data / "cmv" / f"convokit-shape-{shape}"
    assert is_corpus(folder)
    things, reading = loaded(folder)
    assert reading.lines == {"read": 200}
    posts = {thing.debate_id: thing for thing in things if isinstance(thing, Post)}
    comments = {thing.comment_id: thing for thing in things if isinstance(thing, Comment)}
    dumped_posts, dumped_comments = {}, {}
    for path in (shared_data / "cmv/full-threads").glob("*.ndjson"):
        for line in path.read_bytes().splitlines():
            for thing in read_line(line, Reading(), None):
                if thing.debate_id in posts:
                    if isinstance(thing, Post):
                        dumped_posts[thing.debate_id] = thing
                    elif isinstance(thing, Comment):
                        dumped_comments[thing.comment_id] = thing
    assert len(posts) == 6 and len(comments) == 194
    # The corpus tells neither a post's time and score nor who is a moderator; all else is the same.
    assert posts == {key: Post(one.debate_id, one.author, one.title, one.text) for key, one in dumped_posts.items()}
    assert comments.keys() == dumped_comments.keys()
    for key, one in dumped_comments.items():
        names = ("debate_id", "parent_id", "parent_is_post", "author", "text", "created_utc", "score", "edited")
        assert all(getattr(comments[key], name) == getattr(one, name) for name in names)
    assert not [thing for thing in things if isinstance(thing, Label)]  # success is null in this sample
