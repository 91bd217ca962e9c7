"""What the data card tells of the tables beside the pairs: do they too keep length from giving the answer away?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.statistics import Estimate, clustered_share

BEST_OF_FOUR, LABELLED = "best-of-four.parquet", "labelled.parquet"


def best_of_four(path: Path) -> dict[str, dict[str, Estimate]]:
    """How often the rules "longest" and "shortest" find the winner among four replies, by split; 0.25 is chance. Empty without a file.

    Several replies of that length share the hit.
    """
    rows = _columns(path, "split", "debate_id", "winner", "reply_words")
    found: dict[str, dict[str, Estimate]] = {}
    for split in SPLITS if path.is_file() else ():
        here = [row for row in rows if row["split"] == split]
        debates = [row["debate_id"] for row in here]
        found[split] = {
            rule: clustered_share([_hit(row["reply_words"], row["winner"], best) for row in here], debates)
            for rule, best in (("longest", max), ("shortest", min))
        }
    return found


def labelled(path: Path) -> dict[str, dict[str, Any]]:
    """Rows, rows with an award, and the mean words of both kinds, by split. Empty without a file."""
    rows = _columns(path, "split", "label", "words")
    found: dict[str, dict[str, Any]] = {}
    for split in SPLITS if path.is_file() else ():
        won, lost = ([row["words"] for row in rows if row["split"] == split and row["label"] is label] for label in (True, False))
        means = {name: round(sum(words) / len(words), 1) if words else None for name, words in (("with", won), ("without", lost))}
        found[split] = {
            "rows": len(won) + len(lost),
            "with_award": len(won),
            "mean_words_with_award": means["with"],
            "mean_words_without": means["without"],
        }
    return found


def _hit(words: list[int], winner: int, best: Any) -> float:
    length = best(words)
    return float(words[winner] == length) / words.count(length)


def _columns(path: Path, *names: str) -> list[dict[str, Any]]:
    """These columns alone: the texts need not be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        return []
    try:
        rows: list[dict[str, Any]] = pq.read_table(path, columns=list(names)).select(list(names)).to_pylist()
    except (pa.ArrowInvalid, KeyError, OSError) as error:
        raise SuasionError(
            f"Cannot read {', '.join(names)}: {error}", where=path, hint="Make the pairs anew with: suasion pairs"
        ) from error
    return rows
