"""From portraits that a model imagines to everything that the bench draws of them."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from biaslab.portraits import Portrait, describe
from biaslab.portraits.drawing import draw_many
from biaslab.probes.posterior.portraits.result import ODDS, WOMAN, PortraitPosterior, Share
from biaslab.records.wording import counted, percent
from biaslab.stats.chains import RHAT
from biaslab.threads.leaving import leave_if_cancelled
from biaslab_widgets.benches.posterior.fields import Quantity
from biaslab_widgets.benches.posterior.portrait_fields import (
    Face,
    FilmStrip,
    Gallery,
    Portraits,
    Sheets,
    ShiftGroup,
    ShiftRow,
    Typical,
)
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import finite

SIDE, LARGE_SIDE = 96, 320
"""Pixels of a portrait on the sheet, and of a typical one."""
COLUMNS = 16
GALLERY, SMALL_GALLERY = 24, 8
FILM_WARMUP, FILM_KEPT = 3, 9
CHAINS = 8
"""At most so many chains have a film strip."""
EXPONENTS = (0.0, 1.0, 2.0, 4.0, 8.0)
PLACES = 60
"""At which the share so far is drawn."""
_QUALITY = 82
_WORST = "worst of all attributes"
_NEAREST = "nearest to the average"


class _Ends(TypedDict):
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Drawn:
    """What is drawn of the portraits of one or two words.

    - `portraits`, `sheets`: for the front end.
    """

    portraits: Portraits
    sheets: Sheets


@dataclass
class _Sheet:
    """Portraits in the order of their places."""

    portraits: list[Portrait] = field(default_factory=list)

    def put(self, portrait: Portrait) -> int:
        """Add one; return its place."""
        self.portraits.append(portrait)
        return len(self.portraits) - 1

    def face(self, portrait: Portrait, title: str, woman: object, says: float = math.nan) -> Face:
        """Add one that can be looked at."""
        return {
            "place": self.put(portrait),
            "title": title,
            "text": in_words(portrait),
            "woman": bool(woman),
            "p": finite(float(says)),
        }

    def address(self, side: int, columns: int) -> str:
        """All of them as one image, in an address that holds it."""
        from PIL import Image as images

        rows = math.ceil(len(self.portraits) / columns)
        whole = np.zeros((rows * side, columns * side, 3), np.uint8)
        for place, portrait in enumerate(self.portraits):
            leave_if_cancelled()
            y, x = (place // columns) * side, (place % columns) * side
            whole[y : y + side, x : x + side] = draw_many([portrait], side)[0]
        out = io.BytesIO()
        images.fromarray(whole).save(out, "WEBP", quality=_QUALITY)
        return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode("ascii")


def in_words(portrait: Portrait) -> str:
    """What is drawn, without the words that stand before every description."""
    return describe(portrait).partition(": ")[2].rstrip(".")


def drawn_faces(results: Sequence[PortraitPosterior]) -> Drawn:
    """Choose portraits of each word, draw them, and read off what stands beside them.

    - `results`: of the word, and perhaps of a second one.
    """
    first = results[0]
    small, large = _Sheet(), _Sheet()
    galleries = [_gallery(r, small, SMALL_GALLERY if i else GALLERY) for i, r in enumerate(results)]
    if len(first.prior_draws):
        galleries.append(_before(first, small))
    typical = [_typical(result, large) for result in results]
    typical.insert(1, _all_portraits(first, large))
    places = _places(first.n_draws, PLACES)
    kept = first.is_woman.shape[1]
    ends = np.minimum(places // first.thinned, kept - 1)
    so_far = np.cumsum(first.is_woman, axis=1)[:, ends] / (ends + 1)
    exponents = _exponents(results)
    portraits: Portraits = {
        "words": [result.word for result in results],
        "typical": typical,
        "galleries": galleries,
        "exponents": exponents,
        "exponent": first.times,
        "lines": [
            {"word": r.word, "shares": [s.value for k in exponents if (s := r.share_at(k))]}
            for r in results
            if exponents
        ],
        "neutral": 0.5,
        "chains": [_film(first, chain, small) for chain in range(min(first.chains, CHAINS))],
        "warmup": first.warmup_asked,
        "steps": first.warmup_asked + first.n_draws,
        "running": [[round(float(share), 3) for share in row] for row in so_far],
        "running_steps": [first.warmup_asked + int(place) + 1 for place in places],
        "chains_note": _chains_note(first),
        "shifts": _shifts(results),
    }
    sheets: Sheets = {
        **empty(Sheets),
        "columns": COLUMNS,
        "rows": math.ceil(len(small.portraits) / COLUMNS),
        "small": small.address(SIDE, COLUMNS),
        "large": large.address(LARGE_SIDE, len(large.portraits)),
        "large_columns": len(large.portraits),
    }
    return Drawn(portraits, sheets)


def _gallery(result: PortraitPosterior, sheet: _Sheet, most: int) -> Gallery:
    ranked = result.ranked(most).tolist()
    faces = [_draw_face(result, sheet, chain, draw) for chain, draw in ranked]
    women = sum(face["woman"] for face in faces)
    return {
        "word": result.word,
        "title": f"{len(faces)} of {counted(result.total, 'draw')} of “{result.word}”",
        "note": f"{women} drawn as women",
        "faces": faces,
    }


def _before(result: PortraitPosterior, sheet: _Sheet) -> Gallery:
    count = len(result.prior_draws)
    faces = [
        sheet.face(result.prior_portrait(i), f"Portrait {i + 1:,} of all", result.prior_is_woman[i])
        for i in range(min(SMALL_GALLERY, count))
    ]
    women = sum(face["woman"] for face in faces)
    return {
        "word": "",
        "title": f"{len(faces)} of {counted(count, 'portrait')}",
        "note": f"{women} drawn as women; before it hears a word",
        "faces": faces,
    }


def _draw_face(result: PortraitPosterior, sheet: _Sheet, chain: int, draw: int) -> Face:
    step = result.warmup_asked + draw * result.thinned + 1
    return sheet.face(
        result.portrait(chain, draw),
        f"Chain {chain + 1}, step {step:,}",
        result.is_woman[chain, draw],
        result.says[chain, draw],
    )


def _film(result: PortraitPosterior, chain: int, sheet: _Sheet) -> FilmStrip:
    warmup = [
        sheet.face(
            result.warmup_portrait(chain, i),
            f"Chain {chain + 1}, warm-up step {int(result.warmup_steps[i]) + 1:,}",
            result.warmup_is_woman[chain, i],
            result.warmup_says[chain, i],
        )
        for i in _spread(len(result.warmup_steps), FILM_WARMUP)
    ]
    kept = [
        _draw_face(result, sheet, chain, draw) for draw in _spread(result.draws.shape[1], FILM_KEPT)
    ]
    return {"warmup": warmup, "kept": kept}


def _spread(count: int, most: int) -> list[int]:
    """Numbers evenly spread over so many, the last one among them."""
    return [int(place) for place in _places(count, most)]


def _places(count: int, most: int) -> NDArray[np.intp]:
    few = min(count, most)
    return np.round(np.arange(1, few + 1) * count / max(few, 1)).astype(int) - 1


def _typical(result: PortraitPosterior, sheet: _Sheet) -> Typical:
    chain, draw = np.unravel_index(
        _central(result.draws.reshape(-1, len(result.attributes)), result), result.says.shape
    )
    portrait = result.portrait(int(chain), int(draw))
    return {
        "word": result.word,
        "name": result.word,
        **_share(result.share),
        "place": sheet.put(portrait),
        "average": sheet.put(result.average()),
        "text": in_words(portrait),
        "note": f"{_NEAREST} of {counted(result.total, 'draw')}",
    }


def _all_portraits(result: PortraitPosterior, sheet: _Sheet) -> Typical:
    average = result.prior_average()
    known = len(result.prior_draws) > 0
    portrait = result.prior_portrait(_central(result.prior_draws, result)) if known else average
    of = counted(len(result.prior_draws), "portrait")
    note = f"{_NEAREST} of {of}" if known else "the average"
    return {
        "word": "",
        "name": "all portraits",
        "share": 0.5,
        "low": None,
        "high": None,
        "place": sheet.put(portrait),
        "average": sheet.put(average),
        "text": in_words(portrait),
        "note": note,
    }


def _central(rows: NDArray[np.floating], result: PortraitPosterior) -> int:
    """The row nearest to the mean, each attribute in its standard deviations of all portraits."""
    spread = np.where(result.prior_sd > 0, result.prior_sd, 1.0)
    return int(np.argmin((((rows - rows.mean(axis=0)) / spread) ** 2).sum(axis=1)))


def _share(share: Share) -> _Ends:
    ends = share.interval
    return {"share": share.value, "low": finite(ends.low), "high": finite(ends.high)}


def _exponents(results: Sequence[PortraitPosterior]) -> list[float]:
    """Exponents at which a share can be had of every word; none of one that only chooses."""
    if any(result.share_at(0.0) is None for result in results):
        return []
    return sorted({*EXPONENTS, results[0].times})


def _chains_note(result: PortraitPosterior) -> str:
    both = bool(np.all(result.is_woman.any(axis=1) & ~result.is_woman.all(axis=1)))
    parts = ["Every chain passes through women and men." if both else
             "Not every chain has drawn both women and men."]  # fmt: skip
    exact = result.exact_share
    if exact is not None:
        low, high = (percent(end) for end in (exact.interval.low, exact.interval.high))
        parts.append(
            f"Exact weighting of {counted(len(result.prior_says), 'portrait')} gives"
            f" {percent(exact.value)} % women ({low} to {high})."
        )
    parts.append(f"{percent(result.acceptance)} % of all proposals were accepted.")
    return " ".join(parts)


def _shifts(results: Sequence[PortraitPosterior]) -> list[ShiftGroup]:
    first = results[0]
    of = [{shift.name: shift for shift in result.shifts} for result in results]
    groups: dict[bool, list[ShiftRow]] = {True: [], False: []}
    moved = {True: sum(s.is_tied and s.is_clear for s in first.shifts), False: len(first.moved)}
    for shift in first.shifts:
        marks = [each[shift.name] for each in of if shift.name in each]
        groups[shift.is_tied].append({
            "name": shift.label,
            "marks": [
                {"value": m.shift, "low": m.interval.low, "high": m.interval.high} for m in marks
            ],
        })  # fmt: skip
    titles = {True: "Tied to women or men in the portraits", False: "Tied to nobody: the control"}
    return [
        {
            "title": titles[tied],
            "note": f"{moved[tied]} of {counted(len(rows), 'attribute')} moved",
            "rows": rows,
        }
        for tied, rows in groups.items()
        if rows
    ]


def quantities_of(result: PortraitPosterior) -> list[Quantity]:
    """The share of women, how surely the word is said, and the attribute that mixes worst."""
    mixing = result.diagnostics
    rest = [name for name in mixing.names if name not in (WOMAN, ODDS)]
    rhats = [value if np.isfinite(value) else 0.0 for value in mixing.rhat[2:]]
    worst = rest[int(np.argmax(rhats))] if rest else WOMAN
    named = {WOMAN: WOMAN, ODDS: ODDS, worst: f"{worst}, {_WORST}"}
    rows = []
    for name, label in named.items():
        row = mixing.of(name)
        quantity: Quantity = {
            **empty(Quantity),
            "name": name,
            "label": label,
            "rhat": finite(row["rhat"]),
            "rhat_limit": RHAT,
            "ess_bulk": finite(row["ess_bulk"]),
            "ess_tail": finite(row["ess_tail"]),
            "mcse": finite(row["mcse_mean"]),
            "mean": finite(row["mean"]),
            "sd": finite(row["sd"]),
        }
        rows.append(quantity)
    return rows
