"""Attributes of portraits in words, for tables and charts."""

from __future__ import annotations

from typing import Final

from biaslab.probes.posterior.portraits.space import COLUMNS, DEPTH, SHADE, TINT

_MORE: Final = {
    "skin": "dark skin", "skin_warmth": "warm skin", "face_width": "wide face",
    "face_length": "long face", "jaw": "square jaw", "chin": "long chin", "cheeks": "full cheeks",
    "ears": "large ears", "neck": "thick neck", "shoulders": "wide shoulders",
    "brow_thickness": "thick brows", "brow_height": "high brows", "brow_arch": "arched brows",
    "eye_size": "large eyes", "eye_spacing": "wide-set eyes", "eye_tilt": "upturned eyes",
    "iris": "light eyes", "lashes": "long lashes", "nose_length": "long nose",
    "nose_width": "wide nose", "lips": "full lips", "mouth_width": "wide mouth",
    "lip_colour": "red lips", "hair_length": "long hair", "hair_volume": "full hair",
    "curl": "curly hair", "hairline": "receding hair", "hair_darkness": "dark hair",
    "hair_red": "red hair", "grey": "greying hair", SHADE: "colour of the clothes",
    TINT: "background’s tint", DEPTH: "background’s depth",
}  # fmt: skip
LABELS: Final = {name: _MORE.get(name, name) for name in COLUMNS}
"""What more of an attribute looks like."""
