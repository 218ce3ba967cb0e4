"""portrait-clip: a small CLIP model of drawn portraits with a planted bias."""
