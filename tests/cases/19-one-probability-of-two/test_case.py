from __future__ import annotations

import pytest

from biaslab import cases, deciders
from biaslab.errors import DeciderError

HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)


def test_no_probability_is_made_up() -> None:
    with pytest.raises(DeciderError, match="without DECLINE"):
        deciders.ask(deciders.FunctionDecider(lambda text: {"INVITE": 0.6}), [QUESTION])


def test_a_certain_answer_needs_no_other() -> None:
    [reply] = deciders.ask(deciders.FunctionDecider(lambda text: {"INVITE": 1.0}), [QUESTION])
    assert reply.probabilities == (1.0, 0.0)
