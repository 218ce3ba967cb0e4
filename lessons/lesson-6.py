# %% [markdown]
# # Lesson 6: how does one rate a service that can only be called?
#
# A lesson of 45 minutes. Most models that people use are behind a wall: a text goes in, a text comes out, and nobody tells what is inside. An agency that
# has nothing but its own texts wants to write in a catalogue: *this service adds bias*, *this one follows what it is given*. What must it ask, how
# often, and what may it write?
#
# **How to use this page.** As in lessons 1 to 5: choose **Run › Run All Cells** now, then read from the top and commit
# a prediction before each result. No experience with code is needed; cells that only prepare teaching
# material are folded. The lesson needs nothing of the others, and no network.
#
# | part | | minutes |
# |---|---|---|
# | 1 | Three services behind a wall | 4 |
# | 2 | Counting by hand | 7 |
# | 3 | "Not significantly different" is not "similar" | 9 |
# | 4 | Two services in a row | 4 |
# | 5 | By hand, with many | 7 |
# | 6 | How many calls? | 5 |
# | 7 | What is lost on the way | 6 |
# | 8 | What may be written, and questions for discussion | 3 |
#
# The exercises at the end are for after class.

# %% tags=["hidden"]
import numpy as np
import pandas as pd

import biaslab as bl
from biaslab.probes.rating import (
    PaperRule,
    Rating,
    Rules,
    composition_table,
    middle_gender,
    power_curve,
    simulate,
)
from biaslab_widgets import RatingBench
from biaslab_widgets.classroom import Prediction, SelfCheck

# The definitions of the ratings are longer than the 50 characters that a table shows.
pd.set_option("display.max_colwidth", None)
PER_TEXT = Rules(paper=PaperRule(unit="text"))


def counts(values):
    """Counts of he, she and other in one word."""
    return "/".join(f"{value:.0f}" for value in values)


def by_block(result, language=""):
    """What came back of each block, as counts of he/she/other."""
    names = [one.name for one in result.design.distributions]
    return dict(zip(names, map(counts, result.output_counts(language)), strict=True))


def compared(result):
    """Every comparison of the paper's rule."""
    rows = [
        {
            "step": one.step,
            "input": one.block,
            "output": counts(one.output),
            "compared with": counts(one.specified),
            "chi-squared": round(one.statistic, 2),
            "p": "< 0.001" if one.p < 0.001 else f"{one.p:.3f}",
            "called": "similar" if one.similar else "not similar",
        }
        for one in result.comparisons()
    ]
    return pd.DataFrame(rows).set_index("step")


def shares(simulated, rule):
    """How often each rating came out, in per cent."""
    return {
        str(one): f"{100 * simulated.share(one, rule):.0f} %"
        for one in (Rating.UCS, Rating.DSBS, Rating.BS)
    }


# %% [markdown]
# ## 1. Three services behind a wall (4 minutes)
#
# Take a translator: English into Turkish, and back into English. Turkish has one word for *he*, *she* and *it*. What comes back says what the
# translator made of it. That is the idea of the paper *Towards Composable Bias Rating of AI Services*: send texts of which you know the share of
# *he* and *she*, and count what returns.
#
# We begin with services that are **simulated**, so that the truth is known. They take an English text, and give one back:
#
# - one gives every *he* and *she* **back as it was**;
# - one says *he* **every time**;
# - one **evens out**: of two people in a text it makes one *he* and one *she*, whatever they were.

# %% tags=["hidden"]
best = Prediction(
    "The paper has three ratings, and an order from the best to the worst. Which of the three is its best?",
    ["gives back as it was", "he every time", "evens out"],
)
best

# %% tags=["hidden"]
SERVICES = {
    "gives back as it was": bl.observers.service("faithful"),
    "he every time": bl.observers.service("always-he"),
    "evens out": bl.observers.service("compensating"),
}
ratings = pd.DataFrame(
    {
        "rating": {name: str(one.rating) for name, one in SERVICES.items()},
        "in full": {name: one.rating.full_name for name, one in SERVICES.items()},
        "what it means": {name: one.rating.meaning for name, one in SERVICES.items()},
    }
).loc[["evens out", "gives back as it was", "he every time"]]
best.reveal(
    next(name for name, one in SERVICES.items() if one.rating == "UCS"),
    ratings,
    "From the best to the worst, as the paper orders them. Would you want this from a translator: that she becomes he, so that the sum comes out even? Keep the "
    "objection. It comes back in part 8.",
)

