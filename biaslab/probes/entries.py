"""The entries of the house: one per bench, with the kinds of results that its probe returns.

All lists read them: words and charts of results, comparisons, runs by bench, the command line, the
glossary, the first runs of the home page, the navigation. They stand in the order of the
navigation, and in one chapter, so that reading them imports no probe.
"""

from __future__ import annotations

from typing import Final

from biaslab.records.kinds import Entry, Kind

ENTRIES: Final = (
    Entry(
        name="psychometric",
        notebook_name="PsychometricBench",
        question="At which blend of female and male does the model switch its answer?",
        probe="bl.two_afc",
        need="biaslab.subjects.opening.needs:VECTORS_OR_LANGUAGE_MODEL",
        terms=(
            *("blend", "cue", "switch point", "PSE", "JND", "guess and lapse rate", "replicate"),
            *("frame", "corpus interval", "Monte Carlo interval", "no clear lean"),
        ),
        first_run='bl.two_afc("wiki-bootstraps", ["nurse"], [("woman", "man")])',
        first_settings="word=nurse",
        commands=(
            "biaslab.cli.probes.psychometrics:run_two_afc",
            "biaslab.cli.probes.psychometrics:trace_word",
        ),
        kinds=(
            Kind(
                "TwoAFCResult",
                words="biaslab.reports.psychometrics.words",
                chart="biaslab.reports.psychometrics.chart:chart",
                comparison="biaslab.probes.comparison.of_choices:compared_choices",
                measures=("pse", "jnd"),
            ),
            Kind("LayersResult", words="biaslab.reports.psychometrics.layers"),
            Kind("TraceResult", words="biaslab.reports.trace"),
        ),
    ),
    Entry(
        name="occupations",
        notebook_name="OccupationsBench",
        question="Which occupations does the model tie to women, which to men?",
        probe="bl.occupations",
        need="biaslab.subjects.opening.needs:WORD_VECTORS",
        elsewhere="biaslab.subjects.opening.needs:LANGUAGE_MODEL",
        terms=(
            *("blend", "cue", "switch point", "PSE", "JND", "replicate", "corpus interval"),
            *("no clear lean", "Holm correction", "WEAT"),
        ),
        first_run='bl.occupations("wiki-bootstraps")',
        commands=("biaslab.cli.probes.psychometrics:place_words",),
        kinds=(
            Kind(
                "OccupationsResult",
                words="biaslab.reports.occupations.words",
                chart="biaslab.reports.occupations.chart:chart",
                comparison="biaslab.probes.comparison.of_choices:compared_occupations",
                measures=("pse", "jnd"),
            ),
        ),
    ),
    Entry(
        name="association",
        notebook_name="AssociationBench",
        question="Are the words of a religion closer to its stereotypes than to neutral words?",
        probe="bl.distance_model",
        need="biaslab.subjects.opening.needs:WORD_VECTORS",
        terms=("HPDI", "crossed model", "MAC", "WEAT", "replicate", "R-hat", "ESS"),
        first_run='bl.association.overview("wiki-bootstraps", "manzini-religion")',
        commands=(
            "biaslab.cli.probes.association:run_weat",
            "biaslab.cli.probes.association:run_mac",
            "biaslab.cli.probes.association:model_distances",
            "biaslab.cli.probes.lists:measure_list_length",
            "biaslab.cli.probes.lists:suggest_for_list",
            "biaslab.cli.probes.lists:measure_residual",
        ),
        kinds=(
            Kind(
                "AssociationResult",
                words="biaslab.reports.association.overview",
                comparison="biaslab.probes.comparison.of_associations:compared_overviews",
            ),
            Kind(
                "DistanceModelResult",
                words="biaslab.reports.association.distance",
                comparison="biaslab.probes.comparison.of_associations:compared_distances",
            ),
            Kind(
                "MacResult",
                words="biaslab.reports.association.mac",
                comparison="biaslab.probes.comparison.of_associations:compared_mac",
            ),
            Kind(
                "WeatResult",
                words="biaslab.reports.association.weat",
                comparison="biaslab.probes.comparison.of_associations:compared_weat",
            ),
            Kind("MeasureResult", words="biaslab.reports.association.measure"),
            Kind("WeatSimulation", words="biaslab.reports.association.simulation"),
            Kind("ResidualBias", words="biaslab.reports.association.residual"),
            Kind("ListLength", words="biaslab.reports.association.list_length"),
            Kind("WordSuggestions", words="biaslab.reports.association.suggestions"),
            Kind("ListGrowth", words="biaslab.reports.association.growth"),
        ),
    ),
    Entry(
        name="posterior",
        notebook_name="PosteriorBench",
        question="What does a classifier imagine when it says “positive”?",
        probe="bl.posterior.overview",
        need="biaslab.subjects.opening.needs:CLASSIFIER_OR_VISION_LANGUAGE_MODEL",
        terms=("R-hat", "ESS", "MCSE"),
        first_run="bench.run()",
        first_settings="chains=16&draws=250",
        commands=(
            "biaslab.cli.probes.posterior:sample_label",
            "biaslab.cli.probes.posterior:imagine_portraits",
        ),
        kinds=(
            Kind(
                "PosteriorOverview",
                words="biaslab.reports.posterior.overview",
                chart="biaslab.reports.posterior.chart:overview",
            ),
            Kind(
                "PortraitPosterior",
                words="biaslab.reports.posterior.portraits",
                comparison="biaslab.probes.comparison.of_scores:compared_portraits",
            ),
            Kind(
                "PosteriorResult",
                words="biaslab.reports.posterior.draws",
                chart="biaslab.reports.posterior.draws:traces",
            ),
            Kind(
                "WordDistances",
                summary="biaslab.reports.posterior.location_words:summary_of_distances",
                chart="biaslab.reports.posterior.chart:distances",
            ),
            Kind(
                "PosteriorPlane",
                summary="biaslab.reports.posterior.location_words:summary_of_plane",
                chart="biaslab.reports.posterior.chart:plane",
            ),
            Kind(
                "NearestReviews",
                summary="biaslab.reports.posterior.location_words:summary_of_reviews",
                chart="biaslab.reports.posterior.chart:reviews",
            ),
            Kind(
                "GroupDistances",
                summary="biaslab.reports.posterior.contrast_words:summary_of_groups",
                verdict="biaslab.reports.posterior.contrast_words:verdict_of_groups",
                chart="biaslab.reports.posterior.chart:groups",
                comparison="biaslab.probes.comparison.of_scores:compared_groups",
            ),
            Kind(
                "LexiconAgreement",
                summary="biaslab.reports.posterior.contrast_words:summary_of_lexicon",
                verdict="biaslab.reports.posterior.contrast_words:verdict_of_lexicon",
                chart="biaslab.reports.posterior.chart:lexicon",
            ),
        ),
        shown=2,
    ),
    Entry(
        name="sentences",
        notebook_name="SentenceBench",
        question="Does the model find stereotyped sentences more likely?",
        probe="bl.stereotype_score",
        need="biaslab.subjects.opening.needs:SENTENCE_PROBABILITIES",
        terms=("stereotype score", "no clear lean"),
        first_run="bench.test()",
        commands=(
            "biaslab.cli.probes.stereotypes:compare_sentences",
            "biaslab.cli.probes.association:run_seat",
            "biaslab.cli.probes.association:run_ceat",
        ),
        kinds=(
            Kind(
                "StereotypeScore",
                words="biaslab.reports.sentences.words",
                chart="biaslab.reports.sentences.chart:chart",
                comparison="biaslab.probes.comparison.of_scores:compared_scores",
            ),
            Kind(
                "ShareDifference", summary="biaslab.reports.sentences.words:summary_of_difference"
            ),
            Kind("SentimentGap", words="biaslab.reports.sentences.sentiment"),
            Kind("SeatResult", words="biaslab.reports.association.seat"),
            Kind("CeatResult", words="biaslab.reports.association.ceat"),
        ),
    ),
    Entry(
        name="images",
        notebook_name="ImageBench",
        question="Which word does the model pair with a portrait: “helper” or “expert”?",
        probe="bl.image_association",
        need="biaslab.subjects.opening.needs:VISION_LANGUAGE_MODEL",
        terms=("blend", "PSE", "JND", "no clear lean"),
        first_run="bench.test()",
        commands=(
            "biaslab.cli.probes.stereotypes:compare_images",
            "biaslab.cli.probes.stereotypes:rate_drawn_people",
        ),
        kinds=(
            Kind(
                "ImageAssociation",
                words="biaslab.reports.images.words",
                chart="biaslab.reports.images.chart:chart",
                comparison="biaslab.probes.comparison.of_scores:compared_images",
            ),
            Kind(
                "ImageScoreDifference", summary="biaslab.reports.images.words:summary_of_difference"
            ),
            Kind("DrawnPeople", words="biaslab.reports.images.people"),
        ),
    ),
    Entry(
        name="rating",
        notebook_name="RatingBench",
        question="Does a translation keep “she” and “he” apart?",
        probe="bl.rate",
        need="biaslab.subjects.opening.needs:SERVICE",
        terms=("DSBS", "UCS", "BS", "PSE", "JND"),
        first_run="bench.run()",
        commands=("biaslab.cli.probes.rating:rate_service",),
        kinds=(
            Kind(
                "RatingResult",
                words="biaslab.reports.rating.words",
                chart="biaslab.reports.rating.chart:chart",
                comparison="biaslab.probes.comparison.of_scores:compared_ratings",
            ),
            Kind("Balance", summary="biaslab.reports.rating.words:summary_of_balance"),
            Kind("MiddleGender", summary="biaslab.reports.rating.words:summary_of_middle"),
            Kind("PowerCurve", summary="biaslab.reports.rating.words:summary_of_power"),
        ),
    ),
    Entry(
        name="decisions",
        notebook_name="DecisionBench",
        question="How many more years must one applicant bring to be invited as often as another?",
        probe="bl.decisions",
        need="biaslab.subjects.opening.needs:DECIDER",
        terms=(
            "gap",
            "PSE",
            "JND",
            "cue",
            "impact ratio",
            "lapse",
            "adaptive placement",
            "d′",
            "criterion",
            "ROC",
            "hit",
            "false alarm",
        ),
        first_run="bench.run()",
        commands=("biaslab.cli.probes.decisions:measure_gap",),
        kinds=(
            Kind(
                "DecisionsResult",
                words="biaslab.reports.decisions.words",
                chart="biaslab.reports.decisions.chart:chart",
                comparison="biaslab.probes.comparison.of_choices:compared_decisions",
            ),
            Kind(
                "SensitivityResult",
                words="biaslab.reports.sensitivity.words",
                chart="biaslab.reports.sensitivity.chart:chart",
                comparison="biaslab.probes.comparison.of_choices:compared_sensitivity",
            ),
        ),
    ),
    Entry(
        name="opinion",
        label="Second opinion",
        notebook_name="OpinionBench",
        question="Which sentences do recorded answers bear out?",
        probe="bl.opinion",
        terms=("impact ratio", "Holm correction"),
        first_run='bl.opinion(bl.replay("simulated-rankings"))',
        kinds=(
            Kind("ChoicesResult", words="biaslab.reports.opinion.choices"),
            Kind("RatesResult", words="biaslab.reports.opinion.rates"),
            Kind("WordPairsResult", words="biaslab.reports.opinion.word_pairs"),
            Kind("BenchmarkResult", words="biaslab.reports.opinion.benchmarks"),
        ),
        shown=4,
    ),
    Entry(  # of no bench
        kinds=(
            Kind(
                "Comparison",
                words="biaslab.reports.comparison.words",
                chart="biaslab.reports.comparison.chart:chart",
            ),
            Kind("Trajectory", words="biaslab.reports.comparison.trajectory"),
            Kind("Debiasing", words="biaslab.reports.debias"),
            Kind("Spec", words="biaslab.reports.spec"),
            Kind("TreatmentResult", words="biaslab.reports.treatment"),
            Kind("WordSimilarityResult", words="biaslab.reports.similarity"),
        )
    ),
)
