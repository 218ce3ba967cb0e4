"""Typefaces that a page is tried in: those of usual machines, and letters wider than any of them.

They come from the front end's development packages, so that no machine needs to have them.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import front_end  # noqa: E402  (tools/ is no package)

_OWN = front_end.STATIC / "fonts" / "inter.woff2"
_ANY = "100 900"


@dataclass(frozen=True)
class Typeface:
    """A font under a name of its own.

    Attributes
    ----------
    name : str
    files : tuple of (str, str or Path)
        A ``font-weight`` of an ``@font-face`` and its file, a path or one below ``node_modules``.
    descriptors : str
        More descriptors of the ``@font-face``.
    """

    name: str
    files: tuple[tuple[str, str | Path], ...]
    descriptors: str = ""

    @cached_property
    def style(self) -> str:
        """Its ``@font-face`` rules, the font itself among them."""
        return "".join(
            f'@font-face {{ font-family: "{self.name}"; font-weight: {weight}; {self.descriptors}'
            f" src: url(data:font/woff2;base64,{_base64(file)}); }}\n"
            for weight, file in self.files
        )


def _base64(file: str | Path) -> str:
    path = file if isinstance(file, Path) else _packages() / file
    return base64.b64encode(path.read_bytes()).decode()


@cache
def _packages() -> Path:
    front_end.install_packages()
    return front_end.JS / "node_modules"


OWN = Typeface("the app's own", ((_ANY, _OWN),))
DEJAVU = Typeface(
    "DejaVu Sans",
    (
        ("400", "@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2"),
        ("700", "@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2"),
    ),
)
# Arimo is what Liberation Sans is made from: its outlines, and its widths.
LIBERATION = Typeface(
    "Liberation Sans", ((_ANY, "@fontsource-variable/arimo/files/arimo-latin-wght-normal.woff2"),)
)
NOTO = Typeface(
    "Noto Sans", ((_ANY, "@fontsource-variable/noto-sans/files/noto-sans-latin-wght-normal.woff2"),)
)
# Letters are 1.2 times as wide; how high a line is stays as it is.
WIDE = Typeface(
    "120 % wide",
    ((_ANY, _OWN),),
    "size-adjust: 120%; ascent-override: 80.73%; descent-override: 20.1%; line-gap-override: 0%;",
)
TYPEFACES = (OWN, DEJAVU, LIBERATION, NOTO, WIDE)

_LOAD = """async ([style, names]) => {
    document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
    const weights = names.flatMap(name => [400, 600].map(weight => `${weight} 13px "${name}"`));
    await Promise.all(weights.map(font => document.fonts.load(font)));
}"""
WEAR = """name => {
    // Either host's own name for the font of a page. What a typeface lacks is the app's font's.
    for (const property of ["--biaslab-font-family", "--jp-ui-font-family"])
        document.body.style.setProperty(property, `"${name}", Inter`);
    // A font that is there already loads no more, which is how a page learns of another.
    document.fonts.dispatchEvent(new Event("loadingdone"));
}"""
"""JavaScript that sets a page in a typeface that it has loaded, in either host."""


def load(page: Page, typefaces: Sequence[Typeface] = TYPEFACES) -> None:
    """Load typefaces into a page, which keeps its own."""
    style = "".join(typeface.style for typeface in typefaces)
    page.evaluate(_LOAD, [style, [typeface.name for typeface in typefaces]])