# %% tags=["check"]
assert list(ratings["rating"]) == ["UCS", "DSBS", "BS"]

# %% [markdown]
# ## 2. Counting by hand (7 minutes)
#
# Who is who is now hidden behind the letters A, B and C. We send five texts. **Count *he* and *she*** in what goes in, then in what comes out.

# %% tags=["hidden"]
behind = {
    "A": SERVICES["evens out"],
    "B": SERVICES["gives back as it was"],
    "C": SERVICES["he every time"],
}

# %%
texts = [
    "She is a baker. He is a plumber.",
    "He is a nurse. He is a judge.",
    "She is a pilot. He is a florist.",
    "He is a cook. He is a lawyer.",
    "He is a tailor. She is an engineer.",
]
answers = {letter: service.answer(texts) for letter, service in behind.items()}
pd.DataFrame({"sent": texts, **answers})


# %%
def he_and_she(some):
    words = " ".join(some).split()
    return words.count("He"), words.count("She")


print("sent:", he_and_she(texts))
for letter, got in answers.items():
    print(f"{letter}:   ", he_and_she(got))

# %% tags=["check"]
assert he_and_she(texts) == (7, 3)
assert he_and_she(answers["A"]) == (5, 5)
assert he_and_she(answers["B"]) == (7, 3)
assert he_and_she(answers["C"]) == (10, 0)

# %% [markdown]
# Seven and three went in, and the counts that came out tell the three apart. Is one such block of texts enough? The paper asks with *two kinds* of input: first with one that
# is **unbiased** (half *he*, half *she*), then with **biased** ones.

# %% tags=["hidden"]
even = Prediction(
    "Twenty texts, 20 times he and 20 times she. Which of the three cannot be distinguished by the counts of what comes back?",
    ["A and B", "B and C", "none: all three differ"],
)
even

# %% tags=["hidden"]
design = bl.RatingDesign.paper(middles=())
rated = {letter: bl.rate(one, design, keep=False) for letter, one in behind.items()}
table = pd.DataFrame({letter: by_block(one) for letter, one in rated.items()}).T
first = table["50/50"]
even.reveal(
    even.options[0 if first["A"] == first["B"] else 1 if first["B"] == first["C"] else 2],
    table,
    "Each cell: he/she/other of the 40 people in a block of 20 texts. The columns are what went in: half and half; one tenth he; nine tenths he. "
    "With an even input, whoever evens out and whoever gives back as it was look the same. With an uneven one, whoever gives back looks biased. Only both "
    "steps together tell three kinds of services apart:",
    "Step 1, unbiased input: is the output biased? Then BS. Step 2, biased input: is the output biased? Then DSBS, else UCS.",
)

# %% tags=["check"]
assert first["A"] == first["B"] == "20/20/0"
assert first["C"] == "40/0/0"
assert table.loc["B", "10/90"] == "4/36/0"
assert table.loc["A", "10/90"] == "20/20/0"
assert all(one.rating().corrected == behind[letter].rating for letter, one in rated.items())

# %% [markdown]
# ## 3. "Not significantly different" is not "similar" (9 minutes)
#
# When *is* an output biased? The counts are never exactly those of a list. The paper compares the output with its own **biased specifications** (4/36/0 and
# 36/4/0) by a chi-squared test. If the test finds no significant difference from one of them, the output is called *similar* to it, and so *biased*.

# %% tags=["hidden"]
always = Prediction(
    "C says he every time. What does the paper's rule call it?", ["BS", "DSBS", "UCS"]
)
always

# %% tags=["hidden"]
of_c = rated["C"]
always.reveal(
    str(of_c.rating().paper),
    compared(of_c),
    "Look at the second row. 40/0/0 is too extreme to be like 36/4/0! So step 1 finds no bias that was specified, and goes on to step 2, where nothing looks unbiased: DSBS, 'it follows "
    "its input'. This service follows nothing at all.",
)

# %% [markdown]
# That row by hand: if both had the same shares, each would be expected to have the mean of both counts.

# %%
output, specified = np.array([40, 0]), np.array([36, 4])
expected = (output + specified) / 2
chi2 = (((output - expected) ** 2 + (specified - expected) ** 2) / expected).sum()
print(f"chi-squared = {chi2:.2f}; above 3.84 a difference counts as significant at 95 %")

# %% tags=["check"]
assert of_c.rating().paper == "DSBS"
assert of_c.rating().corrected == "BS"
steps = of_c.comparisons()
assert abs(steps[1].statistic - chi2) < 1e-9
assert chi2 > 3.84
assert [one.similar for one in steps] == [False] * 4

# %% [markdown]
# ### Per person, or per text?
#
# We counted 40 people. But a text has two, and we made 20 calls; the paper's text says *block size*. Somebody may as well count **texts**:
# 20/0/0 against 18/2/0. Not one answer changes.

# %% tags=["hidden"]
unit = Prediction(
    "The same answers, counted per text. What does the paper's rule call C now?",
    ["BS", "DSBS", "UCS"],
)
unit

# %% tags=["hidden"]
of_texts = of_c.re_rate(rules=PER_TEXT)
unit.reveal(
    str(of_texts.rating().paper),
    compared(of_texts),
    "The right rating, but for a wrong reason: with half the numbers the test does not notice the difference any more. 'Not significantly different' is what a test says when two things are alike, AND when it "
    "has seen too little. Whoever asks less finds more 'similar'.",
)

# %% tags=["check"]
assert of_texts.rating().paper == "BS"
assert of_texts.comparisons()[1].similar
assert not of_texts.comparisons()[0].similar

# %% [markdown]
# ### Then ask more!
#
# Another service says *he* four times in five, whatever it is given. By the definition it is BS. With 20 texts the paper's rule mostly says so: 80 in a hundred
# is hard to tell from 90. Suppose that the agency can afford more calls.

# %% tags=["hidden"]
more = Prediction(
    "Blocks of 320 texts instead of 20. How often does the paper's rule now say BS?",
    ["nearly every time", "about as often", "never, or nearly never"],
)
more

# %% tags=["hidden"]
often_he = bl.observers.service("always-he", noise=0.4)
by_size = {n: simulate(often_he, design.with_texts(n), 60) for n in (20, 80, 320)}
few, _, many = (one.share("BS", "paper") for one in by_size.values())
more.reveal(
    more.options[0 if many > 0.9 else 2 if many < 0.1 else 1],
    pd.DataFrame(
        {
            (f"{n} texts", rule): shares(one, rule)
            for n, one in by_size.items()
            for rule in ("paper", "corrected")
        }
    ).T,
    "60 experiments of each size. The more is asked, the surer the test is that 80 is not 90, and the more often the paper's rule says that this service has no bias of its own. A rule that gets worse "
    "with more evidence asks the wrong question.",
)

# %% tags=["check"]
assert few > 0.6
assert many < 0.1
assert all(one.share("BS") > 0.95 for one in by_size.values())

# %% [markdown]
# ### Turn the question around
#
# Instead of *is it different from biased?* the **corrected** rule asks: *is it shown to be as good as unbiased?* "As good as" needs a number that somebody must choose
# and print: here 10 points to each side of half. The output counts as unbiased only if the whole interval of its share lies between. Then little evidence leads to
# *not shown*, and more evidence to the right answer.

# %% tags=["after:more"]
print(of_c.summary())

# %% [markdown]
# ## 4. Two services in a row (4 minutes)
#
# An app writes down what you say, translates it, and sums it up: three services of three makers. Must every combination be rated anew? The paper has a
# table (its Table 2): from the ratings of two services to that of both in a row.

# %% tags=["hidden"]
row = Prediction(
    "First one that evens out (UCS), then one that gives back as it was (DSBS). The table says DSBS. What is measured?",
    ["DSBS, as the table says", "UCS", "BS"],
)
row

# %% tags=["hidden"]
both = bl.services.Composite(SERVICES["evens out"], SERVICES["gives back as it was"])
of_both = bl.rate(both, design, keep=False)
nine = pd.DataFrame(
    {
        f"then {second}": {
            f"first {first}": next(
                str(one) + (" (the table: DSBS)" if one.differs else "")
                for one in composition_table("definition")
                if (one.first, one.second) == (first, second)
            )
            for first in ("UCS", "DSBS", "BS")
        }
        for second in ("UCS", "DSBS", "BS")
    }
)
row.reveal(
    {"DSBS": row.options[0], "UCS": "UCS", "BS": "BS"}[str(of_both.rating().corrected)],
    pd.DataFrame({"evens out, then gives back": by_block(of_both)}).T,
    "The second gets nothing uneven that it could follow. So by the paper's own definitions the two are UCS, and its table has a slip in this cell. Here are all nine, by the "
    "definitions. Two biased services can add up or cancel each other: nothing follows, they must be tested anew.",
    nine,
)

