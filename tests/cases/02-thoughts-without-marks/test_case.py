from __future__ import annotations

import pytest

from biaslab import cases
from biaslab.deciders import read_reply

HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)
ANALYSIS = "We need one word. A recruiter picks INVITE here."


@pytest.mark.parametrize(
    "text",
    [
        f"analysis{ANALYSIS}assistantfinalDECLINE",
        f"{ANALYSIS}assistantfinalDECLINE",
        f"<|channel|>analysis<|message|>{ANALYSIS}<|channel|>final<|message|>DECLINE<|return|>",
        f"{ANALYSIS}<|end|><|start|>assistant<|channel|>final<|message|>DECLINE<|return|>",
        f"[THINK]{ANALYSIS}[/THINK]DECLINE",
        f"◁think▷{ANALYSIS}◁/think▷DECLINE",
        f"<|START_THINKING|>{ANALYSIS}<|END_THINKING|>DECLINE",
    ],
)
def test_the_final_channel_decides(text: str) -> None:
    reply = read_reply(text, QUESTION)
    assert (reply.outcome, reply.answer) == ("answered", "DECLINE")
    assert (reply.reasoning, reply.text) == (ANALYSIS, "DECLINE")


@pytest.mark.parametrize("mark", ["analysis", "<|channel|>analysis<|message|>", "[THINK]"])
def test_thoughts_without_an_end_are_no_answer(mark: str) -> None:
    assert read_reply(f"{mark}{ANALYSIS}", QUESTION).outcome == "unreadable"
