"""Readers of corpora: Wikipedia dumps, nested folders, and what cannot be read."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest

from biaslab.errors import CorpusError
from biaslab.subjects import text_files
from biaslab_train.embeddings import corpus as readers
from biaslab_train.embeddings.corpus import corpus_files, prepare, read_pages, read_passages
from biaslab_train.embeddings.processes import in_order
from harness.corpora import in_this_process
from harness.needs import needs

pytestmark = needs("gensim")


ARTICLE = """{{Infobox person
| name = {{nowrap|Ada}}
| field = secretword
}}
'''Ada Lovelace''' was an [[English people|English]] mathematician.&lt;ref&gt;A note.&lt;/ref&gt;

== Early life ==
[[File:Ada.jpg|thumb|A picture of [[Ada]]]]
She wrote to [[Charles Babbage]] &amp; others about the [https://example.org engine].
{| class="wikitable"
! Year !! Place
|-
| 1815 || London
|}
&lt;!-- a comment --&gt;
* a list item
[[Category:Mathematicians]]
"""


def _page(title: str, namespace: int, text: str, extra: str = "") -> str:
    return (
        f"<page><title>{title}</title><ns>{namespace}</ns><id>1</id>{extra}<revision><id>2</id>"
        f'<text xml:space="preserve">{text}</text></revision></page>'
    )


DUMP = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    "<siteinfo><sitename>Wikipedia</sitename></siteinfo>\n"
    + "\n".join(
        [
            _page("Ada Lovelace", 0, ARTICLE),
            _page("Ada", 0, "#REDIRECT [[Ada Lovelace]]", '<redirect title="Ada Lovelace"/>'),
            _page("Talk:Ada Lovelace", 1, "Idle talk about the article."),
            _page("Template:Infobox", 10, "templatetext"),
            _page("Empty", 0, ""),
            _page("Nurse", 0, "A '''nurse''' cares for people.\n\nNurses work in hospitals."),
        ]
    )
    + "\n</mediawiki>\n"
)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "enwiki-20190301-pages-articles.xml.bz2"
    path.write_bytes(bz2.compress(DUMP.encode()))
    return path


def _lines(source: Path, work: Path, processes: int = 1) -> list[str]:
    return prepare(source, work, processes).path.read_text(encoding="utf-8").splitlines()


def test_a_dump_gives_the_paragraphs_of_its_articles(dump: Path, tmp_path: Path) -> None:
    lines = _lines(dump, tmp_path / "work")
    assert lines[0] == "ada lovelace was an english mathematician"
    assert "she wrote to charles babbage others about the engine" in lines
    assert lines[-2:] == ["a nurse cares for people", "nurses work in hospitals"]
    text = " ".join(lines)
    for gone in ("secretword", "note", "redirect", "idle", "templatetext", "comment"):
        assert gone not in text
    assert "early life" not in lines


def test_pages_are_freed_while_a_dump_is_read(tmp_path: Path) -> None:
    """gensim's own page reader keeps an element per page; a whole Wikipedia has 20 million."""
    import tracemalloc

    path = tmp_path / "many.xml"
    pages = "".join(_page(f"Page {i}", 0, "words " * 200) for i in range(5_000))
    path.write_text(f"<mediawiki>{pages}</mediawiki>")
    stream = read_pages(path)
    next(stream)
    tracemalloc.start()
    read = 1 + sum(1 for _ in stream)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read == 5_000
    assert peak < 0.1 * path.stat().st_size


def test_a_dump_cut_short_and_other_xml_are_told(dump: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.xml"
    cut.write_text(DUMP[:-200])
    with pytest.raises(CorpusError, match="truncated"):
        list(read_pages(cut))
    half = tmp_path / "half.xml.bz2"
    half.write_bytes(dump.read_bytes()[:-30])
    with pytest.raises(CorpusError, match="truncated"):
        list(read_pages(half))
    other = tmp_path / "feed.xml"
    other.write_text("<rss><channel/></rss>")
    with pytest.raises(CorpusError, match="not a MediaWiki dump"):
        list(read_pages(other))


def test_a_nested_folder_is_read_whole_in_the_order_of_names(dump: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_bytes(b"\xff\xfe")
    (folder / ".DS_Store").write_bytes(b"\0\0")
    (folder / "a.txt").write_text("plain first\n")
    (folder / "b" / "c.txt.gz").write_bytes(gzip.compress(b"gzip second\n"))
    (folder / "b" / "d.bz2").write_bytes(bz2.compress(b"bzip third\n"))
    (folder / "b" / "e.xz").write_bytes(lzma.compress(b"xz fourth\n"))
    (folder / "f.xml.bz2").write_bytes(dump.read_bytes())
    lines = _lines(folder, tmp_path / "work")
    assert lines[:4] == ["plain first", "gzip second", "bzip third", "xz fourth"]
    assert lines[-1] == "nurses work in hospitals"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("binary.txt", b"word \0\0 word\n" * 9, "binary"),
        ("latin.txt", "déjà vu\n".encode("latin1") * 9, "UTF-8"),
        ("not.gz", b"plain text\n", "damaged"),
        ("not.bz2", b"plain text\n", "damaged"),
        ("not.xz", b"plain text\n", "damaged"),
    ],
)
def test_what_is_no_text_is_told(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=says):
        list(read_passages(path))


def test_a_text_without_line_breaks_is_refused_before_it_fills_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "LONGEST_LINE", 100)
    path = tmp_path / "long.txt"
    path.write_text("word " * 100)
    with pytest.raises(CorpusError, match="one paragraph per line"):
        list(read_passages(path))


def test_an_empty_folder_holds_no_corpus(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="No corpus"):
        corpus_files(tmp_path / "empty")


def test_several_processes_tokenise_as_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "PASSAGE_CHARACTERS", 500)
    path = tmp_path / "text.txt"
    path.write_text("".join(f"line {'abc'[i % 3] * (i % 7)} number\n" for i in range(400)))
    one = prepare(path, tmp_path / "one")
    with in_this_process():
        two = prepare(path, tmp_path / "two", processes=2)
    assert (one.sha256, one.lines, one.counts) == (two.sha256, two.lines, two.counts)


def test_a_stream_is_not_read_far_ahead_of_what_is_used() -> None:
    read = []

    def items() -> Iterator[int]:
        for i in range(1_000):
            read.append(i)
            yield i

    results = in_order(abs, items(), processes=2)
    assert [next(results), next(results)] == [0, 1]
    assert len(read) < 12
    assert list(results) == list(range(2, 1_000))
