"""Model folders of somebody who means harm: refused quickly, in a sentence, without a trace."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from biaslab.errors import SubjectError
from biaslab.subjects.language_model.tokens import chat_template_of
from biaslab.subjects.pretrained import apart
from biaslab.subjects.pretrained.apart import render_chat
from harness import tiny_language_models as tiny
from harness.needs import needs

pytestmark = needs("torch", "transformers")

TURNS = (
    "{{ bos_token }}{% for m in messages %}<{{ m['role'] }}>{{ m['content'] | trim }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
NESTED = "{% for i in range(99999) %}" * 2 + "{% endfor %}" * 2
DOUBLED = "{% set x = 'a' * 9 %}" + "{% set x = x ~ x ~ x ~ x %}" * 30 + "{{ x }}"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait for seconds only, and begin with a process that has tried nothing."""
    monkeypatch.setattr(apart, "SECONDS", 4.0)
    monkeypatch.setattr(apart, "MEMORY", 400 << 20)
    apart._reader.end()
    yield
    apart._reader.end()


def test_a_template_is_rendered_as_transformers_renders_it() -> None:
    _, tokenizer = tiny.gpt2()
    tokenizer.chat_template = TURNS
    messages = [{"role": "user", "content": " Is “she”\n<b>here</b>? \ud800 "}]
    for is_open in (True, False):
        expected = tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=is_open
        )
        assert render_chat(tokenizer, messages, add_generation_prompt=is_open) == expected


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("template", "reason"),
    [
        (NESTED, "takes more than 4 s"),
        (DOUBLED, "(needs too much memory|takes more than)"),
        ("{{ 'a' * 3000000 }}", "writes 3,000,000 characters"),
        ("x" * 30_000_000, "has 30,000,000 characters"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
    ],
    ids=["loops", "doubles", "writes", "long", "escapes"],
)
def test_a_template_that_does_not_end(template: str, reason: str) -> None:
    model, tokenizer = tiny.gpt2()
    tokenizer.chat_template = template
    assert chat_template_of("plain", tokenizer, model) is None
    begun = time.monotonic()
    with pytest.raises(SubjectError, match=rf"chat template fails.*{reason}.*template='plain'"):
        chat_template_of("chat", tokenizer, model)
    assert time.monotonic() - begun < 10
    begun = time.monotonic()
    with pytest.raises(SubjectError, match=reason):
        chat_template_of("chat", tokenizer, model)
    assert time.monotonic() - begun < 3  # nobody waits for it twice
    tokenizer.chat_template = TURNS
    assert chat_template_of("chat", tokenizer, model) is not None
