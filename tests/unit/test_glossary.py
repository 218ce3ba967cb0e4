"""The glossary holds every acronym that a bench shows, and each method has its reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.core.glossary import GLOSSARY
from biaslab_widgets.core.how import REFERENCES

ROOT = Path(__file__).resolve().parents[2]
JS = ROOT / "js"
ACRONYMS = [term.name for term in GLOSSARY if term.long]
_COMMENT = re.compile(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|//[^\n]*")


def _shown(slug: str) -> str:
    """What a bench can show: its sources without comments, and answers of its controller."""
    sources = sorted((JS / "src" / "benches" / slug).rglob("*.ts*"))
    texts = [_COMMENT.sub("", path.read_text("utf-8")) for path in sources]
    recorded = JS / "dev" / "recorded" / f"{slug}.json"
    return "\n".join([*texts, recorded.read_text("utf-8") if recorded.exists() else ""])


def test_the_glossary_has_the_terms_of_every_bench() -> None:
    names = {term.name for term in GLOSSARY}
    for entry in BENCHES:
        assert len(set(entry.terms)) == len(entry.terms)
        assert set(entry.terms) <= names


@pytest.mark.parametrize("entry", BENCHES, ids=lambda entry: entry.name)
def test_every_acronym_that_a_bench_shows_explains_itself(entry: BenchEntry) -> None:
    shown = _shown(entry.slug)
    missing = [
        one
        for one in ACRONYMS
        if re.search(rf"(?<![\w/.]){re.escape(one)}(?![\w/])", shown) and one not in entry.terms
    ]
    assert missing == []


def test_a_bench_takes_its_terms_along() -> None:
    for entry in BENCHES:
        index = (JS / "src" / "benches" / entry.slug / "index.ts").read_text("utf-8")
        if entry.terms:
            assert f"{entry.name.upper()}_TERMS" in index


def test_references_are_those_of_the_citation_file() -> None:
    """A paper that both name has the same title and DOI."""
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    dois = set(re.findall(r"doi: (\S+)", cited))
    ours = {one.url.removeprefix("https://doi.org/"): one for one in REFERENCES.values()}
    assert dois <= set(ours)
    for doi in dois:
        assert ours[doi].title in cited


def test_every_source_of_the_glossary_is_a_reference() -> None:
    sources = {term.source for term in GLOSSARY if term.source}
    for source in sources:
        author = source.split()[0].rstrip(",")
        year = source[-5:-1]
        assert any(
            one.authors.startswith(author) and str(one.year) == year for one in REFERENCES.values()
        ), source


def test_a_reference_reads_as_one() -> None:
    text = REFERENCES["holm"].text
    assert text.startswith("Holm, S. (1979). A simple sequentially rejective")
    assert "None" not in "".join(one.text for one in REFERENCES.values())
