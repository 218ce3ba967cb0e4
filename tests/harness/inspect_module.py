"""A module in the place of inspect_ai that has the parts of its interface."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def output(content: Any, stop: str = "stop", logprobs: Any = None, error: str | None = None) -> Any:
    """An output of a model."""
    text = content if isinstance(content, str) else "".join(
        part.text for part in content if part.type == "text"
    )  # fmt: skip
    message = SimpleNamespace(content=content, text=text)
    choice = SimpleNamespace(message=message, stop_reason=stop, logprobs=logprobs)
    usage = SimpleNamespace(input_tokens=40, output_tokens=2)
    return SimpleNamespace(choices=[choice], model="m-2026", usage=usage, error=error)


@dataclass
class Model:
    """What `get_model` returns."""

    answers: list[Any]
    seen: list[Any] = field(default_factory=list)

    def __str__(self) -> str:
        return "anyone/m"

    async def generate(self, messages: list[Any], config: Any) -> Any:
        self.seen.append((messages, config))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            await asyncio.Event().wait()
        return answer


def stand_in_for_inspect(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put a module with the parts of Inspect's interface in its place."""
    package, models = ModuleType("inspect_ai"), ModuleType("inspect_ai.model")
    package.__spec__ = ModuleSpec("inspect_ai", None)
    opened: dict[str, Any] = {}

    def get_model(name: str) -> Any:
        if name not in opened:
            raise ValueError(f"Model name '{name}' is unknown")
        return opened[name]

    models.__dict__.update(
        opened=opened, get_model=get_model, GenerateConfig=lambda **fields: fields,
        ChatMessageUser=lambda content: ("user", content),
        ChatMessageSystem=lambda content: ("system", content),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "inspect_ai", package)
    monkeypatch.setitem(sys.modules, "inspect_ai.model", models)
    return models
