"""All tables of the packages are written by `biaslab.files.csv_text`: formulas are harmless."""

from __future__ import annotations

import ast
from pathlib import Path

import biaslab
import biaslab_train
import biaslab_widgets

READS = ("biaslab", "widgets", "train")


def test_every_csv_is_written_here() -> None:
    writers = {"to_csv", "DictWriter", "writer"}
    found = []
    for package in (biaslab, biaslab_widgets, biaslab_train):
        for path in Path(str(package.__file__)).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                    continue
                of = ast.unparse(node.func.value)
                frame = node.func.attr == "to_csv" and any(k.arg == "index" for k in node.keywords)
                plain = node.func.attr in writers - {"to_csv"} and of == "csv"
                if (frame or plain) and path.name != "csv_text.py":
                    found.append(f"{path.name}:{node.lineno}")
    assert found == []
