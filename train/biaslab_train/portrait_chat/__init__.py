"""portrait-chat: a small LLaVA model of portraits with a planted bias."""
