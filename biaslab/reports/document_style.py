"""Style of a report, on a screen and on A4 or Letter paper."""

from __future__ import annotations

from typing import Final

from biaslab.reports.palette import GROUP_1_TEXT, GROUP_2_TEXT, INK, INK_2, INK_3, LINE, SURFACE

STYLE: Final = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; max-width: 60rem; padding: 2.5rem 2rem; color: {INK};
  background: {SURFACE}; font: 13px/1.5 Inter, system-ui, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; }}
header {{ display: flex; align-items: center; gap: .6rem; padding-bottom: .8rem;
  border-bottom: 1px solid {INK}; }}
.name {{ font-weight: 600; }}
.when {{ margin-left: auto; color: {INK_2}; }}
h1 {{ font-size: 22px; line-height: 30px; margin: 1.5rem 0 1.2rem; text-wrap: balance; }}
h2 {{ font-size: 16px; line-height: 24px; margin: 2.2rem 0 .9rem; padding-top: .9rem;
  border-top: 1px solid {INK}; overflow-wrap: anywhere; break-after: avoid; }}
h3 {{ font-size: 12px; line-height: 18px; margin: 0; }}
.letter {{ display: inline-block; min-width: 1.5em; padding: 0 .3em; margin-right: .3em;
  border: 1px solid {INK}; border-radius: 4px; font-size: 13px; text-align: center; }}
.quiet {{ color: {INK_3}; font-size: 12px; font-weight: 400; }}
.label .quiet {{ display: block; line-height: 17px; }}
section {{ display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: .4rem 1rem;
  padding: .9rem 0; border-top: 1px solid {LINE}; }}
h1 + section, h2 + section {{ border-top: 0; padding-top: 0; }}
section.wide {{ display: block; }}
section.wide .label {{ margin-bottom: .5rem; break-after: avoid; }}
section.wide .label h3, section.wide .label .quiet {{ display: inline; margin-right: .6rem; }}
p {{ margin: 0 0 .5rem; }}
.finding {{ font-size: 17px; line-height: 25px; }}
.strong {{ font-weight: 600; }}
.g1, .g2 {{ font-weight: 600; }} .g1 {{ color: {GROUP_1_TEXT}; }} .g2 {{ color: {GROUP_2_TEXT}; }}
figure {{ margin: 0; overflow-x: auto; }}
figure svg {{ display: block; max-width: 100%; height: auto; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: 12px; line-height: 17px; }}
th, td {{ padding: .3rem .5rem; border-bottom: 1px solid {LINE}; text-align: left;
  vertical-align: baseline; }}
th {{ color: {INK_3}; font-weight: 400; border-bottom-color: {INK_3}; vertical-align: bottom; }}
.number {{ text-align: right; }}
th:first-child, td:first-child {{ padding-left: 0; }}
th:last-child, td:last-child {{ padding-right: 0; }}
dl {{ margin: 0; font-size: 12px; line-height: 17px; }}
dt {{ color: {INK_3}; }} dd {{ margin: 0; overflow-wrap: anywhere; }}
.grid {{ columns: 2; column-gap: 2rem; }}
.grid div, .one {{ display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .1rem .8rem; }}
.grid div {{ break-inside: avoid; padding: .15rem 0; }}
.one {{ row-gap: .3rem; }}
pre {{ margin: .7rem 0 0; font-size: 11px; line-height: 16px; white-space: pre-wrap;
  overflow-wrap: anywhere; }}
footer {{ margin-top: 1.5rem; padding-top: .7rem; border-top: 1px solid {LINE}; color: {INK_3};
  font-size: 11px; }}
@media screen and (min-width: 50rem) {{
  section .label {{ position: sticky; top: 1rem; align-self: start; }}
  section.wide .label {{ position: static; }}
}}
@media screen and (max-width: 40rem) {{
  body {{ padding: 1.2rem 1rem; }} section {{ display: block; }} .grid {{ columns: 1; }}
  figure svg {{ min-width: 36rem; }}
}}
@page {{ margin: 16mm 17mm 18mm; }}
@media print {{
  body {{ max-width: none; padding: 0; font-size: 9.5pt; }}
  h1 {{ font-size: 16pt; line-height: 21pt; }}
  .finding {{ font-size: 12pt; line-height: 17pt; }}
  section:not(.wide) {{ display: block; position: relative; padding-left: 33mm; min-height: 11mm; }}
  section:not(.wide) .label {{ position: absolute; left: 0; width: 30mm; }}
  table {{ font-size: 8pt; line-height: 11pt; }}
  .scroll, figure {{ overflow: visible; }}
  th, td {{ overflow-wrap: break-word; padding: .2rem .3rem; }}
  thead {{ display: table-header-group; }}
  tr, figure, figure svg, p, pre, dl.one dd {{ break-inside: avoid; }}
  figure svg {{ max-height: 215mm; margin: 0; }}
  footer {{ break-inside: avoid; }}
}}
"""
