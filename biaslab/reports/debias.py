"""What was done to a debiased subject, in plain words."""

from __future__ import annotations

from biaslab.probes.debias import Debiasing
from biaslab.records.wording import counted


def summary(done: Debiasing) -> str:
    """One sentence on the subspace and one on what was changed."""
    sets = len(done.defining)
    if done.by_group:
        by = f"the means of {len(done.defining[0])} groups ({', '.join(done.defining[0])})"
    else:
        by = f"{sets} defining set{'s' if sets > 1 else ''}, such as {' / '.join(done.defining[0])}"
    explained = done.explained
    share = f"{100 * explained.mean():.0f} %"
    if len(explained) > 1:
        share += f" ({100 * explained.min():.0f} to {100 * explained.max():.0f} over replicates)"
    text = (
        f"{done.parent}, {done.method}-debiased: a bias subspace of {done.components}"
        f" dimension{'s' if done.components > 1 else ''} from {by}, which explains {share} of the"
        " variance within them. "
    )
    if done.method == "hard":
        text += f"{counted(done.n_neutral, 'word')} neutralised, "
        text += f"{len(done.equalized)} sets equalised"
    else:
        text += f"One map with lambda {done.lam:g} leaves {_percent(done.remaining.mean())} of the"
        text += f" squared products of {done.n_neutral:,} neutral words with it"
    lost = len(done.dropped)
    return text + (f"; {lost} left out." if lost else ".")


def _percent(share: float) -> str:
    """A share in percent: two digits after the point below one, else one."""
    percent = 100 * share
    return f"{percent:.1f} %" if percent >= 1 else f"{percent:.2g} %"
