"""The command line: ``biaslab serve``, ``probe``, ``catalog``, ``train`` and ``runs``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from biaslab.errors import BiaslabError

Handler = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors of biaslab are printed without a traceback and end with status 1."""
    parser = argparse.ArgumentParser(prog="biaslab", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_serve, _add_probe, _add_catalog, _add_train, _add_runs):
        add(commands)
    options = parser.parse_args(arguments)
    handler: Handler = options.handler
    try:
        return handler(options)
    except (BiaslabError, ValueError) as error:
        print(f"biaslab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("biaslab: interrupted; what was finished is kept.", file=sys.stderr)
        return 130


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("serve", help="serve the benches on this machine")
    parser.add_argument("subjects", nargs="*", help="files, folders or names; default all bundled")
    parser.add_argument("--port", type=int, default=5006)
    parser.add_argument(
        "--address", default="127.0.0.1", help="there is no password: keep it local"
    )
    parser.add_argument("--open", action=argparse.BooleanOptionalAction, default=False)
    parser.set_defaults(handler=_serve)


def _serve(options: argparse.Namespace) -> int:
    # The command is the one door from the engines to the app, so that `biaslab` needs no widgets.
    from importlib import import_module

    try:
        app = import_module("biaslab_widgets.app.serve")
    except ModuleNotFoundError as error:
        if error.name != "panel":
            raise
        raise BiaslabError("The served app needs Panel: pip install 'biaslab[app]'.") from error
    app.serve(
        options.subjects or None,
        port=options.port,
        address=options.address,
        open_browser=options.open,
    )
    return 0


def _add_probe(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("probe", help="run a probe and print what it found")
    probes = parser.add_subparsers(required=True, metavar="PROBE")
    two_afc = probes.add_parser("two-afc", help="PSE and JND of words under cue pairs")
    two_afc.add_argument("subject", help="bundled name, file or folder")
    two_afc.add_argument("words", nargs="+")
    two_afc.add_argument("--cues", default="gender-pairs", help="spec, or cue1,cue2[;cue1,cue2...]")
    two_afc.add_argument("--csv", type=Path, help="write the estimates to a file")
    two_afc.add_argument("--json", type=Path, help="write the whole result to a file")
    two_afc.add_argument("--save", action="store_true", help="save the run in the store")
    two_afc.set_defaults(handler=_two_afc)


def _two_afc(options: argparse.Namespace) -> int:
    import biaslab as bl

    cues = options.cues
    if "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    result = bl.two_afc(bl.load(options.subject), options.words, cues)
    print(result.summary())
    if options.csv:
        result.to_csv(options.csv)
    if options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")
    return 0


def _add_catalog(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("catalog", help="list the specs (named term lists), or show one")
    parser.add_argument("name", nargs="?", help="name or alias of a spec, or a file")
    parser.add_argument("--json", action="store_true", help="print it for other programs")
    parser.set_defaults(handler=_catalog)


def _catalog(options: argparse.Namespace) -> int:
    import biaslab as bl

    if options.name is not None:
        spec = bl.specs.get(options.name)
        print(spec.to_json().rstrip() if options.json else spec.summary())
    elif options.json:
        rows = bl.specs.catalog().to_dict(orient="records")
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        _print_catalog()
    return 0


def _print_catalog() -> None:
    import biaslab as bl

    entries = bl.specs.entries()
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        if not entry.problem and entry.spec:
            own = "" if entry.where == "predefined" else f"  [{entry.where}]"
            print(f"{entry.name:{width}}  {entry.spec.title}{own}")
    for entry in entries:
        if entry.problem:
            print(f"biaslab: not usable: {entry.problem}", file=sys.stderr)


def _add_train(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("train", help="train subjects")
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    boot = kinds.add_parser(
        "bootstraps", help="bootstrapped word embeddings (skip-gram); a killed run continues"
    )
    boot.add_argument("--corpus", type=Path, required=True, help="text file or folder, UTF-8")
    boot.add_argument("--output", type=Path, required=True, help="folder of the ensemble")
    boot.add_argument("--replicates", type=int, default=32)
    boot.add_argument("--epochs", type=int, default=2)
    boot.add_argument("--dimensions", type=int, default=100)
    boot.add_argument("--window", type=int, default=5)
    boot.add_argument("--sample", type=float, default=2e-5)
    boot.add_argument("--min-count", type=int, default=8)
    boot.add_argument("--seed", type=int, default=1)
    boot.add_argument("--words", type=Path, help="file of words to keep whatever their rank")
    boot.add_argument("--frequent", type=int, default=10_000, help="most frequent words to keep")
    boot.add_argument("--keep-count", type=int, default=10, help="least occurrences of a kept word")
    boot.add_argument("--processes", type=int, help="replicates at once; default one per core")
    boot.add_argument("--work", type=Path, help="scratch folder; default inside the output folder")
    boot.set_defaults(handler=_train_bootstraps)


def _train_bootstraps(options: argparse.Namespace) -> int:
    from biaslab.training.bootstraps import Progress, SkipGramSettings, train_bootstraps

    def show(progress: Progress) -> None:
        left = progress.seconds_left
        estimate = f", about {max(1, round(left / 60))} min left" if left else ""
        print(f"\r{progress.done} of {progress.total} replicates{estimate}    ", end="", flush=True)

    settings = SkipGramSettings(
        vector_size=options.dimensions,
        window=options.window,
        epochs=options.epochs,
        sample=options.sample,
        min_count=options.min_count,
    )
    words = options.words.read_text(encoding="utf-8").split() if options.words else []
    folder = train_bootstraps(
        options.corpus,
        options.output,
        replicates=options.replicates,
        settings=settings,
        seed=options.seed,
        words=words,
        frequent=options.frequent,
        keep_count=options.keep_count,
        processes=options.processes,
        work=options.work,
        on_progress=show,
    )
    print(f"\nFinished: bl.load({str(folder)!r}) opens it.")
    return 0


def _add_runs(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("runs", help="list saved runs, or show one")
    parser.add_argument("run", nargs="?", help="id of a run")
    parser.set_defaults(handler=_runs)


def _runs(options: argparse.Namespace) -> int:
    import biaslab as bl

    store = bl.Store()
    print(store.open(options.run).summary() if options.run else store.runs().to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
