"""No regular expression of the packages takes more than linear time, whatever text it is given."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from harness.backtracking import slow_text
from harness.source_patterns import SourcePattern, source_patterns

READS = ("biaslab", "widgets", "train")

NOT_WRITTEN_OUT = {
    "biaslab/asking/reading/languages.py",
    "biaslab/asking/simulated/truth.py",  # prompts of a case, escaped
    "biaslab/cli/output.py",
    "biaslab/probes/sentences/terms.py",
    "biaslab/reports/theme.py",
    "widgets/biaslab_widgets/app/security/server_paths.py",  # folders, escaped
}
"""Files that take a pattern from a table of their own, which is looked at below."""


@pytest.fixture(scope="module")
def patterns() -> list[SourcePattern]:
    return source_patterns()


def test_the_patterns_are_written_out(patterns: list[SourcePattern]) -> None:
    files = {found.place.rpartition(":")[0] for found in patterns if found.pattern is None}
    assert files <= NOT_WRITTEN_OUT


def test_the_patterns_are_linear(patterns: list[SourcePattern]) -> None:
    """Each pattern with a text that is slow for it when it is repeated; no pattern has one."""
    assert patterns
    slow = {}
    for found in patterns:
        if found.pattern is not None:
            text = slow_text(found.pattern, found.flags, searches=found.searches, whole=found.whole)
            slow |= {} if text is None else {f"{found.place} {found.pattern!r}": text}
    assert slow == {}


def test_the_patterns_of_endings_are_linear() -> None:
    from biaslab.probes.sentences.terms import _SUFFIXES

    assert [slow_text(ending) for _, ending in _SUFFIXES] == [None] * len(_SUFFIXES)


def test_the_patterns_of_refusals_are_linear() -> None:
    """Of each item three alternatives, and gaps of one word: all of them would take minutes."""
    from biaslab.asking.reading import languages

    table = Path(languages.__file__).with_suffix(".toml")
    for language in tomllib.loads(table.read_text(encoding="utf-8")).values():
        for words in (*language["refuse"], *language["sorry"]):
            few = " ".join("|".join(part.split("|")[:3]) for part in words.split())
            assert slow_text(re.sub(r"\{0,\d\}", "?", languages.phrase(few))) is None, words


def test_the_patterns_of_messages_and_colours_are_linear() -> None:
    from biaslab.cli.output import _WORDS
    from biaslab.reports.theme import _colours

    patterns = [*(pattern for pattern, _ in _WORDS), _colours().pattern]
    assert {pattern: slow_text(pattern) for pattern in patterns} == dict.fromkeys(patterns)


@pytest.mark.parametrize(
    "pattern",
    [
        r"<\s*/?\s*(?:html|body)\b",  # two loops side by side
        r"\s+$",
        r"\s*```$",
        r"(?:a+)+b",
        r"(?:a|a)*b",
        r"(?:ab)*c",
        r"(?:a|[a-f])*?b",
        r"(?:a?)*b",
        r"(a*)*$",
        r".*=.*=.*:",
        r"\d+\.?\d*x",
        r'"(?:[^"\\]|\\.)*"',  # a quote behind a backslash begins a text too
        r"[.!?]+(?=\s|$)",
        r"x[^y]*y",
        r"\bx\w*\b.*y",
        r"(?i)(?:K|k)*x|\w+y",
        r"a(?=\s*b)|\s+b",
        r"(?m)^\s+$",
    ],
)
def test_a_slow_pattern_is_found_out(pattern: str) -> None:
    assert slow_text(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"<\s*(?:/\s*)?(?:html|body)\b",
        r"\w+(?:['-]\w+)*",
        r"\w+|[^\w\s]",
        r'"[^"]*"',
        r"<[^<>]+>",
        r"^\s+$",
        r"(?<!\w)\w+(?!\w)x",
        r"(?<![.!?])[.!?]+(?=\s|$)",
        r"\b(?:the|an?)\s+$",
        r"a{2,80}b",
        r"\^(?:[^$^]*)\$",
    ],
)
def test_a_linear_pattern_is_let_pass(pattern: str) -> None:
    assert slow_text(pattern) is None


def test_how_a_pattern_is_used_counts() -> None:
    assert slow_text(r"\s*x")
    assert slow_text(r"\s*x", searches=False) is None
    assert slow_text(r"\d+\.?\d*", searches=False) is None
    assert slow_text(r"\d+\.?\d*", searches=False, whole=True)
    assert slow_text(r".*x.*", searches=False) is None
    assert slow_text(r".*x.*", re.DOTALL, searches=False, whole=True)
