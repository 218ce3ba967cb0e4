"""``biaslab runs``: list, show, tag, export, delete and restore saved runs."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Family, Option, command, flag, given
from biaslab.cli.output import JSON, Column, Row, cut, in_shell, print_json, print_table
from biaslab.errors import QueryError
from biaslab.records.wording import counted

if TYPE_CHECKING:
    from biaslab.store import Store

_FILTERS = ("probe", "subject", "bench", "tag")
_RUNS = Option("ids", "ids of runs", nargs="+", metavar="ID")
_RUN = Option("id", "id of the run", metavar="ID")


def _minutes(time: str) -> str:
    return time[:16].replace("T", " ")


_COLUMNS = (
    Column("id"),
    Column("time", 5, _minutes),
    Column("probe", 3),
    Column("subject", 2, cut),
    Column("bench", 6),
    Column("tags", 4, cut),
    Column("label", 1, cut),
    Column("headline", is_wide=True),
)


@command(
    "list",
    "list saved runs, newest first",
    Option(
        "words",
        "words that each occur in a run: its finding, label, tags, subject, probe, bench or word"
        " lists; a single id shows that run",
        nargs="*",
        metavar="WORD",
    ),
    *(Option(f"--{name}", f"only runs of this {name}", metavar="NAME") for name in _FILTERS[:3]),
    Option("--tag", "only runs with this tag", metavar="TAG"),
    flag("--deleted", "list the trash"),
    Option("-n", "only the newest of them", type=int, dest="most", metavar="NUMBER"),
    JSON,
    examples=("biaslab runs", "biaslab runs list nurse --tag thesis -n 5 --json"),
    description="List saved runs, newest first. In a pipe each run is one line with a tab between"
    " the columns id, time, probe, subject, bench, tags, label and headline.",
)
def list_runs(options: argparse.Namespace) -> None:
    """Print a table of runs, or the one run that is named."""
    import biaslab as bl

    if options.most is not None and options.most < 1:
        raise QueryError(f"-n {options.most}: give a number of runs, 1 or more.")
    store = bl.Store()
    filters = given(options, *_FILTERS, "deleted")
    if len(options.words) == 1 and not any(filters.values()) and _is_run(store, options.words[0]):
        _show(store, options.words[0], as_json=options.json)
        return
    frame = store.runs(" ".join(options.words), **filters)
    rows = [_json_row(row) for row in frame.head(options.most or len(frame)).to_dict("records")]
    if options.json:
        print_json(rows)
        return
    if not rows:
        _say_that_none(options)
    print_table(rows, _COLUMNS)


@command(
    "show",
    "show the finding and the details of a run",
    _RUN,
    JSON,
    examples=("biaslab runs show 1qk2c07v4x",),
)
def show_run(options: argparse.Namespace) -> None:
    """Print one run."""
    import biaslab as bl

    _show(bl.Store(), options.id, as_json=options.json)


@command(
    "export",
    "write a run to a file",
    _RUN,
    Option("file", "name that ends in .csv, .parquet, .json, .svg or .html", metavar="FILE"),
    examples=("biaslab runs export 1qk2c07v4x nurse.csv",),
    description="Write a run to a file: its table (.csv, .parquet), the whole result (.json), the"
    " chart (.svg) or a report (.html).",
)
def export_run(options: argparse.Namespace) -> None:
    """Write one run to a file."""
    import biaslab as bl

    bl.Store().export(options.id, options.file)
    print(f"Written to {options.file}.")


@command(
    "tag",
    "add tags to runs, or remove them",
    _RUNS,
    Option("--add", "tag to add (repeatable)", [], action="append", metavar="TAG"),
    Option("--remove", "tag to remove (repeatable)", [], action="append", metavar="TAG"),
    examples=("biaslab runs tag 1qk2c07v4x 1qk2c0a9zz --add thesis --remove pilot",),
)
def tag_runs(options: argparse.Namespace) -> None:
    """Add and remove tags."""
    import biaslab as bl

    if not options.add and not options.remove:
        raise QueryError("Name a tag: --add TAG or --remove TAG.")
    store = bl.Store()
    store.tag(options.ids, *options.add)
    store.untag(options.ids, *options.remove)
    for run_id in options.ids:
        print(f"{run_id}\t{','.join(store.run(run_id).tags)}")


@command(
    "label",
    "give a run another label",
    _RUN,
    Option("label", "the label; '' for none"),
    examples=("biaslab runs label 1qk2c07v4x 'after debiasing'",),
)
def label_run(options: argparse.Namespace) -> None:
    """Change the label of one run."""
    import biaslab as bl

    bl.Store().rename(options.id, options.label)


@command(
    "delete",
    "move runs to the trash",
    _RUNS,
    examples=("biaslab runs delete 1qk2c07v4x 1qk2c0a9zz",),
)
def delete_runs(options: argparse.Namespace) -> None:
    """Move runs to the trash, all or none."""
    import biaslab as bl

    ids = list(dict.fromkeys(options.ids))
    bl.Store().delete(ids)
    print(
        f"{counted(len(ids), 'run')} moved to the trash. To undo this:"
        f" biaslab runs restore {' '.join(ids)}"
    )


@command(
    "restore",
    "bring runs back from the trash",
    _RUNS,
    examples=("biaslab runs restore 1qk2c07v4x",),
)
def restore_runs(options: argparse.Namespace) -> None:
    """Bring runs back, all or none."""
    import biaslab as bl

    ids = list(dict.fromkeys(options.ids))
    bl.Store().restore(ids)
    print(f"{counted(len(ids), 'run')} restored.")


@command(
    "empty-trash",
    "delete the runs in the trash permanently",
    flag("--yes", "delete them; without it, their number is printed"),
    examples=("biaslab runs empty-trash --yes",),
)
def empty_trash(options: argparse.Namespace) -> None:
    """Delete the runs in the trash if that is confirmed."""
    import biaslab as bl

    store = bl.Store()
    if options.yes:
        print(f"{counted(store.empty_trash(), 'run')} deleted permanently.")
    else:
        print(
            f"{counted(len(store.runs(deleted=True)), 'run')} in the trash. To delete permanently:"
            " biaslab runs empty-trash --yes"
        )


RUNS = Family(
    "runs",
    "list, show, tag, export, delete and restore saved runs",
    (list_runs, show_run, export_run, tag_runs, label_run, delete_runs, restore_runs, empty_trash),
    default="list",
)


def _is_run(store: Store, run_id: str) -> bool:
    from biaslab.errors import RunNotFoundError

    try:
        store.run(run_id)
    except RunNotFoundError:
        return False
    return True


def _show(store: Store, run_id: str, *, as_json: bool) -> None:
    result = store.open(run_id)
    run = store.run(run_id)
    names = ("id", "label", "tags", "bench", "probe", "subject", "time", "seconds", "inputs")
    facts = _plain({name: getattr(run, name) for name in names})
    if as_json:
        print_json({**facts, "result": result.to_dict()})
        return
    facts |= {"time": _minutes(run.time), "tags": ", ".join(run.tags)}
    for name in ("label", "tags", "bench", "probe", "subject", "time"):
        if facts[name]:
            print(f"{name + ':':9}{facts[name]}")
    print(f"\n{in_shell(result.summary())}")


def _json_row(row: Row) -> dict[str, Any]:
    import pandas as pd

    time = row["time"]
    is_known = isinstance(time, pd.Timestamp)  # else it is no time
    return _plain({**row, "time": time.isoformat(timespec="seconds") if is_known else ""})


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts of a run as JSON holds them."""
    unknown = isinstance(facts["seconds"], float) and math.isnan(facts["seconds"])
    return {**facts, "tags": list(facts["tags"]), "seconds": None if unknown else facts["seconds"]}


def _say_that_none(options: argparse.Namespace) -> None:
    """Print that there is no run, or raise an error if a search has found none."""
    sought = [*options.words]
    sought += [f"--{name} {value}" for name in _FILTERS if (value := getattr(options, name))]
    where = " in the trash" if options.deleted else ""
    if sought:
        raise QueryError(f"No run{where} matches {' '.join(sought)!r}. `biaslab runs` lists all.")
    say = "The trash is empty." if where else "No saved runs. The option --save of a probe saves."
    print(say, file=sys.stderr)
