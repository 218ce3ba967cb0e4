"""Small pictures as data addresses: made when the front end lacks them, and remembered."""

from __future__ import annotations

import base64
import io
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from biaslab.errors import ImageError
from biaslab.images.image import Image
from biaslab.records.wording import prose
from biaslab_widgets.benches.images.fields import Thumbnails

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

SIDE = 96
"""Longer side of a thumbnail in pixels: twice what a square in the grid of step 2 takes."""
DETAIL_SIDE = 320
"""Of the picture that is looked at."""
MOST_WANTED = 200
"""Thumbnails that are asked for at once."""
_SLICE_S = 0.03
"""Thumbnails are made for so long, then others have a turn."""
_REMEMBERED = 20_000
_QUALITY = 82


def data_address(picture: PillowImage, side: int) -> str:
    """A small copy of a picture as an address that holds it.

    - `picture`: in RGB.
    - `side`: longer side in pixels, at most.
    """
    from PIL import Image as images

    small = picture
    if max(picture.size) > side:
        small = picture.copy()
        small.thumbnail((side, side), images.Resampling.BOX, reducing_gap=None)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode("ascii")


class ThumbnailCache:
    """Thumbnails by content, from any thread; the ones used longest ago go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[str, str] = OrderedDict()
        self._passed: set[str] = set()

    def put(self, number: str, picture: PillowImage) -> str:
        """Make and remember the thumbnail of a picture.

        - `number`: the picture's hash.
        """
        address = data_address(picture, SIDE)
        with self._lock:
            self._made[number] = address
            while len(self._made) > _REMEMBERED:
                self._made.popitem(last=False)
        return address

    def of(self, image: Image) -> str:
        """The thumbnail of a picture.

        Raises `ImageError` when the picture cannot be opened any more.
        """
        with self._lock:
            if (thumbnail := self._made.get(image.hash)) is not None:
                self._made.move_to_end(image.hash)
                return thumbnail
        return self.put(image.hash, image.picture())

    def prepare(self, images: Sequence[Image], seconds: float) -> int:
        """Make thumbnails that are all to be taken along, for so long; how many are left.

        Called again it goes on, past pictures that cannot be opened any more. Once none is left,
        the next call begins anew.
        """
        until = time.perf_counter() + seconds
        left = [image for image in images if image.hash not in self._passed]
        for number, image in enumerate(left):
            if number and time.perf_counter() > until:
                return len(left) - number
            self._passed.add(image.hash)
            with suppress(ImageError):
                self.of(image)
        self._passed.clear()
        return 0


class WantedThumbnails:
    """Answers what the front end wants, a slice at a time."""

    def __init__(self, cache: ThumbnailCache) -> None:
        self._cache = cache
        self._asked: tuple[str, ...] = ()
        self._left: list[str] = []
        self._number = 0

    def answer(self, wanted: Sequence[str], images: Mapping[str, Image]) -> Thumbnails | None:
        """Thumbnails that are wanted and were not sent since they were asked for.

        - `wanted`: ids of places.
        - `images`: by id; what is wanted and not there is passed over.
        - Returns: None where nothing is to be sent. `more` says whether to ask again.
        """
        if (requested := tuple(wanted[:MOST_WANTED])) != self._asked:
            self._asked, self._left = requested, list(dict.fromkeys(requested))
        if not self._left:
            return None
        made: dict[str, str] = {}
        missing: dict[str, str] = {}
        until = time.perf_counter() + _SLICE_S
        while self._left and (not (made or missing) or time.perf_counter() < until):
            number = self._left.pop(0)
            if (image := images.get(number)) is None:
                continue
            try:
                made[number] = self._cache.of(image)
            except ImageError as error:
                missing[number] = prose(error)
        if not made and not missing:
            return None
        self._number += 1
        return {"number": self._number, "pictures": made, "missing": missing}

    @property
    def more(self) -> bool:
        """Whether thumbnails are still to be made."""
        return bool(self._left)
