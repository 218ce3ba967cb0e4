# %% [markdown]
# # Lesson 0: a tour in ten minutes
#
# biaslab asks a model of language the kind of question that psychology asks a person: *which of these two fits better?*
# This tour shows where things are. Lesson 1 explains what they mean.
#
# **No experience with code is needed.** Choose **Run › Run All Cells** in the menu now, then read from the top. Each
# step says what to do and what you should see. Nothing here uses the internet.
#
# ## 1. Open a subject (1 minute)
#
# What is probed is called the **subject**. This one ships with biaslab: many small models (*word embeddings*), each
# trained on another random resample of the same encyclopedia text. Each of them is a **replicate**.
#
# > **You should see** one line that names the subject, with the number of replicates and of words it knows.

# %%
import biaslab as bl

subject = bl.load("wiki-bootstraps")
subject

# %% tags=["check"]
assert subject.n_replicates > 1

# %% [markdown]
# ## 2. Probe one word (3 minutes)
#
# Below is the **psychometric bench**. The two words at the ends of the picture are the **cues**; between them lies
# every blend of the two. For each blend, each replicate says which cue fits the word better.
#
# 1. **Drag the handle** under the picture from left to right. (Or click it and use the arrow keys.)
#    *You should see* how many replicates have changed their answer at that blend.
# 2. **Type another word**, *dancer* say. *You should see* the picture move at once.
# 3. Type a word that nobody knows, *dancerr*. *You should see* it marked, with known words offered in its place.
# 4. **Choose another pair of cues**, *she* and *he*. Does the picture stay where it was?

# %%
from biaslab_widgets import PsychometricBench

bench = PsychometricBench(subject, word="nurse")
bench

# %% [markdown]
# ## 3. Read the verdict (2 minutes)
#
# The sentence in the psychometric bench is the verdict. The cell below prints it for three words.
#
# - **The percentage** is the blend at which the model switches its answer, the *point of subjective equality* (PSE).
#   50 % is neutral.
# - **Between ... and ...** is the *corpus interval*: how far the switch moves when the texts are resampled.
# - If that interval includes 50 %, the verdict is *no clear bias*. This is not the same as *no bias*.
#
# > **You should see** a bias toward each of the two cues, and one verdict of no clear bias. Look at the
# > intervals alone: could you have said which is which?

# %%
from IPython.display import Markdown

three = bl.two_afc(subject, ["nurse", "mechanic", "teacher"], [("woman", "man")])
Markdown("\n\n".join(" ".join(three.verdict(word)) for word in three.items))

# %% tags=["check"]
assert three.pooled.lean.tolist() == [1, -1, 0], three.summary()

# %% [markdown]
# ## 4. Find words in the catalogue (1 minute)
#
# Which words one asks about is a choice that others must be able to check. So biaslab has a **catalogue** of word lists
# from published studies, each with its source.
#
# > **You should see** a table with some of the lists: those with pairs of cues, or with words to ask about. Below it stands
# > the list of occupations, with its source.

# %%
catalogue = bl.specs.catalog()
catalogue[(catalogue.cue_pairs > 0) | (catalogue["items"] > 0)][
    ["name", "title", "cue_pairs", "items"]
]

# %%
listed = bl.specs.get("occupations")
Markdown(
    f"**{listed.title}.** Source: {listed.source}. {listed.notes}\n\n" + ", ".join(listed.items)
)

# %% tags=["check"]
assert {"occupations", "gender-pairs"} <= set(catalogue.name)

# %% [markdown]
# ## 5. Ask about many words at once (2 minutes)
#
# The **occupations view** asks about a whole list, with several pairs of cues, and holds the answers against labour
# statistics: how many of the people in each occupation are men?
#
# 1. **Find** *nurse*, then clear the field and **sort** by word. *You should see* small points, one for each pair of cues,
#    and an interval around their mean. Most intervals include 50 %.
# 2. Look at the scatter. Each mark is an occupation. Hover one to read it.
# 3. **Click a row.** *You should see* that word in a psychometric bench below the view.
# 4. In **Words**, add one of your own. A word that the subject does not know is marked, and counted.

# %%
from biaslab_widgets import OccupationsBench

many = OccupationsBench(subject)
many

# %% tags=["check"]
assert many.result.lean_counts().undecided > len(many.result.words) / 2

# %% [markdown]
# ## 6. Save, and take it with you (1 minute)
#
# A **run** is a stored result. Both views have buttons for saving and exporting; the cells below do the same in code.
#
# > **You should see** the run in the list, and a file `lesson-0.csv` beside this notebook (the file browser is at the left).

# %%
run = three.save(label="lesson 0")
bl.Store().runs().head()

# %%
three.to_csv("lesson-0.csv")
print(bl.Store().open(run).headline)

# %% tags=["check"]
from pathlib import Path

assert bl.Store().open(run) == three
assert Path("lesson-0.csv").read_text(encoding="utf-8").startswith("item,")

# %% [markdown]
# ## What the numbers mean, and what they do not
#
# | they say | they do not say |
# |---|---|
# | how *this subject* ties a word to one of two cues | what *people*, or *language*, or *Wikipedia* think |
# | how far that hangs on which texts were collected | *why* it is so |
# | with which words the question was put | that other words would give the same answer (often they do not) |
# | that there is no clear bias | that there is no bias |
# | that a model leans | that anybody is harmed by it |
#
# The bundled subject is small and made for teaching: it has read a sample of one encyclopedia from one year, and
# knows many occupations from a few dozen sentences only. Nobody should judge a person, a group or a product by it.
#
# **Next:** [Lesson 1](lesson-1.ipynb), from an old illusion to the electrician.
