"""The look of pages about ratings: a card by itself, and a catalogue of cards."""

from __future__ import annotations

import base64
import hashlib
import html
from typing import Final

from biaslab.reports.palette import INK, INK_2, INK_3, LINE, SURFACE
from biaslab.reports.theme import DARK

_COLOURS: Final = {"ink": INK, "ink-2": INK_2, "ink-3": INK_3, "line": LINE, "surface": SURFACE}
_VARIABLES: Final = "".join(
    f"--{name}:light-dark({colour},{DARK[colour]});" for name, colour in _COLOURS.items()
)
STYLE: Final = f"""
:root{{color-scheme:light dark;{_VARIABLES}--accent:light-dark(#00745a,#2fc49b)}}
*{{box-sizing:border-box}}
body{{margin:0 auto;max-width:60rem;padding:2rem 1.5rem;color:var(--ink);background:var(--surface);
font:14px/1.5 Inter,system-ui,"Liberation Sans",sans-serif;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}}
h1{{font-size:22px;line-height:30px;margin:1rem 0}}
h2{{font-size:16px;line-height:24px;margin:2rem 0 .7rem;padding-top:.8rem;
border-top:1px solid var(--ink)}}
p,ul,ol{{margin:.4rem 0}} ul,ol{{padding-left:1.2rem}}
a{{color:var(--accent)}}
:focus-visible{{outline:2px solid var(--accent);outline-offset:2px}}
.finding{{font-size:17px;line-height:25px;font-weight:600}}
.quiet{{color:var(--ink-3);font-size:12px}}
.scroll{{overflow-x:auto}}
table{{border-collapse:collapse;font-size:13px}}
td,th{{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;
white-space:nowrap;overflow-wrap:normal}}
th{{color:var(--ink-3);font-weight:400}}
form{{display:flex;flex-wrap:wrap;gap:.6rem .8rem;align-items:end}}
label{{display:grid;gap:.15rem;font-size:12px;color:var(--ink-2)}}
input,select{{font:inherit;font-size:14px;min-height:2.25rem;max-width:100%;
padding:.2rem .5rem;color:var(--ink);background:var(--surface);border:1px solid var(--ink-3);
border-radius:6px}}
#outcome{{margin-top:1rem}}
.cards{{list-style:none;padding:0}}
.cards li{{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr) minmax(0,2fr) 6rem;
gap:0 1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}}
[hidden]{{display:none!important}}
@media (max-width:40rem){{
body{{padding:1rem}} .cards li{{grid-template-columns:1fr}}
form label,select,input{{width:100%}} form{{display:grid;grid-template-columns:1fr 1fr}}
#chain{{grid-template-columns:1fr}}
}}
"""


def page(title: str, body: str, script: str = "") -> str:
    """Return a whole HTML page that loads nothing and runs no script but its own.

    - `title`: as text; `body`: as HTML.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}';" if script else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        f"style-src 'unsafe-inline';{allowed}\">"
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>"
        f"<body>{body}{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )
