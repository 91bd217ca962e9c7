"""Where the debates come from: the tables that ``mine`` wrote, or pairs that somebody else made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.mining.cleaning.notices import known
from suasion.persuasion.mining.pairs.candidates import find_candidates
from suasion.persuasion.mining.pairs.mined import Row, read_debates, read_history
from suasion.persuasion.mining.pairs.ready_debates import debates_of_ready
from suasion.persuasion.mining.pairs.replies import CountTokens, Debate, Funnel
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.tables import author_hash

if TYPE_CHECKING:
    from suasion.persuasion.mining.sources.lines import Reading
    from suasion.persuasion.mining.sources.ready import ReadyPair

_DATASET = re.compile(r"[\w-][\w.-]*/[\w.-]+")


def is_mined(place: Path) -> bool:
    """A folder that ``mine`` wrote."""
    return (place / "posts.parquet").is_file()


def is_dataset_id(name: str) -> bool:
    """OWNER/NAME, and no path that was mistyped."""
    return _DATASET.fullmatch(name) is not None and not Path(name).parent.is_dir()


def files_of_pairs(place: Path, config: PairsConfig) -> list[Path]:
    """The files of ready pairs that a path means: the pair task of Tan et al., else tables; empty where there are none."""
    from suasion.persuasion.mining.sources import ready

    if files := _tan_files(place):
        return files
    named = config.columns.model_dump(exclude_none=True)
    if place.is_file():
        return [place] if named or ready.is_table(place) else []
    within = [path for folder in (place, place / "data") if folder.is_dir() for path in sorted(folder.iterdir())]
    return [path for path in within if path.is_file() and not path.name.startswith(".") and (named or ready.is_table(path))]


class Origin:
    """Gives the debates one after another, and remembers who wrote their posts.

    Args:
        place: a folder that ``mine`` wrote; a table of pairs, a folder of them, or the id of a data set.
        config: the rules.
        funnel: counts every step and reason.
        touched: counts the texts that each cleaning rule changed.
    """

    def __init__(self, place: Path | str, config: PairsConfig, funnel: Funnel, touched: Counter[str]) -> None:
        self.place, self.config, self.funnel, self.touched = place, config, funnel, touched
        self.ready = not is_mined(Path(place))
        self.post_authors: dict[str, str | None] = {}
        """By debate, the hash of the post's author."""
        self._reading: Reading | None = None
        if config.matching == "none" and not self.ready:
            raise SuasionError(
                "matching=none keeps pairs that a source states, and mined debates state none.",
                where=place,
                hint="Leave pairs.matching at optimal, or give a table of pairs.",
            )

    def debates(self, count_tokens: CountTokens | None) -> Iterator[Debate]:
        """Every usable debate, awarded or not, with its replies' lengths in tokens where ``count_tokens`` is given.

        Raises:
            SuasionError: nothing of the kind lies there, or it cannot be read.
        """
        found: Iterable[Debate]
        if self.ready:
            found = debates_of_ready(self._pairs(), self.config, self.funnel, self.touched, count_tokens)
        else:
            rows = self._posts_seen(read_debates(Path(self.place), self.funnel))
            history = read_history(Path(self.place))
            found = find_candidates(rows, self.config, self.funnel, self.touched, count_tokens, history)
        yield from found

    def counts(self) -> Any:
        """What reading the source came to: ``counts.json`` of a mined folder, lines by fate of a table; ``None`` where unknown."""
        if self._reading is not None:
            return {"rows": dict(self._reading.lines), "mended": dict(self._reading.mended), "damaged": dict(self._reading.damaged)}
        counts = Path(self.place) / "counts.json"
        return read_json(counts) if counts.is_file() else None

    def _posts_seen(self, rows: Iterable[tuple[Row, list[Row], list[Row]]]) -> Iterator[tuple[Row, list[Row], list[Row]]]:
        for post, comments, awards in rows:
            if awards:  # only these debates can have pairs
                self.post_authors[post["debate_id"]] = author_hash(known(post["author"]))
            yield post, comments, awards

    def _pairs(self) -> Iterator[ReadyPair]:
        from suasion.persuasion.mining.sources import ready, tan
        from suasion.persuasion.mining.sources.lines import Reading

        self._reading = Reading()
        path = Path(self.place)
        unit: Literal["root", "path"] = "path" if self.config.unit == "path" else "root"
        if files := _tan_files(path):
            pairs = (pair for file in files for pair in tan.read_pairs(file, self._reading, _silent, unit))
        else:
            pairs = (one for one in ready.read(self.place, self._reading, _silent, self.config.columns.model_dump(exclude_none=True)))
        for pair in pairs:
            if pair.debate_id and pair.author:
                bare = pair.debate_id.removeprefix("t1_").removeprefix("t3_")
                self.post_authors[bare] = author_hash(known(pair.author))
            yield pair


def _tan_files(place: Path) -> list[Path]:
    """Files of the pair task, by what is in them."""
    from suasion.persuasion.mining.sources import tan

    if place.is_file():
        files = [place]
    else:
        files = [path for folder in (place, place / "pair_task") if folder.is_dir() for path in sorted(folder.iterdir()) if path.is_file()]
    return [path for path in files if not path.name.startswith(".") and tan.kind_of(path) == "pair_task"]


def _silent(size: int) -> None:
    """Tables of pairs are small: no progress is shown."""