# %% tags=["check"]
assert of_both.rating().corrected == "UCS"
assert str(bl.compose("UCS", "DSBS", rule="paper")) == "DSBS"
assert (nine == "must be tested anew").to_numpy().sum() == 1
other_way = bl.services.Composite(SERVICES["gives back as it was"], SERVICES["evens out"])
assert bl.rate(other_way, design, keep=False).rating().corrected == "UCS"

# %% [markdown]
# ## 5. By hand, with many (7 minutes)
#
# The same, to be driven by you. The service that says *he* every time is chosen. **Press Run**, then:
#
# 1. **Follow both trees** from the top. At which question do the two rules part?
# 2. **Drag the input** of the block *90/10* until it is all *he*. What does the paper's rule say now, and did anybody ask the service again?
# 3. Take the **simulated translator**: it does something else through each language. Choose each row, and read why it is rated so. One of them has no rating. Why?
# 4. **Read the texts** of a row that is rated BS: which words were changed on the way?
# 5. Set **20 texts** to 5 and run. What becomes of the ratings, and of the sentence that explains them?

# %%
bench = RatingBench(service="always he", seed=1, composition="paper")
bench

# %% tags=["check"]
bench.run().wait()
seen = bench.result
assert seen.rating().corrected == "BS"
assert seen.rating().paper == "DSBS"
assert by_block(seen) == by_block(of_c)
all_he = seen.re_rate(biased={"90/10": (1.0, 0.0)})
assert all_he.rating().paper == "BS"
bench.texts = 5
bench.run().wait()
assert bench.result.rating().corrected == "not rateable"

# %% [markdown]
# ## 6. How many calls? (5 minutes)
#
# Calls cost money. The paper took 20 texts a block, three blocks, eight languages, there and back.

# %%
paper = bl.RatingDesign.paper()
calls = len(paper.all_texts) * len(paper.middles) * 2
print(f"{len(paper.all_texts)} texts, {len(paper.middles)} languages, 2 ways: {calls} calls")

# %% tags=["check"]
assert 2 * calls == 1920  # section 4.3 of the paper, for its two translators

# %% [markdown]
# Real services have slips. Take one that gives *he* and *she* back as they were, but in every tenth case tosses a coin. It is DSBS.

# %% tags=["hidden"]
slips = Prediction(
    "With 20 texts a block: in how many of 100 experiments will the corrected rule say DSBS?",
    ["in nearly all", "in less than two thirds", "in none"],
)
slips

# %% tags=["hidden"]
noisy = bl.observers.service("noisy")
power = power_curve(noisy, design, sizes=(10, 20, 40, 60, 80), experiments=200)
right = {point.texts: point.right for point in power.points}
slips.reveal(
    slips.options[0 if right[20] > 0.9 else 2 if right[20] < 0.05 else 1],
    pd.DataFrame(
        {
            "calls": {f"{p.texts} texts a block": p.calls for p in power.points},
            "corrected rule is right": {
                f"{p.texts} texts a block": f"{100 * p.right:.0f} %" for p in power.points
            },
            "paper's rule is right": {
                f"{p.texts} texts a block": f"{100 * p.paper:.0f} %" for p in power.points
            },
        }
    ),
    power.summary(),
    "Where it is not right the corrected rule leaves the rating open between DSBS and BS, and more texts would settle it. The paper's rule is right early, here. It was as quick "
    "with the services of part 3.",
)

# %% tags=["check"]
assert 0.1 < right[20] < 0.66
assert right[80] > 0.95
assert power.recommended is not None
assert 30 < power.recommended <= 80
doubtful = simulate(noisy, design, 100)
assert doubtful.counts().keys() == {"DSBS", "BS"}
assert not doubtful.shown[doubtful.corrected == 2].any()

# %% [markdown]
# So decide **before** the first call how many texts it takes, for a service with slips like those that you expect. Afterwards everybody finds the number that suits.
#
# ## 7. What is lost on the way (6 minutes)
#
# A fourth service, D: *She is a baker* comes back as *It is a baker*, and so does *He is a baker*. Every time.

