# %% [markdown]
# # Lesson 1: where does a model switch its answer?
#
# Hold a large, empty box in one hand and a small, heavy stone of the same weight in the other. The stone feels
# heavier. The scales say that they weigh the same. This is the *size-weight illusion*: a judgement is bent by
# what we expect. Experimental psychology measures such a bend without asking anybody how they feel about it. It
# offers two things again and again, changes one of them in small steps, and looks for the point at which the
# person finds them equal.
#
# A model of language can be asked in the same way. It has read much text, and it has come to expect some things:
# that a nurse is a woman, that an electrician is a man. This lesson measures how strong such an expectation is.

# %%
import biaslab as bl

# %% [markdown]
# ## The subject
#
# What we probe is called the **subject**. This one ships with the package: word embeddings, each trained on a
# different random resample of the same Wikipedia text. Each such **replicate** is one answer to the question: *what
# would the model have learned from another corpus like this one?* How far they differ tells how sure we can be.

# %%
subject = bl.load("wiki-bootstraps")
subject

# %% [markdown]
# ## The question
#
# Two words mark the ends of a line: *female* and *male*. They are the **cues**. Between them lies every blend of
# the two, from 0 % male to 100 % male. We show the subject a word and a blend and ask which end fits better.
#
# - At a blend that is all *female*, it answers female. At one that is all *male*, it answers male.
# - Somewhere between, it switches. Without any bias it would switch at 50 %.
#
# The blend at which it switches is the **point of subjective equality**, the PSE. If the subject needs *more* than
# 50 % male before it answers male for a word, then the word itself was already pulling toward female.

# %%
result = bl.two_afc(subject, ["nurse", "electrician"], [("female", "male")])
print(result.summary())

# %% [markdown]
# ## How to read the numbers
#
# - **PSE.** 0.5 is neutral. Above it, the bias is toward the first cue; below it, toward the second.
# - **Corpus interval.** Between which blends the switch lies over resampled corpora. When it stays clear of 0.5, the
#   bias does not hang on which texts happened to be in the corpus.
# - **JND**, the just-noticeable difference: how far the blend must move for the answers of the replicates to move
#   with it. A small JND is a sharp switch.
# - **Monte Carlo interval.** How well these replicates pin down their own mean. It shrinks when more replicates are
#   trained, and says nothing about bias. It is there so that the two are never taken for one another.

# %%
result.to_frame()

# %% [markdown]
# ## One pair of words is not a gender
#
# Is that what you expected of a nurse and an electrician? *Female* and *male* are two words, with lives of their own:
# an encyclopedia uses them for animals, plants and sports as well as for people. Whatever pulls *every* occupation
# toward one of the two moves all the switches together and has nothing to do with occupations.
#
# So ask with more pairs (*she* and *he*, *sister* and *brother* ...) and pool the answers. The pairs are now a sample
# too, and the interval says so.

# %%
pooled = bl.two_afc(subject, ["nurse", "electrician"], "gender-pairs")
print(pooled.summary())

# %% [markdown]
# Which of the two words moved, and which verdict would you now stand by? When the interval holds 50 %, the honest
# answer is that a bias cannot be told: neither that there is one, nor that there is none.

# %% [markdown]
# ## Do it by hand
#
# Below is the same probe as a bench. Each row of the picture is one replicate. Along its row it answers *female* up to
# a point and *male* from there on, so the edge between the two tints is the psychometric curve.
#
# 1. Drag the handle under the picture, or focus it and use the arrow keys. Where do half of the replicates switch?
# 2. Type another word: *librarian*, *engineer*, *dancer*. What happens to a word that the subject does not know?
# 3. Choose another cue pair, *woman* and *man*, say. Does the verdict hold? Then choose all pairs.
# 4. Turn up the perceptual noise. What changes: the PSE, the JND, or both?

# %%
from biaslab_widgets import PsychometricBench

bench = PsychometricBench(subject)
bench.word = "electrician"
bench

# %% [markdown]
# What is on the screen is also a Python object, and setting a value from Python moves the screen.

# %%
print(bench.result.summary())

# %% [markdown]
# ## Can the probe be trusted?
#
# One way to find out is to probe a subject whose bias we know, because we made it. `bl.observers.embedding` makes
# such a subject: here the true PSE of *nurse* is 0.6, with a JND of 0.1.

# %%
made = bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1, replicates=32, seed=1)
known = bl.two_afc(made, ["nurse"], [("female", "male")]).to_frame()
known[["item", "pse", "monte_carlo_low", "monte_carlo_high", "jnd", "jnd_low", "jnd_high"]]

# %% [markdown]
# The replicates were drawn around a truth that we know, and 32 of them show it only so well: that is what the Monte
# Carlo interval is for. Change the seed a few times. It should hold the true 0.6, and the interval of the JND the true
# 0.1, in all but about one time in twenty. That is what 95 % means.
#
# ## What this does not say
#
# The subject is small, made for teaching, and has read one sample of one encyclopedia from one year. What holds for
# it need not hold for another model. And that a model leans is a fact about the text that it read: the probe does
# not say why, or whether anybody is harmed by it.
