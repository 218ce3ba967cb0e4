"""Scenarios of the opinion bench: files of each kind, and files that cannot be judged."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Any

from biaslab_widgets.benches.opinion.bench import OpinionController
from biaslab_widgets.benches.opinion.files import answer_sources
from harness import benchmark_files, recorded_files
from harness.driven import Driven
from harness.recording import Scenarios

HTML = "<img src=x onerror=alert(1)>"


class Bench(Driven):
    """The bench over made-up answers."""

    def __init__(self) -> None:
        super().__init__(lambda emit: OpinionController(answer_sources(), emit))

    def settled(self, **inputs: Any) -> dict[str, Any]:
        """The state when a file is judged, or refused."""
        self.answer(**inputs)
        self.controller.wait()
        self.answer()
        return self.state

    def put(self, path: Path, **args: Any) -> dict[str, Any]:
        """Drop a file on the bench."""
        content = base64.b64encode(path.read_bytes()).decode()
        reply = self.reply("upload", name=path.name, content=content, **args)
        assert reply["ok"], reply
        return self.settled()


def record() -> Scenarios:
    """Made-up rankings and invitations, a benchmark, word pairs, and files that are refused."""
    bench = Bench()
    told: Scenarios = {}
    hostile = [
        (g, f"{HTML} {i}", 3 + (g == HTML) + i % 4) for i in range(24) for g in (HTML, "אחות")
    ]
    try:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            words = [("pairs", "young", "old", word) for word in ("joy", "love", "evil", "agony")]
            told["rankings"] = bench.settled()
            told["men and women"] = bench.settled(tab="men and women")
            told["invitations"] = bench.settled(subject="simulated-invitations", tab="")
            told["benchmark"] = bench.put(benchmark_files.bbq(place / "bbq.jsonl"))
            told["words wanted"] = bench.put(recorded_files.paired(place / "pairs.csv"))
            tests = recorded_files.write(place / "words.csv", ["dataset", "A", "B", "C"], words)
            told["word pairs"] = bench.put(tests, what="words")
            told["HTML"] = bench.put(
                recorded_files.write(place / "html.csv", ["group", "item", "score"], hostile)
            )
            told["no answers"] = bench.put(
                recorded_files.write(place / "none.csv", ["colour", "size"], [("red", 1)] * 5)
            )
    finally:
        bench.controller.close()
    return told
