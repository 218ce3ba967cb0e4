"""The completions of a language model on loopback, in the forms that real servers know."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, Literal

from harness.scripted_model_server import Scripted

Way = Literal["echo", "echo of one more", "listed", "none"]


def completions_of(
    model: Any,
    tokenizer: Any,
    *,
    way: Way = "echo",
    adds_beginning: bool = True,
    version: str = "",
    fails: Callable[[dict[str, Any], int], Scripted | None] = lambda body, number: None,
) -> Callable[[dict[str, Any], int], Scripted]:
    """A script for `scripted_server` that computes with transformers alone.

    Parameters
    ----------
    model, tokenizer
        Of transformers.
    way : str
        Whether it echoes a prompt and writes nothing; echoes and writes at least one token; lists
        log-probabilities in a field of their own; or knows those of written tokens only.
    adds_beginning : bool
        Whether special tokens are put around a prompt.
    version : str
        What it says of itself.
    fails : callable
        Given a request and its number: the failure to answer with, or None.
    """
    lock = threading.Lock()

    def script(body: dict[str, Any], number: int) -> Scripted:
        failure = fails(body, number)
        if failure is not None:
            return failure
        if body["max_tokens"] < 1 and way != "echo":
            return Scripted(text="max_tokens must be at least 1", status=400)
        with lock:
            return Scripted(raw=json.dumps(answer(body)))

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        import torch

        ids = tokenizer(body["prompt"], add_special_tokens=adds_beginning)["input_ids"]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0].double()
        logs = torch.log_softmax(logits, dim=-1)
        values = [None, *(float(logs[i, token]) for i, token in enumerate(ids[1:]))]
        next_id = int(logits[-1].argmax())
        written = min(1, body["max_tokens"])
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "length",
            "text": "",
            "logprobs": None,
        }
        if way == "listed" and "prompt_logprobs" in body:
            choice["prompt_logprobs"] = [
                None if value is None else {
                    str(i): {"logprob": value, "rank": 1, "decoded_token": tokenizer.decode([i])}
                }
                for i, value in zip(ids, values, strict=True)
            ]  # fmt: skip
        elif body.get("logprobs"):
            some = [*ids, *[next_id] * written] if way.startswith("echo") else [next_id]
            chosen = [*values, *[float(logs[-1].max())] * written]
            choice["logprobs"] = {
                "tokens": [tokenizer.decode([i]) for i in some],
                "token_logprobs": chosen[-len(some) :],
                "text_offset": [0] * len(some),
                "top_logprobs": None,
            }
        return {
            "id": "1", "object": "text_completion", "created": 0, "model": body["model"],
            "system_fingerprint": version or None, "choices": [choice],
            "usage": {
                "prompt_tokens": len(ids), "completion_tokens": written,
                "total_tokens": len(ids) + written,
            },
        }  # fmt: skip

    return script