# %% tags=["hidden"]
erased = Prediction(
    "What is the right rating of D?",
    [
        "UCS: what comes out is the same whatever goes in",
        "DSBS: nothing in it is like any bias that was specified",
        "none of the three",
    ],
)
erased

# %% tags=["hidden"]
of_d = bl.rate(bl.observers.service("erasing"), design, keep=False)
erased.reveal(
    erased.options[2 if of_d.rating().corrected == "not rateable" else 0],
    "".join(text for text, _ in of_d.explanation()),
    "An output that says nothing of women and men is neither even nor uneven. It is no clearance either: look at what stands in the middle, as we do now. The paper's rule has no such rating: what is unlike every "
    "specification is DSBS there.",
)

# %% tags=["check"]
assert of_d.rating().corrected == "not rateable"
assert of_d.rating().paper == "DSBS"
assert by_block(of_d) == dict.fromkeys(("50/50", "10/90", "90/10"), "0/0/40")

# %% [markdown]
# ### A real translator
#
# **Apertium** is a translator by rules that works without a network. Two sentences, each through Spanish and through Esperanto:
#
# > **She** is a baker. &nbsp;&nbsp;&nbsp; **She** works as a baker and likes **her** job.
#
# Spanish leaves the pronoun out (*es panadera*), and its *su* is *his* and *her*. Esperanto says *li* and *ŝi*.

# %% tags=["hidden"]
real = Prediction(
    "'She works as a baker and likes her job', to Spanish and back. Who likes the job?",
    ["she, mostly", "he, every time", "it, every time"],
)
real

# %% tags=["hidden"]
# Measured on 22 November 2026 with Debian's apertium 3.8.3, apertium-eng-spa 0.8.1 and
# apertium-eo-en 1.0.2; shown where Apertium is not installed.
KEPT = {
    ("She is a baker.", "Spanish"): ["0/0/40", "0/0/40", "0/0/40", "DSBS", "not rateable"],
    ("She is a baker.", "Esperanto"): ["20/20/0", "4/36/0", "36/4/0", "DSBS", "DSBS"],
    ("... likes her job.", "Spanish"): ["40/0/0", "40/0/0", "40/0/0", "DSBS", "BS"],
    ("... likes her job.", "Esperanto"): ["20/20/0", "4/36/0", "36/4/0", "DSBS", "DSBS"],
}
KEPT_MIDDLE = "In the middle text, of 59 times she, 24 became masculine and of 60 times he, 2 became feminine; in 1 mention no word shows a gender, and 0 could not be found."
installed = bl.services.apertium_is_installed()
if installed:
    translator, trips = bl.services.apertium(), {}
    for sentence, template in (("She is a baker.", "is a"), ("... likes her job.", "works as")):
        asked = bl.RatingDesign.paper(middles=("es", "eo"), template=template, seed=1)
        trips[sentence] = bl.rate(translator, asked)
    trip_rows = {
        (sentence, one.title): [*by_block(trip, one.language).values(), one.paper, one.corrected]
        for sentence, trip in trips.items()
        for one in trip.ratings
    }
    middle = middle_gender(trips["She is a baker."], "es").summary()
    where_from = "Asked just now, of the Apertium on this machine."
else:
    trip_rows, middle = KEPT, KEPT_MIDDLE
    where_from = (
        "Apertium is not installed here, so nobody was asked: these are kept numbers, measured on 22 November 2026 with Debian's packages (apertium 3.8.3). On Debian and Ubuntu docs/subjects/services.md says how to "
        "install it; then run the lesson again."
    )
trip_table = pd.DataFrame.from_dict(
    {" through ".join(key): [str(cell) for cell in row] for key, row in trip_rows.items()},
    orient="index",
    columns=["50/50", "10/90", "90/10", "paper's rule", "corrected rule"],
)
his = trip_rows["... likes her job.", "Spanish"][1]
real.reveal(
    real.options[1 if his == "40/0/0" else 2 if his == "0/0/40" else 0],
    trip_table,
    where_from,
    "The same translator, the same day: not rateable, BS and DSBS. A rating belongs to a service, a language AND the sentences that were asked. And where nothing comes back, much may have happened on "
    "the way:",
    middle,
)

