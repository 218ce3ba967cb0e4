"""Occupations that can be drawn, by stereotypes, on purpose: their clothes and tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from biaslab.portraits import clothes, tools
from biaslab.portraits.clothes import BASE
from biaslab.portraits.head import CENTRE, Frame
from biaslab.portraits.shapes import (
    Colour,
    Layer,
    darker,
    ellipse,
    lighter,
    mirrored,
    ramp,
    rectangle,
    rgb,
    smooth,
    stroke,
)

WHITE = rgb("F7F7F4")


@dataclass(frozen=True)
class Outfit:
    """Layers that an occupation adds to a person, from back to front.

    - `garment`, `front`: clothes, under the head; a tool, in front of everything.
    - `behind`, `hat`: objects in the background; garments over the hair.
    - `bareheaded`: whether the crown of the hair shows; else it is flattened, and a bun hidden.
    """

    garment: list[Layer]
    front: list[Layer]
    behind: tuple[Layer, ...] = ()
    hat: tuple[Layer, ...] = ()
    bareheaded: bool = True


def plain(f: Frame, c: Colour) -> Outfit:
    """Draw a pullover."""
    return Outfit([*clothes.torso(f, c), *_neckband(f, c)], [])


def _neckband(f: Frame, c: Colour) -> list[Layer]:
    n = f.neck + 0.035
    band = stroke([(CENTRE - n, BASE - 0.020), (CENTRE - 0.55 * n, BASE + 0.006),
                   (CENTRE, BASE + 0.020), (CENTRE + 0.55 * n, BASE + 0.006),
                   (CENTRE + n, BASE - 0.020)], 0.018)  # fmt: skip
    return [Layer(band, darker(c, 0.18))]


def nurse(f: Frame, c: Colour) -> Outfit:
    """Draw scrubs and a stethoscope."""
    trim = lighter(c, 0.25)
    worn = [*clothes.torso(f, c), *clothes.v_neck(f, trim),
            *clothes.pocket(CENTRE - 0.150, 0.900, c)]  # fmt: skip
    return Outfit(worn, tools.stethoscope(f))


def doctor(f: Frame, c: Colour) -> Outfit:
    """Draw a white coat, a stethoscope and a clipboard."""
    worn = [*clothes.jacket(f, WHITE, c), *clothes.pocket(CENTRE - 0.165, 0.905, WHITE)]
    pen = stroke([(CENTRE - 0.165, 0.885), (CENTRE - 0.165, 0.925)], 0.010)
    return Outfit([*worn, Layer(pen, rgb("2F6DB5"))], [*tools.stethoscope(f), *tools.clipboard(f)])


def scientist(f: Frame, c: Colour) -> Outfit:
    """Draw a white coat and a flask."""
    worn = [*clothes.jacket(f, WHITE, c), *clothes.pocket(CENTRE - 0.165, 0.905, WHITE)]
    return Outfit(worn, tools.flask(f))


def executive(f: Frame, c: Colour) -> Outfit:
    """Draw a dark suit and a phone."""
    square = smooth([(CENTRE - 0.190, 0.892), (CENTRE - 0.172, 0.868), (CENTRE - 0.156, 0.884),
                     (CENTRE - 0.142, 0.870), (CENTRE - 0.130, 0.892)])  # fmt: skip
    seam = stroke([(CENTRE - 0.196, 0.893), (CENTRE - 0.124, 0.893)], 0.006)
    worn = [*clothes.jacket(f, c, WHITE), Layer(square, rgb("E9E2D2")),
            Layer(seam, darker(c, 0.35))]  # fmt: skip
    return Outfit(worn, tools.phone(f))


def electrician(f: Frame, c: Colour) -> Outfit:
    """Draw a blue work shirt and a voltage meter."""
    worn = [*clothes.torso(f, c), *clothes.collar(f, c), *clothes.buttons(c, 0.875)]
    worn += clothes.pocket(CENTRE - 0.150, 0.895, c)
    worn += [clothes.stripe(f, 0.970, 0.036, rgb("F2D33C")),
             clothes.stripe(f, 0.970, 0.013, rgb("E4E8E8"))]  # fmt: skip
    return Outfit(worn, tools.multimeter(f))


def teacher(f: Frame, c: Colour) -> Outfit:
    """Draw a cardigan, a pointer and a blackboard."""
    worn = [*clothes.torso(f, c), *clothes.v_neck(f, lighter(c, 0.2), 0.10),
            *clothes.collar(f, rgb("F4F1E8")), *clothes.buttons(c, 0.890)]  # fmt: skip
    return Outfit(worn, tools.pointer(f), behind=tuple(tools.blackboard()))


def chef(f: Frame, c: Colour) -> Outfit:
    """Draw a double-breasted jacket, a tall hat and a ladle."""
    n = f.neck + 0.036
    stand = stroke([(CENTRE - n, BASE - 0.030), (CENTRE, BASE + 0.014), (CENTRE + n, BASE - 0.030)],
                   0.046)  # fmt: skip
    flap = stroke([(CENTRE + 0.045, BASE + 0.025), (CENTRE + 0.095, 1.04)], 0.005)
    dots = [
        ellipse(CENTRE + s * 0.058, 0.835 + 0.070 * k, 0.011) for s in (-1, 1) for k in range(3)
    ]
    worn = [*clothes.torso(f, WHITE), Layer(stand, c), Layer(flap, rgb("C8CCCE")),
            *(Layer(d, rgb("4A4F57")) for d in dots)]  # fmt: skip
    return Outfit(worn, tools.ladle(f), hat=tuple(clothes.toque(f)), bareheaded=False)


def firefighter(f: Frame, c: Colour) -> Outfit:
    """Draw a fire coat, a helmet and a hose."""
    worn = [*clothes.torso(f, c, 0.050), *clothes.collar(f, darker(c, 0.15), 0.03)]
    line = stroke([(CENTRE, BASE + 0.05), (CENTRE, 1.04)], 0.014)
    worn.append(Layer(line, rgb("3A3F46")))
    worn += [clothes.stripe(f, 0.940, 0.048, rgb("E9D23C")),
             clothes.stripe(f, 0.940, 0.018, rgb("E4E8E8"))]  # fmt: skip
    return Outfit(
        worn, tools.hose(f), hat=tuple(clothes.helmet(f, rgb("C2352B"))), bareheaded=False
    )


def farmer(f: Frame, c: Colour) -> Outfit:
    """Draw dungarees, a straw hat and a pitchfork."""
    shirt = rgb("B4473C")
    worn = [*clothes.torso(f, shirt), *_checks(f, shirt), *clothes.collar(f, shirt),
            *clothes.bib(f, c)]  # fmt: skip
    return Outfit(worn, tools.pitchfork(f), hat=tuple(clothes.straw_hat(f)), bareheaded=False)


def _checks(f: Frame, c: Colour) -> list[Layer]:
    s, pale = f.shoulder, lighter(c, 0.45)
    bars = [
        rectangle(CENTRE - 0.72 * s, y, CENTRE + 0.72 * s, y + 0.008) for y in (0.83, 0.89, 0.95)
    ]
    posts = [stroke([(CENTRE + k * s, 0.80), (CENTRE + k * s, 1.03)], 0.008) for k in (0.38, 0.58)]
    out = [Layer(bar, pale, 0.30) for bar in bars]
    for post in posts:
        out += [Layer(post, pale, 0.30), Layer(mirrored(post), pale, 0.30)]
    return out


def carpenter(f: Frame, c: Colour) -> Outfit:
    """Draw dungarees, a pencil and a hammer."""
    shirt = rgb("D9CDB6")
    worn = [*clothes.torso(f, shirt), *clothes.collar(f, shirt), *clothes.bib(f, c, 0.850)]
    return Outfit(worn, tools.hammer(f), hat=tuple(tools.pencil(f)))


def librarian(f: Frame, c: Colour) -> Outfit:
    """Draw a knitted jacket and books."""
    n = f.neck + 0.024
    worn = [*clothes.torso(f, c), *clothes.v_neck(f, darker(c, 0.15), 0.16, 0.024),
            *clothes.shirt_front(f, rgb("F4F1E8"), 0.10), *clothes.buttons(c, 0.915)]  # fmt: skip
    chain = stroke(
        [(CENTRE - n, BASE - 0.01), (CENTRE, BASE + 0.115), (CENTRE + n, BASE - 0.01)], 0.004
    )
    return Outfit([*worn, Layer(chain, rgb("B98F3E"))], tools.books(f))


def pilot(f: Frame, c: Colour) -> Outfit:
    """Draw a uniform and a cap."""
    tie = smooth(
        [
            (CENTRE - 0.018, BASE + 0.050),
            (CENTRE + 0.018, BASE + 0.050),
            (CENTRE + 0.026, BASE + 0.19),
            (CENTRE, BASE + 0.225),
            (CENTRE - 0.026, BASE + 0.19),
        ]
    )
    bars = [stroke([(CENTRE + 0.70 * f.shoulder + 0.02 * k, BASE + 0.052 + 0.008 * k),
                    (CENTRE + 0.66 * f.shoulder + 0.02 * k, BASE + 0.098 + 0.008 * k)], 0.010)
            for k in range(3)]  # fmt: skip
    gold = rgb("E3B94F")
    wings = stroke(
        [(CENTRE - 0.205, 0.896), (CENTRE - 0.165, 0.904), (CENTRE - 0.125, 0.896)], 0.016
    )
    worn = [*clothes.jacket(f, c, WHITE), Layer(tie, rgb("20242E"))]
    for bar in bars:
        worn += [Layer(bar, gold), Layer(mirrored(bar), gold)]
    worn += [Layer(wings, gold), Layer(ellipse(CENTRE - 0.165, 0.903, 0.012), gold)]
    return Outfit(worn, [], hat=tuple(clothes.peaked_cap(f, c)), bareheaded=False)


def judge(f: Frame, c: Colour) -> Outfit:
    """Draw a robe with bands, and a gavel."""
    n = f.neck + 0.036
    fold = [stroke([(CENTRE + d, 0.84), (CENTRE + 1.2 * d, 1.04)], 0.007) for d in (0.10, 0.19)]
    band = stroke(
        [(CENTRE - n, BASE - 0.026), (CENTRE, BASE + 0.022), (CENTRE + n, BASE - 0.026)], 0.040
    )
    tabs = [smooth([(CENTRE + s * 0.004, BASE + 0.022), (CENTRE + s * 0.040, BASE + 0.022),
                    (CENTRE + s * 0.058, BASE + 0.130), (CENTRE + s * 0.012, BASE + 0.130)])
            for s in (-1, 1)]  # fmt: skip
    worn = clothes.torso(f, c)
    for line in fold:
        worn += [Layer(line, lighter(c, 0.22), 0.8), Layer(mirrored(line), lighter(c, 0.22), 0.8)]
    worn += [Layer(band, WHITE), *(Layer(tab, WHITE) for tab in tabs)]
    return Outfit(worn, tools.gavel(f))


def photographer(f: Frame, c: Colour) -> Outfit:
    """Draw a camera on a strap."""
    return Outfit([*clothes.torso(f, c), *_neckband(f, c)], tools.camera(f))


def mechanic(f: Frame, c: Colour) -> Outfit:
    """Draw overalls and a wrench."""
    worn = [*clothes.torso(f, c), *clothes.collar(f, c),
            *clothes.buttons(c, 0.90, 2)]  # fmt: skip
    patch = ellipse(CENTRE - 0.150, 0.880, 0.044, 0.022)
    smear = smooth(
        [
            (CENTRE + 0.10, 0.875),
            (CENTRE + 0.150, 0.862),
            (CENTRE + 0.170, 0.885),
            (CENTRE + 0.120, 0.900),
        ]
    )
    return Outfit(
        [
            *worn,
            Layer(patch, WHITE),
            Layer(stroke([(CENTRE - 0.172, 0.880), (CENTRE - 0.128, 0.880)], 0.007), rgb("C0392B")),
            Layer(smear, rgb("23262B"), 0.35),
        ],
        tools.wrench(f),
    )


def programmer(f: Frame, c: Colour) -> Outfit:
    """Draw a hooded pullover and a laptop."""
    n = f.neck + 0.045
    hood = smooth(
        [
            (CENTRE - n - 0.06, BASE + 0.010),
            (CENTRE - n, BASE - 0.045),
            (CENTRE - 0.02, BASE + 0.040),
            (CENTRE, BASE + 0.075),
            (CENTRE - 0.06, BASE + 0.070),
        ]
    )
    cord = stroke([(CENTRE + 0.035, BASE + 0.040), (CENTRE + 0.040, BASE + 0.110)], 0.008)
    dark = darker(c, 0.15)
    worn = [*clothes.torso(f, c), Layer(hood, dark), Layer(mirrored(hood), dark),
            Layer(cord, WHITE), Layer(mirrored(cord), WHITE)]  # fmt: skip
    return Outfit(worn, tools.laptop())


def secretary(f: Frame, c: Colour) -> Outfit:
    """Draw a blouse and a headset."""
    worn = [*clothes.torso(f, c), *clothes.collar(f, c), *clothes.buttons(c, 0.880)]
    return Outfit(worn, tools.headset(f))


def hairdresser(f: Frame, c: Colour) -> Outfit:
    """Draw an apron, scissors and a comb."""
    shirt = rgb("32353D")
    return Outfit([*clothes.torso(f, shirt), *_neckband(f, shirt), *clothes.bib(f, c, 0.855)],
                  tools.scissors(f))  # fmt: skip


def baker(f: Frame, c: Colour) -> Outfit:
    """Draw an apron, a cap and a loaf."""
    worn = [
        *clothes.torso(f, rgb("F2EEE6")),
        *clothes.collar(f, rgb("F2EEE6"), 0.04),
        *clothes.bib(f, c, 0.870),
    ]
    return Outfit(worn, tools.loaf(f), hat=tuple(clothes.flat_hat(f, WHITE)), bareheaded=False)


def painter(f: Frame, c: Colour) -> Outfit:
    """Draw a smock with spots of paint, and a palette."""
    spots = [
        ("D64545", -0.12, 0.90),
        ("3D74B5", -0.02, 0.945),
        ("E8B93A", -0.17, 0.955),
        ("4C8C5B", 0.06, 0.875),
    ]
    worn = [*clothes.torso(f, c), *_neckband(f, c)]
    worn += [Layer(ellipse(CENTRE + x, y, 0.013, 0.011), rgb(code)) for code, x, y in spots]
    return Outfit(worn, tools.palette(f))


@dataclass(frozen=True)
class Occupation:
    """An occupation that can be drawn.

    Attributes
    ----------
    clothes, tool : str
        Visible things, for `describe`.
    colours : str
        Colours between which the main garment varies.
    outfit : callable
        Layers from the frame and the garment's colour.
    """

    clothes: str
    tool: str
    colours: str
    outfit: Callable[[Frame, Colour], Outfit]


PLAIN = "person"
"""Everyday clothes, no tool."""

OCCUPATIONS: dict[str, Occupation] = {
    PLAIN: Occupation("pullover", "", "6F8FA8 A86F6F 7FA07A B79A62 7B6F9A", plain),
    "nurse": Occupation("scrubs", "stethoscope", "5E9C95 5B8FA8 6F86B5", nurse),
    "scientist": Occupation("white coat", "flask", "5C7FA3 8C6A9E 6E8B62", scientist),
    "executive": Occupation("dark suit", "phone", "2E3A50 3D3F46 4A3B45", executive),
    "electrician": Occupation(
        "blue work shirt", "voltage meter", "3F67A0 33598C 4A6FB0", electrician
    ),
    "doctor": Occupation("white coat", "stethoscope and clipboard", "79A7BD 8FB5A0 B9C3D0", doctor),
    "teacher": Occupation("cardigan", "pointer at a blackboard", "8C5A62 5C7D8A A07B45", teacher),
    "chef": Occupation("white jacket and tall hat", "ladle", "EDEDEA DCE3E6 F0E6DA", chef),
    "firefighter": Occupation("fire coat and helmet", "hose", "4A4E55 6A5A3C 3B4350", firefighter),
    "farmer": Occupation("dungarees and straw hat", "pitchfork", "4C6E99 3D5C85 5A7C8F", farmer),
    "carpenter": Occupation("canvas dungarees", "hammer", "A4793F 8A6A44 6B6247", carpenter),
    "librarian": Occupation("knitted jacket", "books", "7A8457 8D5B4C 5F6F94", librarian),
    "pilot": Occupation("uniform and cap", "wings", "27375A 2B3145 1F2E4C", pilot),
    "judge": Occupation("robe", "gavel", "25262C 2B2330 30252B", judge),
    "photographer": Occupation("dark pullover", "camera", "5D6470 6A5A52 4E6660", photographer),
    "mechanic": Occupation("overalls", "wrench", "56697A 6B6F5A 7A5A4C", mechanic),
    "programmer": Occupation("hooded pullover", "laptop", "6B7FA8 8593A0 7F6B93", programmer),
    "secretary": Occupation("blouse", "headset", "D9B7B0 B7C7DC D8CFAF", secretary),
    "hairdresser": Occupation("apron", "scissors and comb", "A3547A 6B5B95 4F8A8B", hairdresser),
    "baker": Occupation("apron and cap", "loaf of bread", "C9A26B B58A72 8FA0A8", baker),
    "painter": Occupation("smock", "palette and brush", "8FA3B8 B8A08F 9DB09A", painter),
}
"""Occupations that can be drawn, by name; ``"person"`` is none."""


def outfit(occupation: str, shade: float, f: Frame) -> Outfit:
    """Return the layers of an occupation's clothes and tool.

    - `occupation`: one of `OCCUPATIONS`.
    - `shade`: position of the garment's colour between its colours, in [0, 1].
    - `f`: the person wearing it.
    """
    kind = OCCUPATIONS[occupation]
    return kind.outfit(f, ramp(kind.colours, shade))
