"""Vision-language models: how well a word fits a picture."""
