# %% [markdown]
# # Your own model
#
# Ask a model of yours, keep the runs, compare them with a bundled model and write a report; or bring answers that somebody recorded
# (part 6). Nothing here uses the internet.
#
# ## 1. Open it
#
# Put your model into the folder of this notebook (drag it into the file browser on the left), and its name between the quotes below. It can
# be an embedding file (`my-vectors.txt`, `.vec`, `.bin`, also `.gz`) or the folder of a language model. A whole path works, too. Then
# choose **Run › Run All Cells**.

# %%
import biaslab as bl

subject = bl.load("wiki-bootstraps")  # or "my-vectors.txt", or "my-bert"
subject

# %% [markdown]
# ## 2. Ask it
#
# The bench blends *woman* and *man*. Type a word into it. Where it says that there is no interval, press **Use 8 cue pairs**. Press
# **Save run** under the picture when you want to keep what you see.

# %%
from biaslab_widgets import PsychometricBench

bench = PsychometricBench(subject, word="nurse")
bench

# %% [markdown]
# ## 3. Find your runs, and reopen one
#
# Run the next two cells again after you saved a run. The second opens the newest one as it was; put another id from the list into
# `of_run` to open that one.

# %%
runs = bl.Store().runs(bench="psychometric", probe="two_afc")
runs[["id", "headline", "subject", "time"]]

# %%
from IPython.display import FileLink, display

if runs.empty:
    print("Save a run in the bench above, then run these two cells again.")
else:
    display(PsychometricBench.of_run(runs["id"].iloc[0]))

# %% [markdown]
# ## 4. Compare it with a bundled model
#
# The second bench asks a bundled model about the same word with the same pairs. For a language model, write `"wiki-clm"` in place of
# `"wiki-bootstraps"`.

# %%
other = "wiki-bootstraps"
bundled = PsychometricBench(other, word=bench.word, selected_pairs=bench.selected_pairs)
bl.compare(bench.result, bundled.result)

# %% [markdown]
# ## 5. Write a report
#
# One file with both findings. It needs no network; open it in a browser, or print it.

# %%
bl.report([bench.result, bundled.result], "report.html")
FileLink("report.html")

# %% [markdown]
# ## 6. A second opinion on answers
#
# No model is needed for this part: put a table of recorded answers into the folder of this notebook, with the columns *group* and *answer*, and its name in place of `simulated`. Rankings, yes or no,
# ratings and word pairs are recognised; lesson 8 explains what comes out.

# %%
simulated = bl.observers.rankings("simulated-rankings.jsonl", {"nurse": {"women": 0.4}}, place=0.3)
opinion = bl.opinion(simulated)  # or bl.opinion("answers.csv")
opinion

# %%
for sentence in opinion.sentences():
    print("may be printed:" if sentence.may_print else "may not:", sentence.text, sentence.why)
