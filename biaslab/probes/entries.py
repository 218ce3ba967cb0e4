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
        commands=(
            "biaslab.cli.probes.psychometrics:run_two_afc",
            "biaslab.cli.probes.psychometrics:trace_word",
        ),
        kinds=(
            Kind(
                record="TwoAFCResult",
                words="biaslab.reports.psychometrics.words",
                chart="biaslab.reports.psychometrics.chart:chart",
                comparison="biaslab.probes.comparison.of_choices:compared_choices",
                measures=("pse", "jnd"),
            ),
            Kind(
                record="LayersResult",
                words="biaslab.reports.psychometrics.layers",
                chart="biaslab.reports.psychometrics.layers:chart",
            ),
            Kind(
                record="TraceResult",
                words="biaslab.reports.trace",
                chart="biaslab.reports.trace:chart",
            ),
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
                record="OccupationsResult",
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
        ),
        kinds=(
            Kind(
                record="AssociationResult",
                words="biaslab.reports.association.overview",
                chart="biaslab.reports.association.overview:chart",
                comparison="biaslab.probes.comparison.of_associations:compared_overviews",
            ),
            Kind(
                record="DistanceModelResult",
                words="biaslab.reports.association.distance",
                chart="biaslab.reports.association.distance:chart",
                comparison="biaslab.probes.comparison.of_associations:compared_distances",
            ),
            Kind(
                record="MacResult",
                words="biaslab.reports.association.mac",
                chart="biaslab.reports.association.mac:chart",
                comparison="biaslab.probes.comparison.of_associations:compared_mac",
            ),
            Kind(
                record="WeatResult",
                words="biaslab.reports.association.weat",
                chart="biaslab.reports.association.weat:chart",
                comparison="biaslab.probes.comparison.of_associations:compared_weat",
            ),
            Kind(
                record="MeasureResult",
                words="biaslab.reports.association.measure",
                chart="biaslab.reports.association.measure:chart",
            ),
            Kind(
                record="WeatSimulation",
                words="biaslab.reports.association.simulation",
                chart="biaslab.reports.association.simulation:chart",
            ),
        ),
    ),
    Entry(
        name="posterior",
        notebook_name="PosteriorBench",
        question="What does a classifier imagine when it says “positive”?",
        probe="bl.posterior.overview",
        need="biaslab.subjects.opening.needs:CLASSIFIER",
        terms=("R-hat", "ESS", "MCSE"),
        first_run='bl.sample_posterior("imdb-sentiment", "positive")',
        commands=("biaslab.cli.probes.posterior:sample_label",),
        kinds=(
            Kind(
                record="PosteriorOverview",
                words="biaslab.reports.posterior.overview",
                chart="biaslab.reports.posterior.chart:overview",
            ),
            Kind(
                record="PosteriorResult",
                words="biaslab.reports.posterior.draws",
                chart="biaslab.reports.posterior.draws:traces",
            ),
            Kind(
                record="WordDistances",
                summary="biaslab.reports.posterior.location_words:summary_of_distances",
                chart="biaslab.reports.posterior.chart:distances",
            ),
            Kind(
                record="PosteriorPlane",
                summary="biaslab.reports.posterior.location_words:summary_of_plane",
                chart="biaslab.reports.posterior.chart:plane",
            ),
            Kind(
                record="NearestReviews",
                summary="biaslab.reports.posterior.location_words:summary_of_reviews",
                chart="biaslab.reports.posterior.chart:reviews",
            ),
            Kind(
                record="GroupDistances",
                summary="biaslab.reports.posterior.contrast_words:summary_of_groups",
                verdict="biaslab.reports.posterior.contrast_words:verdict_of_groups",
                chart="biaslab.reports.posterior.chart:groups",
                comparison="biaslab.probes.comparison.of_scores:compared_groups",
            ),
            Kind(
                record="LexiconAgreement",
                summary="biaslab.reports.posterior.contrast_words:summary_of_lexicon",
                verdict="biaslab.reports.posterior.contrast_words:verdict_of_lexicon",
                chart="biaslab.reports.posterior.chart:lexicon",
            ),
        ),
    ),
    Entry(
        name="sentences",
        notebook_name="SentenceBench",
        question="Does the model find stereotyped sentences more likely?",
        probe="bl.stereotype_score",
        need="biaslab.subjects.opening.needs:SENTENCE_PROBABILITIES",
        terms=("stereotype score", "no clear lean"),
        first_run='bl.stereotype_score("wiki-mlm", "biastest-math-arts")',
        commands=(
            "biaslab.cli.probes.stereotypes:compare_sentences",
            "biaslab.cli.probes.association:run_seat",
            "biaslab.cli.probes.association:run_ceat",
        ),
        kinds=(
            Kind(
                record="StereotypeScore",
                words="biaslab.reports.sentences.words",
                chart="biaslab.reports.sentences.chart:chart",
                comparison="biaslab.probes.comparison.of_scores:compared_scores",
            ),
            Kind(
                record="ShareDifference",
                summary="biaslab.reports.sentences.words:summary_of_difference",
            ),
            Kind(
                record="SeatResult",
                words="biaslab.reports.association.seat",
                chart="biaslab.reports.association.seat:chart",
            ),
            Kind(
                record="CeatResult",
                words="biaslab.reports.association.ceat",
                chart="biaslab.reports.association.ceat:chart",
            ),
        ),
    ),
    Entry(
        name="images",
        notebook_name="ImageBench",
        question="How male must a scientist look before the model says “a man”?",
        probe="bl.image_association",
        need="biaslab.subjects.opening.needs:VISION_LANGUAGE_MODEL",
        terms=("blend", "PSE", "JND", "no clear lean"),
        first_run='bl.two_afc("portrait-clip", ["scientist"], [("female", "male")])',
        commands=("biaslab.cli.probes.stereotypes:compare_images",),
        kinds=(
            Kind(
                record="ImageAssociation",
                words="biaslab.reports.images.words",
                chart="biaslab.reports.images.chart:chart",
                comparison="biaslab.probes.comparison.of_scores:compared_images",
            ),
            Kind(
                record="ImageScoreDifference",
                summary="biaslab.reports.images.words:summary_of_difference",
            ),
        ),
    ),
    Entry(
        name="rating",
        notebook_name="RatingBench",
        question="Does a translation keep “she” and “he” apart?",
        probe="bl.rate",
        need="biaslab.subjects.opening.needs:SERVICE",
        terms=("DSBS", "UCS", "BS", "PSE", "JND"),
        first_run='bl.rate("simulated translator")',
        commands=("biaslab.cli.probes.rating:rate_service",),
        kinds=(
            Kind(
                record="RatingResult",
                words="biaslab.reports.rating.words",
                chart="biaslab.reports.rating.chart:chart",
                comparison="biaslab.probes.comparison.of_scores:compared_ratings",
            ),
            Kind(
                record="Balance",
                summary="biaslab.reports.rating.words:summary_of_balance",
            ),
            Kind(
                record="MiddleGender",
                summary="biaslab.reports.rating.words:summary_of_middle",
            ),
            Kind(
                record="PowerCurve",
                summary="biaslab.reports.rating.words:summary_of_power",
            ),
        ),
    ),
    Entry(
        name="decisions",
        notebook_name="DecisionBench",
        question="How many more years must one applicant bring to be invited as often as another?",
        probe="bl.decisions",
        need="biaslab.subjects.opening.needs:DECIDER",
        terms=("gap", "PSE", "JND", "cue", "impact ratio", "lapse", "adaptive placement"),
        first_run='bl.decisions(bl.observers.decider(gap=2.0, lapse=0.03), method="fixed")',
        commands=("biaslab.cli.probes.decisions:measure_gap",),
        kinds=(
            Kind(
                record="DecisionsResult",
                words="biaslab.reports.decisions.words",
                chart="biaslab.reports.decisions.chart:chart",
                comparison="biaslab.probes.comparison.of_choices:compared_decisions",
            ),
        ),
    ),
    Entry(  # of no bench
        kinds=(
            Kind(
                record="Comparison",
                words="biaslab.reports.comparison.words",
                chart="biaslab.reports.comparison.chart:chart",
            ),
            Kind(record="Debiasing", words="biaslab.reports.debias"),
            Kind(record="Spec", words="biaslab.reports.spec"),
            Kind(
                record="WordSimilarityResult",
                words="biaslab.reports.similarity",
                chart="biaslab.reports.similarity:chart",
            ),
        ),
    ),
)
