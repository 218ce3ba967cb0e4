"""The static site of a catalogue: its pages, and whether somebody else's is unchanged.

Pages work from a disk and without scripts, but for the search and the composition.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from html import escape
from importlib import resources
from itertools import starmap
from pathlib import Path
from typing import Any, Final

from biaslab.errors import QueryError
from biaslab.files.atomic import write_atomically
from biaslab.files.given import read_given
from biaslab.records.wording import counted
from biaslab.reports.rating.card import card_page
from biaslab.reports.rating.pages import page
from biaslab.reports.rating.registry import LARGEST, MOST, Entry, Registry, read_cards

SUMS: Final = "cards/SHA256SUMS"
"""Hashes of all cards, as the program sha256sum reads them."""
_KINDS: Final = {
    "service": "called directly", "translator": "there and back", "chain": "services in a row",
}  # fmt: skip


def site_files(registry: Registry) -> dict[str, bytes]:
    """Return all files of the site by name; the same cards make the same files."""
    data = registry.data()
    files = {SUMS: registry.sums, "catalogue.json": _json(data, indent=1)}
    files["index.html"] = _index(registry, data).encode()
    for one in registry.entries:
        files[f"cards/{one.id}.json"] = one.text
        files[f"cards/{one.id}.html"] = _card(one).encode()
    return files


def _json(data: Any, **options: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, **options).encode()


def _card(entry: Entry) -> str:
    made = entry.card["provenance"]
    versions = ", ".join(f"{name} {one}" for name, one in made["versions"].items())
    facts = [
        f"Rated {made['time']} with {versions}.",
        f"Identity of the service: {entry.card['service']['identity'] or 'not stated'}.",
        f"SHA-256 of the card: {entry.hash}.",
    ]
    listed = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    return card_page(
        dict(entry.card),
        '<p><a href="../index.html">Catalogue of ratings</a></p>',
        f'<h2>Unchanged?</h2><ul>{listed}<li><a href="{entry.id}.json">The card as JSON</a>: its '
        "bytes have this hash. Compare it with the hash that the rater published.</li></ul>",
    )


def _index(registry: Registry, data: dict[str, Any]) -> str:
    entries = registry.entries
    cards = counted(len(entries), "card")
    source = resources.files("biaslab.reports.rating") / "data" / "catalogue.js"
    # "<" could end the element that holds the data.
    embedded = _json(data).decode().replace("<", "\\u003c")
    languages = sorted((name, code) for code, name in data["languages"].items() if code)
    choices = {
        "Kind": [(title, kind) for kind, title in _KINDS.items()],
        "Attribute": [(one, one) for one in sorted(set(map(_attribute, entries)))],
        "Language": languages,
        "Rating": [(one, one) for one in sorted({e.card["overall"]["corrected"] for e in entries})],
    }
    body = (
        f"<h1>Catalogue of ratings: {cards}</h1>"
        "<p>Does a service add bias, follow its input, or remove it? Each card holds the answer of "
        "a test from outside (Srivastava and Rossi 2018): unbiased compensated system (UCS), "
        "data-sensitive biased system (DSBS), or biased system (BS); open where neither bias nor "
        "its absence was shown. A rating is of one attribute, one set of texts and one version of "
        "the service.</p>"
        '<h2>Cards</h2><form id="filters" role="search">'
        '<label>Search<input type="search" name="words"></label>'
        + "".join(starmap(_select, choices.items()))
        + '<label>Rated since<input type="date" name="since"></label></form>'
        f'<p id="count" class="quiet" role="status">{cards}</p>'
        f'<ul class="cards">{"".join(map(_row, entries))}</ul>'
        '<h2 id="compose">Services in a row</h2>'
        "<p>Choose services in the order of the calls. The prediction follows from their overall "
        "corrected ratings; a card of the chain itself is the test of it.</p>"
        '<form id="chain"><noscript>This part needs scripts.</noscript></form>'
        '<div id="outcome" role="status"></div>'
        '<h2>Unchanged?</h2><p>In the folder <a href="cards/SHA256SUMS">cards</a>, '
        "<code>sha256sum -c SHA256SUMS</code> finds a card that was changed; <code>biaslab "
        "registry check</code> also makes these pages again and compares them. The list itself has "
        f"the SHA-256 <code>{registry.hash}</code>: compare it with one that the publisher gave "
        "you elsewhere. "
        "A hash shows that a card is unchanged, not that its rating is right: for that, rate the "
        'service again with the design on the card. <a href="catalogue.json">All as JSON</a></p>'
        f'<script type="application/json" id="data">{embedded}</script>'
    )
    return page("Catalogue of ratings", body, source.read_text("utf-8"))


def _attribute(entry: Entry) -> str:
    return str(entry.card["attribute"]["name"])


def _select(label: str, choices: Sequence[tuple[str, str]]) -> str:
    options = "".join(f'<option value="{escape(v)}">{escape(t)}</option>' for t, v in choices)
    select = f'<select name="{label.lower()}"><option value="">all</option>{options}</select>'
    return f"<label>{label}{select}</label>"


def _row(entry: Entry) -> str:
    card = entry.card
    service, attribute = card["service"], _attribute(entry)
    languages = [one["title"] for one in card["languages"] if one["language"]]
    through = f" through {', '.join(languages)}" if languages else ""
    facts = {
        "kind": service["kind"],
        "attribute": attribute,
        "language": " ".join(entry.ratings),
        "rating": card["overall"]["corrected"],
        "date": entry.date,
    }
    marks = "".join(f' data-{name}="{escape(value)}"' for name, value in facts.items())
    return (
        f'<li{marks}><span><a href="cards/{entry.id}.html">{escape(service["name"])}</a> '
        f'<span class="quiet">{escape(service["about"])}</span></span>'
        f"<strong>{escape(entry.stamp)}</strong>"
        f"<span>{escape(attribute)}, {_KINDS[service['kind']]}{escape(through)}</span>"
        f"<span>{entry.date}</span></li>"
    )


def write_site(registry: Registry, site: Path) -> None:
    """Write a catalogue as a static site; cards that it no longer has are removed.

    Raises `QueryError` if the folder holds something else; `WriteError` if it cannot be written.
    """
    is_other = site.exists() and not (site / SUMS).is_file()
    if is_other and (not site.is_dir() or any(site.iterdir())):
        raise QueryError(f"{site} holds something else than a catalogue. Name a new folder.")
    (site / "cards").mkdir(parents=True, exist_ok=True)
    files = site_files(registry)
    for name, content in files.items():
        write_atomically(site / name, content)
    for old in (site / "cards").iterdir():
        if f"cards/{old.name}" not in files:
            old.unlink()


def check_site(site: Path, expected: str = "") -> list[str]:
    """Return what is wrong with a catalogue; empty if it is as it was published.

    - `expected`: hash of its list of hashes, from its publisher; empty if you have none.

    Raises `QueryError` if it is no catalogue.
    """
    try:
        sums = read_given(site / SUMS, LARGEST)
    except OSError as error:
        raise QueryError(f"{site} is no catalogue: it has no readable {SUMS}.") from error
    wrong = []
    if expected and hashlib.sha256(sums).hexdigest() != expected.strip().lower():
        wrong.append(f"{SUMS}: not the list with the hash {expected}")
    lines = [line.partition("  ") for line in sums.decode("utf-8", "replace").splitlines()]
    listed = {name: digest for digest, _, name in lines}
    registry = read_cards(site / "cards")
    here = dict.fromkeys(registry.problems, "")
    for file in sorted((site / "cards").glob("*.json"))[:MOST]:
        if file.name not in here:
            here[file.name] = hashlib.sha256(read_given(file, LARGEST)).hexdigest()
    for name in sorted(here.keys() | listed.keys()):
        if here.get(name) != listed.get(name):
            how = (
                "changed"
                if name in here and name in listed
                else "missing"
                if name in listed
                else "added"
            )
            wrong.append(f"cards/{name}: {how} since the list was made")
    if not wrong:
        wrong += [
            f"{name}: not the page that this version of biaslab makes of these cards"
            for name, content in site_files(registry).items()
            if not (site / name).is_file() or (site / name).read_bytes() != content
        ]
    return wrong
