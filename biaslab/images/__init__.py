"""Pictures by term: opened safely, drawn, generated, stored, exchanged.

>>> from biaslab import images
>>> portraits = images.drawn_images(["nurse", "electrician"], per_term=2)
>>> len(portraits)
4
"""

from biaslab.asking.providers.chat import EndpointPainter, Painted
from biaslab.images.dataset import push_dataset, read_dataset, write_dataset
from biaslab.images.drawn import Drawable, DrawnPainter, drawable, drawn_image, drawn_images
from biaslab.images.folder import read_folder
from biaslab.images.generate import PROMPTS, GeneratedImages, generate_images, prompt
from biaslab.images.image import Image, ImageRecord, ImageSet, RejectedImage, open_image
from biaslab.images.morph_folder import PhotographedMorph, PhotographedMorphs, read_morphs
from biaslab.images.morphs import DrawnMorphs, MorphPicture, Morphs
from biaslab.images.painters import LocalPainter, Painter
from biaslab.images.sources import (
    can_be_drawn,
    default_images,
    find_images,
    forget_images,
    image_terms,
    keep_images,
    kept_images,
    read_images,
)

__all__ = [
    "PROMPTS",
    "Drawable",
    "DrawnMorphs",
    "DrawnPainter",
    "EndpointPainter",
    "GeneratedImages",
    "Image",
    "ImageRecord",
    "ImageSet",
    "LocalPainter",
    "MorphPicture",
    "Morphs",
    "Painted",
    "Painter",
    "PhotographedMorph",
    "PhotographedMorphs",
    "RejectedImage",
    "can_be_drawn",
    "default_images",
    "drawable",
    "drawn_image",
    "drawn_images",
    "find_images",
    "forget_images",
    "generate_images",
    "image_terms",
    "keep_images",
    "kept_images",
    "open_image",
    "prompt",
    "push_dataset",
    "read_dataset",
    "read_folder",
    "read_images",
    "read_morphs",
    "write_dataset",
]
