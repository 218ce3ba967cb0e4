"""The shortest script of each bench, and the README's Python: they end right after their result."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"

BENCHES = {
    "psychometric": """
        from biaslab_widgets import PsychometricBench
        PsychometricBench("wiki-bootstraps", word="nurse").result
        """,
    "occupations": """
        from biaslab_widgets import OccupationsBench
        OccupationsBench("wiki-bootstraps").result
        """,
    "association": """
        from biaslab_widgets import AssociationBench
        AssociationBench("wiki-bootstraps").result
        """,
    "posterior": """
        import biaslab as bl
        from biaslab_widgets import PosteriorBench
        PosteriorBench(bl.observers.classifier(dim=2), chains=4, draws=50).run().result()
        """,
    "posterior, which goes on": """
        import threading
        import biaslab as bl
        from biaslab_widgets import PosteriorBench
        begun = threading.Event()
        job = PosteriorBench(bl.observers.classifier(dim=2), draws=20_000).run()
        job.on_progress(lambda progress: begun.set())
        assert begun.wait(60)
        """,
    "sentences": """
        from biaslab_widgets import SentenceBench
        bench = SentenceBench("wiki-mlm")
        bench.pairs = bench.pairs.pairs[:2]
        bench.test().result()
        """,
    "images": """
        from biaslab.images.drawn import drawn_images
        from biaslab_widgets import ImageBench
        pictures = drawn_images(["female nurse", "male nurse"], per_term=1)
        ImageBench("portrait-clip", images=pictures).test().result()
        """,
    "rating": """
        import biaslab as bl
        from biaslab_widgets import RatingBench
        RatingBench(bl.observers.service("always-he")).run().result()
        """,
    "decisions": """
        import biaslab as bl
        from biaslab_widgets import DecisionBench
        DecisionBench(bl.observers.decider(gap=2.0), method="fixed").run().result()
        """,
    "word lists": """
        from biaslab_widgets import WordListEditor
        WordListEditor("wiki-bootstraps", spec="weat-6").spec()
        """,
}
"""What a person would write to see a result of each bench at once."""


def readme() -> str:
    """The Python of the README as one script; expects the files that it names to be there."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return "\n".join(blocks)
