from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.models.base import PLAIN_TEMPLATE
from suasion.models.rendering import INSTRUCTION, Renderer, RenderingConfig, cut_words
from suasion.training.reward import render_pairs
from tests.nano import CHAT_TEMPLATE, SMALL, make_tokenizer

BOS = "{{ bos_token }}"
TEMPLATES = {
    "chat": BOS + CHAT_TEMPLATE,
    "without a system turn": BOS
    + "{% if messages[0].role == 'system' %}{{ raise_exception('no system turn') }}{% endif %}"
    + CHAT_TEMPLATE,
    "drops the system turn": BOS + CHAT_TEMPLATE.replace("in messages %}", "in messages if message.role != 'system' %}"),
    "plain": PLAIN_TEMPLATE,
}
SPECIAL = ("<|begin|>", "<|end|>", "<|pad|>", "<|turn|>")
pieces = st.one_of(
    st.sampled_from([*SPECIAL, "<|tu", "rn|>", "<|turn|>assistant\n", "tea", "évidence", "\n\n", " ", "\t", "\u3000", "😀", "<", "|"]),
    st.text(max_size=12),
)
texts = st.lists(pieces, max_size=60).map(lambda parts: "".join(part + " " * (i % 3 > 0) for i, part in enumerate(parts)))
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

_tokenizers: dict[tuple[str, bool], Any] = {}


def render_with(template: str, *, declared: bool = True, **limits: int) -> Renderer:
    key = template, declared
    if key not in _tokenizers:
        tokenizer = make_tokenizer(template=TEMPLATES[template], declared=declared)
        _tokenizers[key] = tokenizer
    return Renderer(_tokenizers[key], SMALL.model_copy(update=limits))


def special_ids(renderer: Renderer) -> set[int]:
    return set(renderer.tokenizer.convert_tokens_to_ids(list(SPECIAL)))


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize("template", TEMPLATES)
@given(premise=texts, reply=texts)
@quick
def test_text_can_neither_end_a_turn_nor_open_one(template: str, declared: bool, premise: str, reply: str) -> None:
    """Llama 3 does not declare its header tokens, and a dump can spell them: they must become ordinary text all the same."""
    renderer = render_with(template, declared=declared)
    special = special_ids(renderer)
    of_the_template = [token for token in renderer.prompt("x") if token in special]
    conversation = renderer.conversation(premise, reply)
    assert [token for token in conversation.ids if token in special] == [*of_the_template, renderer.end_id]
    assert conversation.ids[0] == renderer.tokenizer.bos_token_id
    assert conversation.ids.count(renderer.tokenizer.bos_token_id) == 1


@pytest.mark.parametrize("template", TEMPLATES)
@given(premise=texts)
@quick
def test_the_prompt_is_what_the_template_makes_of_the_messages(template: str, premise: str) -> None:
    """TRL renders the messages in practice, we render the ids in imitation, sampling and judging: they are the same ids."""
    renderer = render_with(template)
    ids = renderer.tokenizer.apply_chat_template(renderer.messages(premise), add_generation_prompt=True, return_dict=True)["input_ids"]
    assert renderer.prompt(premise) == ids
    assert renderer.conversation(premise, "A reply.").ids[: len(ids)] == ids


@pytest.mark.parametrize("template", TEMPLATES)
@given(premise=texts, prompt_tokens=st.integers(66, 120))
@quick
def test_a_prompt_fits_and_keeps_the_end_of_its_template(template: str, premise: str, prompt_tokens: int) -> None:
    renderer = render_with(template, prompt_tokens=prompt_tokens)
    ids = renderer.prompt(premise * 5)
    assert len(ids) <= prompt_tokens
    tail = renderer.prompt("x")[-4:]
    assert ids[-4:] == tail
    assert INSTRUCTION in renderer.tokenizer.decode(ids)


@given(premise=texts, prompt_tokens=st.integers(66, 120))
@quick
def test_fitting_a_premise_twice_changes_nothing(premise: str, prompt_tokens: int) -> None:
    renderer = render_with("chat", prompt_tokens=prompt_tokens)
    fitted = renderer.messages(premise * 5)[-1]["content"]
    assert renderer.messages(fitted)[-1]["content"] == fitted
    assert not renderer.premise_was_cut(fitted)


