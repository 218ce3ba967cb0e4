"""``python -m biaslab.cli``, where the command ``biaslab`` is not on the path."""

import sys

from biaslab.cli import main

sys.exit(main())
