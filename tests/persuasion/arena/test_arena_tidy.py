from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.arena.tidy import tidy, whole_sentences

WRITTEN_BY_A_MODEL = """## Why this view is **incomplete**

1. **Cost** — cats aren't cheap…
2. *Time* – nor is it "free"

---

* See [the study](https://example.org/a_(b)?c=d "Study").
* `code` and ~~struck~~ out

```python
print(1)
```
"""


def test_a_models_formatting_is_gone() -> None:
    assert tidy(WRITTEN_BY_A_MODEL) == (
        'Why this view is incomplete\n\n1. Cost - cats aren\'t cheap...\n2. Time - nor is it "free"\n\n'
        "- See the study.\n- code and struck out\n\nprint(1)"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("> you said this\n\nno", "you said this\n\nno"),
        ("&gt; you said this &amp; that", "you said this & that"),
        ("look at https://en.wikipedia.org/wiki/Cat_(animal), please", "look at (link), please"),
        ("look: www.example.com.", "look: (link)."),
        ("“curly” and ‘single’ — it’s", "\"curly\" and 'single' - it's"),
        ("zero\u200bwidth \u202eturned\u202c \u00a0space", "zerowidth turned space"),
        ("snake_case and _stressed_ words", "snake_case and stressed words"),
        ("^small ^(print) 2^10", "small (print) 2^10"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("well-known 2-1 win -- or - not", "well-known 2-1 win - or - not"),
        ("a\r\nb\rc\u2028d\n\n\n\ne", "a\nb\nc\nd\n\ne"),
        ("• one\n+ two\n- three", "- one\n- two\n- three"),
        ("1) one\n2. two", "1. one\n2. two"),
        ("", ""),
    ],
)
def test_what_becomes_of_it(written: str, shown: str) -> None:
    assert tidy(written) == shown


MARKED = st.lists(
    st.sampled_from([*"abc  \n\n#*_`~>-=[]()!.<&;1\\", "https://x.y/z", "&gt;", "—", "\u200b", "“", "1. ", "\n- "]), max_size=60
)


@settings(max_examples=400, deadline=None)
@given(MARKED.map("".join) | st.text(max_size=80))
def test_tidying_is_final_and_leaves_no_badge(text: str) -> None:
    shown = tidy(text)
    assert tidy(shown) == shown
    assert not re.search(r"\S\*|\*\S|[`\u2010-\u2015“”‘’…\u200b-\u200f\u202a-\u202e\x00-\x09\x0b-\x1f]|https?://\w|^\s*[#>]|\n{3}", shown)
    assert re.findall(r"[a-c]", shown.replace("(link)", "")) == [] or re.search("[a-c]", text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.from_regex(r"[A-Za-z]{1,8}", fullmatch=True), min_size=1, max_size=20))
def test_words_are_never_changed(words: list[str]) -> None:
    assert tidy("**" + " ".join(words) + "**").split() == words
    assert tidy("\n".join(f"- {word}" for word in words)).replace("-", "").split() == words


def test_an_unfinished_sentence_goes() -> None:
    assert whole_sentences('One. He said "two." Thr') == 'One. He said "two."'
    assert whole_sentences("no end at all") == "no end at all"
    assert whole_sentences("It costs 3.50 a day") == "It costs 3.50 a day"
