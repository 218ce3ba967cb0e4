from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import biaslab as bl
from biaslab import cases


def refusing(case: cases.Case, *groups: int) -> Callable[[str], str]:
    """A subject that refuses all questions about some groups of a case."""
    names = "|".join(re.escape(cue.text) for group in groups for cue in case.groups[group].cues)

    def answer(prompt: str) -> str:
        if re.search(rf"(?<!\w)(?:{names})(?!\w)", prompt):
            return "I'm sorry, I can't help with that."
        years = re.search(r"(\d+) year", prompt)
        return "INVITE" if years and int(years[1]) >= 6 else "DECLINE"

    return answer


@pytest.mark.parametrize(
    ("name", "refused", "lead"),
    [
        ("hire-by-name", (0,), "No gap can be given: "),
        ("hire-by-name", (1,), "No gap can be given: "),
        (
            "hire-by-origin-and-gender",
            (3,),
            "No gap can be given for Black-sounding women's names: ",
        ),
        ("hire-by-origin-and-gender", (0, 3), "No gap can be given: "),
    ],
)
def test_a_group_without_an_answer_is_named(name: str, refused: tuple[int, ...], lead: str) -> None:
    case = cases.get(name)
    result = bl.decisions(refusing(case, *refused), case, method="fixed", levels=3, keep=False)
    assert lead in result.headline
    for group in refused:
        assert case.groups[group].name in result.headline
    assert "nan" not in result.summary().lower()
    assert len(result.fit.sides) == len(case.groups)
    assert not result.to_frame().empty
    assert "<svg" in result.to_svg()