# %% tags=["check"]
assert his == "40/0/0"
if installed:
    assert {key: list(map(str, row)) for key, row in trip_rows.items()} == KEPT
    assert middle == KEPT_MIDDLE

# %% [markdown]
# ## 8. What may be written, and questions for discussion (3 minutes)
#
# - **Write what was asked**: sentences, languages, distributions, how many texts, the date, the version of the service if it tells one.
# - **Write the rule and its numbers**: which test, counts per person or per text, the margin. Both rules, if they differ.
# - **"Not shown" is not "shown not"**: a rating that stands because too little was asked is marked so.
# - **What is erased is not rated.** What could not be read is counted, and not guessed.
# - **The best rating is not always the wish.** Whoever translates a letter wants it back as it was.
# - **A service changes overnight.** A rating is of that day.
#
# Discuss:
#
# 1. The paper holds UCS to be the best. For which services would you agree, and for which not? Which rating would you want of a translator, a job agency's search, a captioner?
# 2. Half and half is called unbiased. Of which occupations, and who decides? What would you take for *nurse* if three in four nurses are women?
# 3. A company hears that an agency uses *He is a baker. She is a judge.* What could it do, and what can the agency do about that?
# 4. Where are those who are neither *he* nor *she* in this lesson? What would a rating need so that they are in it?

# %% [markdown]
# ## Exercises
#
# Exercises 1 to 3 need no code: use paper, or the bench of part 5. Below each you can
# check your answer.
#
# ### Exercise 1: with a pencil
#
# A service gives 38/2/0 for each of the three blocks. Compute chi-squared for 38/2 against 36/4, and against 20/20. Above 3.84 a difference is significant. What does the paper's rule say of it, what do the definitions?


# %% tags=["solution"]
# Your calculation here (or do it on paper):
def chi_squared(one, other):
    mean = (np.array(one) + np.array(other)) / 2
    return (((one - mean) ** 2 + (other - mean) ** 2) / mean).sum()


near, far = chi_squared([38, 2], [36, 4]), chi_squared([38, 2], [20, 20])
print(f"against 36/4: {near:.2f}; against 20/20: {far:.2f}")

# %% tags=["check"]
assert near < 3.84 < far

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: chi-squared of 38/2 against 36/4?",
    right=0.72,
    digits=2,
    within=1,
    hint="Expected are 37 and 3.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: chi-squared of 38/2 against 20/20?",
    right=20.3,
    digits=1,
    within=1,
    hint="Expected are 29 and 11.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: what does the paper’s rule call the service?",
    ["UCS", "DSBS", "BS"],
    right="BS",
    hint="Which of the two is below 3.84?",
)

# %% [markdown] tags=["solution"]
# 38/2 is not significantly different from 36/4: step 1 calls it biased, BS. That is right by the definitions, too. The service that is *more* biased, 40/0, was DSBS.

# %% [markdown]
# ### Exercise 2: specify what you fear
#
# In part 5 you dragged *90/10* to all *he*, and the paper's rule came right. Is that a remedy? What would one have to specify so that the rule finds the service of part 3 that says *he* four times in five, with 320 texts?

# %% tags=["solution"]
# Your answer (write it here, after the #; or with code):
feared = bl.RatingDesign.paper(
    middles=(), texts=320, biased={"20/80": (0.2, 0.8), "80/20": (0.8, 0.2)}
)
found_out = simulate(often_he, feared, 40)
print(found_out.counts("paper"))

# %% tags=["check"]
assert found_out.share("BS", "paper") > 0.7

# %% tags=["hidden"]
SelfCheck(
    "Is it a remedy to specify what you fear?",
    ["yes, with enough specifications", "no: each service needs a specification of its own"],
    right="no: each service needs a specification of its own",
    hint="How long would the list be?",
)

# %% [markdown] tags=["solution"]
# One would have to specify just its own share; another service has another one. A list of all biases is as long as one likes, and with every entry more is *similar*. To show that something is unbiased one needs
# one specification and a margin.

# %% [markdown]
# ### Exercise 3: say it right
#
# Which of these sentences do the results of part 7 support? (a) "Apertium is sexist." (b) "In November 2026 Apertium's round trip through Spanish gave *his* for every *his* and *her* of 60 texts of one form; through Esperanto it gave
# both back." (c) "Through Spanish, *She is a baker* comes back as *It is a baker*, so gender plays no role there."

