"""The image bench: what a vision-language model sees in a portrait."""
