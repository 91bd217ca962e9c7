"""How a judge of each kind learns from the pair tables: trained, saved, loaded again and proved; ``judge.json`` is written last."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.encoder import Encoder, EncoderJudge
from suasion.models.loading import save_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.persuasion.dataset import Labelled, Pair, load_labelled
from suasion.persuasion.judging.augment import augment
from suasion.persuasion.judging.baselines.fit import LearnedName, fit_one, load_baseline
from suasion.persuasion.judging.kinds import EncoderJudgeConfig, JudgeConfig
from suasion.persuasion.judging.load import EncoderCard, JudgeCard, save_card
from suasion.persuasion.judging.proof import prove_head, prove_judge
from suasion.training.classifier import LabelledRow, PairRow, train_classifier
from suasion.training.common import Place
from suasion.training.length_free import train_odin
from suasion.training.reward import render_pairs, train_reward

Results = dict[str, Any]


class Home(Place, Protocol):
    """A place whose folder the judge is saved in: a run, or a member of an ensemble."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...


@dataclass(frozen=True)
class Ground:
    """What a reward model stands on."""

    base: Base
    renderer: Renderer
    lora: LoraConfig


def learn_reward(home: Home, pairs: Sequence[Pair], ground: Ground, config: JudgeConfig, seed: int) -> Results:
    """Train a one-number head on the base; adapter and head lie in ``adapter/``."""
    base, renderer = ground.base, ground.renderer
    taught = augment(pairs, config.rrm, seed) if config.length_free == "rrm" else pairs
    rendered, truncation = render_pairs(renderer, [(pair.premise, pair.winner, pair.loser) for pair in taught])
    if config.length_free == "odin":
        model = train_odin(base, renderer, rendered, ground.lora, config, config.odin, home, seed)
    else:
        model = train_reward(base, renderer, rendered, ground.lora, config, home, seed)
    adapter = save_adapter(model, base, home.path / "adapter")
    trained, reloaded = RewardModel(model, renderer), RewardModel.load(adapter, base, renderer)
    rows = [row for pair in rendered[:4] for row in (pair.chosen, pair.rejected)]
    full_precision = base.config.quantization == "none" and next(iter(model.parameters())).element_size() == np.float32().itemsize
    proof = prove_head(trained, reloaded, rows, exact=full_precision)
    save_card(home.path, JudgeCard(kind="reward"))
    return {"truncation": asdict(truncation), "head_proof": asdict(proof)}


def learn_encoder(home: Home, tables: Path, pairs: Sequence[Pair], encoder: Encoder, config: JudgeConfig, seed: int) -> Results:
    """Train an encoder on single replies or on pairs; the whole classifier lies in ``encoder/``.

    Args:
        tables: folder of the pair tables; ``labelled.parquet`` there has the single replies.
    """
    rows: Sequence[LabelledRow] | Sequence[PairRow]
    if config.encoder.learns_from == "pairs":
        rows, results = _pair_rows(encoder, pairs)
    else:
        rows, results = _single_rows(encoder, tables, config, seed)
    model = train_classifier(encoder, rows, config, home, seed)
    folder = home.path / "encoder"
    try:
        model.save_pretrained(folder, safe_serialization=True)
        encoder.tokenizer.save_pretrained(folder)
    except OSError as error:
        raise SuasionError(
            f"The encoder could not be saved: {error}", where=folder, hint="Free some space; the run resumes from its last checkpoint."
        ) from error
    lock = dict(encoder.saved_as(folder).lock)
    trained = EncoderJudge(model, encoder)
    reloaded = EncoderJudge.load(folder, lock, encoder.limit, encoder.premise_words)
    texts = [(pair.premise, reply) for pair in pairs[:4] for reply in (pair.winner, pair.loser)]
    proof = prove_judge(trained, reloaded, [premise for premise, _ in texts], [reply for _, reply in texts])
    told = EncoderCard(
        model=config.encoder.model,
        revision=config.encoder.revision,
        started_from=dict(encoder.lock),
        lock=lock,
        max_tokens=encoder.limit,
        premise_words=encoder.premise_words,
    )
    save_card(home.path, JudgeCard(kind="encoder", encoder=told))
    return results | {"max_tokens": encoder.limit, "head_proof": asdict(proof)}


def learn_baseline(home: Home, pairs: Sequence[Pair], kind: LearnedName, seed: int, embed: Any = None) -> Results:
    """Fit a logistic regression; it lies in ``baseline/``."""
    if not pairs:
        raise SuasionError("There is no pair to train the judge on.", hint="Look at the pairs' data card: every drop has its reason there.")
    fitted = fit_one(kind, pairs, seed, embed)
    fitted.save(home.path / "baseline")
    reloaded = load_baseline(home.path / "baseline", embed)
    texts = [(pair.premise, reply) for pair in pairs[:4] for reply in (pair.winner, pair.loser)]
    proof = prove_judge(fitted, reloaded, [premise for premise, _ in texts], [reply for _, reply in texts])
    save_card(home.path, JudgeCard(kind=kind))
    return {"pairs": len(pairs), "head_proof": asdict(proof)}


def draw_labelled(replies: Sequence[Labelled], config: EncoderJudgeConfig, seed: int) -> list[Labelled]:
    """At most ``config.replies``, half of them awarded where there are enough of both; the order of the table stays."""
    if config.replies is None or len(replies) <= config.replies:
        return list(replies)
    draw = random.Random(f"labelled {seed}")
    sides = {earned: [i for i, reply in enumerate(replies) if reply.earned is earned] for earned in (True, False)}
    awarded = min(len(sides[True]), max(config.replies // 2, config.replies - len(sides[False])))
    chosen = draw.sample(sides[True], awarded) + draw.sample(sides[False], config.replies - awarded)
    return [replies[i] for i in sorted(chosen)]


def _single_rows(encoder: Encoder, tables: Path, config: JudgeConfig, seed: int) -> tuple[list[LabelledRow], Results]:
    if not (tables / "labelled.parquet").is_file():
        raise SuasionError(
            "There are no single replies to train on (labelled.parquet).",
            where=tables,
            hint="Make the pairs with `suasion pairs`, or set judge.encoder.learns_from=pairs.",
        )
    replies = draw_labelled(load_labelled(tables, "train"), config.encoder, seed)
    read = [encoder.read(reply.premise, reply.reply) for reply in replies]
    rows = [LabelledRow(ids, reply.earned) for (ids, _), reply in zip(read, replies, strict=True)]
    return rows, {"replies": len(rows), "awarded": sum(row.earned for row in rows), "cut": sum(cut for _, cut in read)}


def _pair_rows(encoder: Encoder, pairs: Sequence[Pair]) -> tuple[list[PairRow], Results]:
    read = [(encoder.read(pair.premise, pair.winner), encoder.read(pair.premise, pair.loser)) for pair in pairs]
    rows = [PairRow(winner, loser) for (winner, _), (loser, _) in read if winner != loser]
    cut = sum(one_cut + other_cut for (_, one_cut), (_, other_cut) in read)
    return rows, {"pairs": len(pairs), "kept": len(rows), "cut": cut}
