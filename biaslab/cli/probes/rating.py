"""``biaslab probe rate``: test whether a service adds, follows or removes bias."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import TRANSLATION_MODELS, nonempty_names, opening
from biaslab.cli.output import OUTPUTS, PRINTED, put_out, shown_progress

if TYPE_CHECKING:
    from biaslab.probes.rating import RatingDesign, Rules


_MOST_LANGUAGES = 12
"""Up to this number, a translator is rated through all of its languages."""
_CARDS = {".json": "to_json", ".md": "to_markdown", ".html": "to_html"}


@command(
    "rate",
    "whether a service, such as a translator, adds, follows or removes bias",
    Option(
        "service",
        "name of a simulated service, such as faithful or 'simulated translator'; apertium;"
        " deep:ENGINE for an engine of deep-translator, such as deep:google;"
        " models:NAME,NAME for translation models (hf:NAME or folders); chat:MODEL; a TOML file"
        " that describes an HTTP API; or observer:BEHAVIOUR for a simulated service, such as"
        " observer:always-he",
    ),
    Option(
        "--base-url",
        "address of the chat model's server (default: $OPENAI_BASE_URL, or OpenAI);"
        " $OPENAI_API_KEY is sent to the default server only",
        metavar="URL",
    ),
    Option(
        "--through",
        "middle languages of a translator's round trips, such as es,eo",
        "",
        type=nonempty_names,
        metavar="LANGUAGES",
    ),
    Option("--attribute", "gender (default) or 'place of worship'", "gender"),
    *(
        Option(
            f"--{kind}",
            f"{kind} distribution of the attribute's values, such as {example} (repeatable)",
            action="append",
            metavar="SHARES",
        )
        for kind, example in (("unbiased", "50/50"), ("biased", "10/90"))
    ),
    Option("--template", "template of the texts, such as 'works as'"),
    Option("--texts", "texts per block", 20),
    Option("--repetitions", "blocks per distribution", 1),
    Option("--seed", "random seed of the texts", 0),
    Option("--margin", "equivalence margin", 0.1),
    Option("--level", "confidence level of the tests", 0.95),
    Option("--minimum", "smallest number of mentions that is rated", 20),
    Option("--test", "two-sample test of the published rule", "chi-squared"),
    Option("--unit", "what the published rule counts", "mention", choices=("mention", "text")),
    Option(
        "--similar-to",
        "how many unbiased outputs an output must resemble under the published rule",
        "any",
        choices=("any", "all", "vote"),
    ),
    Option(
        "--overall",
        "overall rating: the worst of all languages, or a majority vote",
        "worst",
        choices=("worst", "vote"),
    ),
    Option(
        "--without",
        "also give the overall rating without these languages",
        "",
        type=nonempty_names,
        metavar="LANGUAGES",
    ),
    flag("--no-keep", "do not cache answers in the store"),
    flag("--plan", "print the number of calls and their cost, and call nothing"),
    Option("--card", "write the rating card to a .json, .md or .html file", metavar="FILE"),
    TRANSLATION_MODELS,
    *OUTPUTS,
    examples=(
        "biaslab probe rate 'simulated translator' --through es,eo",
        "biaslab probe rate chat:my-model --base-url http://127.0.0.1:8000/v1 --plan",
    ),
    description="Send a service texts with known shares of each gender (or another attribute),"
    " and rate it by the shares in its answers: unbiased compensating system (UCS),"
    " data-sensitive biased system (DSBS) or biased system (BS).",
)
def rate_service(options: argparse.Namespace) -> None:
    """Rate a service, or only print what that would cost."""
    import biaslab as bl
    from biaslab.errors import QueryError
    from biaslab.probes.rating import open_service

    if options.card and options.card.suffix not in _CARDS:
        raise QueryError(f"--card {options.card}: the name must end in {', '.join(_CARDS)}.")
    service = open_service(
        options.service, options.attribute, base_url=options.base_url, **opening(options)
    )
    design, rules = _design(options, service), _rules(options)
    if options.plan:
        _put_out_plan(options, service, design)
        return
    with shown_progress():
        result = bl.rate(service, design, rules=rules, keep=not options.no_keep)
    put_out(result, options)
    if options.card:
        from biaslab.files.atomic import write_atomically

        made = getattr(result.card(), _CARDS[options.card.suffix])()
        write_atomically(options.card, made)


def _design(options: argparse.Namespace, service: Any) -> RatingDesign:
    from biaslab.errors import QueryError
    from biaslab.probes.rating import RatingDesign
    from biaslab.services import Service, Translator, round_trip_languages

    middles = options.through
    translates = isinstance(service, Translator) and not isinstance(service, Service)
    if translates and not middles:
        middles = list(round_trip_languages(service) or ())
        if len(middles) > _MOST_LANGUAGES:
            raise QueryError(
                f"{service.name} translates through {len(middles)} languages: choose some of "
                f"them, such as --through {','.join(middles[:3])}."
            )
    elif not middles and hasattr(service, "round_trip"):
        middles = list(getattr(service, "languages", ()))
    return RatingDesign.make(
        options.attribute,
        unbiased=_distributions(options.unbiased),
        biased=_distributions(options.biased),
        middles=middles,
        **given(options, "texts", "repetitions", "template", "seed"),
    )


def _rules(options: argparse.Namespace) -> Rules:
    from biaslab.probes.rating import CorrectedRule, PaperRule, Rules

    return Rules(
        PaperRule(options.test, options.level, options.unit, options.similar_to),
        CorrectedRule(margin=options.margin, level=options.level),
        options.minimum,
        options.overall,
        tuple(options.without),
    )


def _put_out_plan(options: argparse.Namespace, service: Any, design: RatingDesign) -> None:
    from biaslab.files.atomic import write_atomically
    from biaslab.probes.rating import plan
    from biaslab.services import language_name

    plans = plan(service, design, keep=not options.no_keep)
    if options.json:
        document = json.dumps([{"language": name, **asdict(one)} for name, one in plans.items()])
        if options.json == PRINTED:
            print(document, file=options.document)
        else:
            write_atomically(options.json, document)
    for language, one in plans.items():
        title = language_name(language) if language else "Direct calls"
        cost = f", {one.cost:,.2f} {one.currency}" if one.currency else ""
        print(
            f"{title}: {one.calls:,} call{'s' * (one.calls != 1)} with {one.characters:,} "
            f"characters, {one.from_store:,} cached answers{cost}"
        )


def _distributions(texts: list[str] | None) -> dict[str, tuple[float, ...]] | None:
    return None if texts is None else {text: _shares(text) for text in texts}


def _shares(text: str) -> tuple[float, ...]:
    from biaslab.errors import QueryError

    try:
        parts = [float(part) for part in text.split("/")]
    except ValueError:
        raise QueryError(f"{text!r} is not a list of shares: write 50/50 or 40/40/20.") from None
    # In percent, unless they already sum to 1.
    return tuple(parts) if abs(sum(parts) - 1) < 1e-6 else tuple(part / 100 for part in parts)
