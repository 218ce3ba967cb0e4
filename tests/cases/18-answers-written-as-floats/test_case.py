from __future__ import annotations

from pathlib import Path

from biaslab.probes.psychometrics import Trials


def test_a_table_and_its_file_are_the_same(home: Path) -> None:
    import pandas as pd

    rows = [("nurse", "woman", "man", alpha, answer) for alpha in (0.0, 1.0) for answer in (0, 1)]
    frame = pd.DataFrame(rows, columns=["item", "cue_1", "cue_2", "alpha", "answer"])
    frame["answer"] = frame["answer"].astype(float)
    frame.loc[3, "answer"] = None
    frame.to_csv("trials.csv", index=False)
    pd.testing.assert_frame_equal(
        Trials.read_csv("trials.csv").to_frame(), Trials.from_frame(frame).to_frame()
    )