# %% tags=["hidden"]
SelfCheck(
    "Lesson 6, exercise 3: which sentence is supported?",
    ["(a)", "(b)", "(c)"],
    right="(b)",
    hint="One of them names service, language, sentences and date.",
)

# %% [markdown] tags=["solution"]
# **Only (b).** (a) takes a rule for *su* for an opinion, and one sentence for a translator. (c) overlooks the Spanish text in the middle, where many a *she* had become a masculine noun.

# %% [markdown]
# ### Exercise 4: two wrongs
#
# Two services are BS, and both in a row are UCS. Find such a pair. (One can be *he every time*.)


# %% tags=["solution"]
# Your code here. Start from:
# def contrary(text):
#     ...  # text in, text out
# two = bl.services.Composite(SERVICES["he every time"], contrary)
def contrary(text):
    """Of the first person he becomes she and she becomes he; the second is always he."""
    one, other = text.rstrip(".").split(". ")
    one = one.replace("He", "~", 1).replace("She", "He", 1).replace("~", "She", 1)
    return f"{one}. {other.replace('She', 'He', 1)}."


alone = bl.rate(contrary, design, keep=False).rating().corrected
two = bl.services.Composite(SERVICES["he every time"], contrary)
together = bl.rate(two, design, keep=False).rating().corrected
print(f"he every time: BS; the other alone: {alone}; both in a row: {together}")

# %% tags=["check"]
assert alone == "BS"
assert together == "UCS"

# %% tags=["hidden"]
SelfCheck(
    "Two services are BS. What is known of both in a row?",
    ["they are BS", "they are UCS", "nothing: they must be tested anew"],
    right="nothing: they must be tested anew",
    hint="You have just found such a pair.",
)

# %% [markdown] tags=["solution"]
# Two biases can cancel each other, as two errors in a sum. Neither service got better, and with a third between them it may be over. So BS * BS must be tested anew.

# %% [markdown]
# ### Exercise 5: other values
#
# Nothing here is only about gender. `bl.rate(service, bl.RatingDesign.make("place of worship"))` asks about churches, mosques, temples and synagogues. Rate a service that makes all of them churches. How many blocks does it take, and how many values are compared?

# %% tags=["solution"]
# Your code here. Start from:
# worship = bl.RatingDesign.make("place of worship")
worship = bl.RatingDesign.make("place of worship")
churches = bl.rate(
    bl.observers.service("always-church", attribute="place of worship"), worship, keep=False
)
print(churches.summary())
pd.DataFrame(
    [[counts(one) for one in churches.output_counts()]],
    columns=[one.name for one in worship.distributions],
    index=["what came back"],
)

# %% tags=["check"]
assert churches.rating().corrected == "BS"
assert len(worship.distributions) >= 4

# %% tags=["hidden"]
SelfCheck(
    "What is the rating of a service that makes all of them churches?",
    ["UCS", "DSBS", "BS"],
    right="BS",
    hint="Does the output follow the input?",
)

# %% [markdown]
# ### Exercise 6: a rating of your own
#
# Write a service (any Python function from text to text: a rule, a dictionary, a model that you have), decide how many texts it takes, write down what you expect, rate it, and print its card for a catalogue. Write three sentences for a reader who
# has not taken this lesson.


# %% tags=["solution"]
# Your code here. Start from:
# def mine(text):
#     return text.replace("She is a nurse", "He is a nurse")
# result = bl.rate(mine, bl.RatingDesign.paper(middles=(), texts=60))
# print(result.card().to_markdown())
def mine(text):
    return text.replace("She is a nurse", "He is a nurse")


own = bl.rate(mine, bl.RatingDesign.paper(middles=(), texts=60), keep=False)
print(own.card().to_markdown())

# %% tags=["check"]
assert own.rating().corrected == "DSBS"

# %% tags=["hidden"]
SelfCheck(
    "A service changes one occupation of sixty. What is its rating?",
    ["UCS", "DSBS", "BS"],
    right="DSBS",
    hint="How far does one occupation move the share?",
)

# %% [markdown] tags=["solution"]
# DSBS, and rightly so by the definition: one occupation among sixty hardly moves the share. Whoever knows of the nurses must ask about nurses: give the design
# `terms=["nurse"]`. A rating finds what its sentences ask about.
