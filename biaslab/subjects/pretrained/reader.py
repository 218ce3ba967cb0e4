"""A process that reads foreign tokenizers and chat templates: ``python -P reader.py MEMORY``.

Each line on its standard input is a question in JSON, each line on its standard output the answer.
Nothing of biaslab is imported here: it starts within a tenth of a second, and transformers is
imported with the first template only.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

LONGEST = 2_000_000
"""Characters of a text that a template writes."""
_TEXTS = (
    "She is a nurse, and he isn't.",
    "The engineer said that the nurse would write 1,024 letters to Zoë.\n" * 20,
    "a" * 1_000,
    " " * 500,
    "木 🙂 ¿",
)
_MOST_TOKENS = 20_000
"""Tokens of a text besides those of its characters: some tokenizers fill up to a length."""
_TOKENS_PER_CHARACTER = 20
_MOST_GROWTH = 100
"""Times by which replacements may lengthen a text, one after the other."""


def main() -> None:
    """Answer until the caller ends."""
    _limit(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing that prints disturbs the answers
    for line in sys.stdin:
        question = json.loads(line)
        _end_after(question["seconds"])
        answers.write(json.dumps(_answer(question)) + "\n")
        answers.flush()
        _end_after(0)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": _TASKS[question["task"]](**question["arguments"])}
    except MemoryError:
        return {"error": "it needs too much memory", "is_limit": True}
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001  # a panic of Rust is no Exception
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return {"error": lines[0][:300].rstrip(".")}


def _try_tokenizer(path: str) -> int:
    """Build a tokenizer and encode texts with it; return its largest number of a token."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(path)
    for part in (tokenizer.normalizer, tokenizer.decoder):
        growth = 1 if part is None else _growth(json.loads(part.__getstate__()))
        if growth > _MOST_GROWTH:
            raise ValueError(f"its replacements make texts up to {growth:,} times as long")
    for text in _TEXTS:
        ids = tokenizer.encode(text).ids
        if len(ids) > _MOST_TOKENS + _TOKENS_PER_CHARACTER * len(text):
            raise ValueError(f"it makes {len(ids):,} tokens of {len(text):,} characters")
        tokenizer.decode(ids)
    return max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)


def _growth(rules: dict[str, Any]) -> int:
    growth = 1
    for rule in (*rules.get("normalizers", ()), *rules.get("decoders", ())):
        growth *= _growth(rule)
    # A pattern may match a single character.
    return growth * max(1, len(rules.get("content", ""))) if rules["type"] == "Replace" else growth


def _render(template: str, messages: list[dict[str, Any]], options: dict[str, Any]) -> str:
    """Return a conversation as a chat template writes it."""
    library = importlib.import_module("transformers.utils.chat_template_utils")
    prompts, _ = library.render_jinja_template(
        conversations=[messages], chat_template=template, **options
    )
    if len(prompts[0]) > LONGEST:
        raise ValueError(f"it writes {len(prompts[0]):,} characters")
    return str(prompts[0])


_TASKS: dict[str, Callable[..., Any]] = {"tokenizer": _try_tokenizer, "template": _render}


def _limit(memory: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        resource: Any = importlib.import_module("resource")
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _end_after(seconds: float) -> None:
    """End this process by itself, also where its caller was killed; 0: no longer."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