@given(premise=texts, reply=texts, total_tokens=st.integers(129, 200))
@quick
def test_a_conversation_fits_and_its_labels_are_the_reply(premise: str, reply: str, total_tokens: int) -> None:
    renderer = render_with("chat", total_tokens=total_tokens)
    conversation = renderer.conversation(premise * 3, reply)
    start = conversation.prompt_length
    assert len(conversation.ids) <= total_tokens
    assert conversation.ids[:start] == renderer.prompt(premise * 3)
    assert conversation.ids[-1] == renderer.end_id
    labels = renderer.labels(conversation)
    assert len(labels) == len(conversation.ids)
    assert labels[:start] == [-100] * start
    assert labels[start:-1] == conversation.ids[start:-1]
    assert labels[-1] == (-100 if conversation.cut else renderer.end_id)
    if not conversation.cut:
        assert renderer.tokenizer.decode(conversation.ids[start:-1]) == renderer.harmless(reply).strip()


@given(premise=texts, reply=texts)
@quick
def test_a_whole_conversation_is_the_beginning_of_the_template_s_own(premise: str, reply: str) -> None:
    renderer = render_with("chat", total_tokens=2000)
    words = " ".join(reply.split()) or "word"
    turns = [*renderer.messages(premise), {"role": "assistant", "content": renderer.harmless(words)}]
    whole = renderer.tokenizer.apply_chat_template(turns, return_dict=True)["input_ids"]
    ours = renderer.conversation(premise, words)
    assert not ours.cut
    assert whole[: len(ours.ids)] == ours.ids


def test_a_reply_that_just_fits_is_whole() -> None:
    renderer = render_with("chat")
    room = 192 - len(renderer.prompt("A view.")) - 1
    reply = " ".join(["tea"] * 400)
    tokens = renderer.tokenizer(reply, add_special_tokens=False)["input_ids"]
    fits, spills = (renderer.tokenizer.decode(tokens[:n]) for n in (room, room + 1))
    assert not renderer.conversation("A view.", fits).cut
    assert renderer.conversation("A view.", spills).cut
    assert len(renderer.conversation("A view.", spills).ids) == 192


def test_the_premise_is_its_first_470_words() -> None:
    renderer = Renderer(make_tokenizer(), RenderingConfig(prompt_tokens=8000, total_tokens=9000))
    premise = "\n\n".join(f"word{i}" for i in range(600))
    kept = renderer.messages(premise)[-1]["content"].split()
    assert kept == [f"word{i}" for i in range(470)]
    assert renderer.premise_was_cut(premise) and not renderer.premise_was_cut(" ".join(kept))


@given(text=st.text(alphabet=st.sampled_from("ab \n\t\u3000\x1c\xa0"), max_size=60), words=st.integers(0, 12))
@quick
def test_words_are_cut_where_split_would(text: str, words: int) -> None:
    cut = cut_words(text, words)
    assert cut.split() == text.split()[:words]
    assert cut in text


def test_one_endless_word_is_cut_inside() -> None:
    """Scripts without spaces, and walls of letters, must not stop a training of thousands of premises."""
    renderer = render_with("chat")
    for premise in ("茶" * 3000, "a" * 5000 + " b"):
        assert 0 < len(renderer.messages(premise)[-1]["content"]) < 3000
        assert len(renderer.prompt(premise)) <= 128
        assert renderer.premise_was_cut(premise)


def test_limits_that_leave_no_room_are_refused() -> None:
    with pytest.raises(SuasionError, match="no room is left for a reply"):
        render_with("chat", prompt_tokens=128, total_tokens=128)
    with pytest.raises(SuasionError, match="no room for a premise"):
        render_with("chat", prompt_tokens=10).prompt("A view.")


def test_two_beginnings_are_refused() -> None:
    tokenizer = make_tokenizer(template=BOS + BOS + CHAT_TEMPLATE)
    with pytest.raises(SuasionError, match="twice"):
        Renderer(tokenizer, SMALL)


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_task_is_said_once_whatever_the_template_does(template: str) -> None:
    renderer = render_with(template)
    assert renderer.tokenizer.decode(renderer.prompt("A view.")).count(INSTRUCTION) == 1


def test_pairs_that_the_limits_make_equal_are_dropped_and_counted() -> None:
    renderer = render_with("chat")
    same = "tea " * 300
    pairs, truncation = render_pairs(
        renderer,
        [
            ("A view.", "Because.", "Why not."),
            ("A view.", same + "and so I win", same + "and so I lose"),
            ("A view. " * 100, "Because.", same),
            ("A view.", " Because.", "Because. "),
        ],
    )
    assert [pair.chosen != pair.rejected for pair in pairs] == [True, True]
    assert (truncation.pairs, truncation.kept, truncation.equal_dropped) == (4, 2, 2)
    assert (truncation.chosen_cut, truncation.rejected_cut, truncation.premises_cut) == (1, 2, 1)
