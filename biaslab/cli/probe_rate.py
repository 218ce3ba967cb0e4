"""``biaslab probe rate``: whether a service adds bias, follows it, or removes it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.cli.progress_line import finish_line, shown_progress

if TYPE_CHECKING:
    from biaslab.probes.rating import RatingDesign, Rules

_MOST_LANGUAGES = 12
"""A translator goes through all of its languages unless there are more."""
_CARDS = {".json": "to_json", ".md": "to_markdown", ".html": "to_html"}


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "rate", help="whether a service adds bias, follows it, or removes it"
    )
    parser.add_argument(
        "service",
        help="apertium, deep:ENGINE of deep-translator, such as deep:google, models:WHERE of "
        "translation models, comma-separated: hf:NAME or folders, chat:MODEL, a TOML file that "
        "describes an HTTP API, or observer:BEHAVIOUR, a simulated service such as "
        "observer:always-he",
    )
    parser.add_argument(
        "--base-url",
        help="of a chat model, by default $OPENAI_BASE_URL or else OpenAI's; $OPENAI_API_KEY goes "
        "to that server only",
    )
    parser.add_argument(
        "--through", default="", metavar="LANGUAGES", help="middle languages of a translator: es,eo"
    )
    parser.add_argument("--attribute", default="gender", help="gender, or 'place of worship'")
    for kind, example in (("unbiased", "50/50"), ("biased", "10/90")):
        parser.add_argument(
            f"--{kind}", action="append", metavar="SHARES",
            help=f"a distribution such as {example}, in the order of the values; may come again",
        )  # fmt: skip
    parser.add_argument("--template", help="how the texts are written, such as 'works as'")
    parser.add_argument("--texts", type=int, default=20, help="of a block")
    parser.add_argument("--repetitions", type=int, default=1, help="blocks of each distribution")
    parser.add_argument("--seed", type=int, default=1, help="of the texts")
    parser.add_argument("--margin", type=float, default=0.1, help="of equivalence")
    parser.add_argument("--level", type=float, default=0.95, help="of the tests")
    parser.add_argument("--minimum", type=int, default=20, help="fewest mentions of a rating")
    parser.add_argument("--test", default="chi-squared", help="of the paper's rule")
    parser.add_argument("--unit", choices=("mention", "text"), default="mention")
    parser.add_argument("--similar-to", choices=("any", "all", "vote"), default="any")
    parser.add_argument("--overall", choices=("worst", "vote"), default="worst")
    parser.add_argument(
        "--without", default="", metavar="LANGUAGES", help="and once more without these languages"
    )
    parser.add_argument("--no-keep", action="store_true", help="keep no answers in the store")
    parser.add_argument("--plan", action="store_true", help="say what it costs, and ask nothing")
    parser.add_argument("--card", type=Path, help="write the rating card: .json, .md or .html")
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.errors import QueryError

    if options.card and options.card.suffix not in _CARDS:
        raise QueryError(f"--card {options.card}: end it with {', '.join(_CARDS)}.")
    service = _service(options)
    design, rules = _design(options, service), _rules(options)
    if options.plan:
        return _plan(options, service, design)
    result = bl.rate(
        service, design, rules=rules, keep=not options.no_keep, context=shown_progress()
    )
    finish_line()
    put_out(result, options)
    if options.card:
        from biaslab.atomic import write_atomically

        made = getattr(result.card(), _CARDS[options.card.suffix])()
        write_atomically(options.card, made)
    return 0


def _service(options: argparse.Namespace) -> Any:
    import biaslab as bl
    from biaslab import services
    from biaslab.errors import QueryError

    kind, _, rest = options.service.partition(":")
    if options.service == "apertium":
        return services.apertium()
    if kind == "observer" and rest:
        return bl.observers.service(rest, attribute=options.attribute)
    if kind == "deep" and rest:
        return services.DeepTranslator(rest)
    if kind == "models" and rest:
        return services.ModelTranslator(*_names(rest))
    if kind == "chat" and rest:
        return services.ChatTranslator(rest, base_url=options.base_url)
    if Path(options.service).suffix == ".toml":
        return services.http_service(Path(options.service))
    raise QueryError(
        f"{options.service!r} is no service: give apertium, deep:ENGINE, models:WHERE, chat:MODEL, "
        "observer:BEHAVIOUR, or a TOML file that describes an HTTP API."
    )


def _design(options: argparse.Namespace, service: Any) -> RatingDesign:
    from biaslab.errors import QueryError
    from biaslab.probes.rating import RatingDesign
    from biaslab.services import Service, Translator, round_trip_languages

    middles = _names(options.through)
    translates = isinstance(service, Translator) and not isinstance(service, Service)
    if translates and not middles:
        middles = list(round_trip_languages(service) or ())
        if len(middles) > _MOST_LANGUAGES:
            raise QueryError(
                f"{service.name} goes through {len(middles)} languages: choose some of them, such "
                f"as --through {','.join(middles[:3])}."
            )
    return RatingDesign.make(
        options.attribute,
        unbiased=_distributions(options.unbiased),
        biased=_distributions(options.biased),
        texts=options.texts,
        repetitions=options.repetitions,
        middles=middles,
        template=options.template,
        seed=options.seed,
    )


def _rules(options: argparse.Namespace) -> Rules:
    from biaslab.probes.rating import CorrectedRule, PaperRule, Rules

    return Rules(
        PaperRule(options.test, options.level, options.unit, options.similar_to),
        CorrectedRule(margin=options.margin, level=options.level),
        options.minimum,
        options.overall,
        tuple(_names(options.without)),
    )


def _plan(options: argparse.Namespace, service: Any, design: RatingDesign) -> int:
    from biaslab.probes.rating import plan
    from biaslab.services import language_name

    for language, one in plan(service, design, keep=not options.no_keep).items():
        title = language_name(language) if language else "directly"
        cost = f", {one.cost:,.2f} {one.currency}" if one.currency else ""
        print(
            f"{title}: {one.calls:,} call{'s' * (one.calls != 1)} with {one.characters:,} "
            f"characters, {one.from_store:,} answers from the store{cost}"
        )
    return 0


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _distributions(texts: list[str] | None) -> dict[str, tuple[float, ...]] | None:
    return None if texts is None else {text: _shares(text) for text in texts}


def _shares(text: str) -> tuple[float, ...]:
    from biaslab.errors import QueryError

    try:
        parts = [float(part) for part in text.split("/")]
    except ValueError:
        raise QueryError(f"{text!r} are no shares: write them as 50/50 or 40/40/20.") from None
    # In per cent, unless they sum to one already.
    return tuple(parts) if abs(sum(parts) - 1) < 1e-6 else tuple(part / 100 for part in parts)
