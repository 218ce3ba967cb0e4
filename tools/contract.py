"""Write the TypeScript state interfaces of all components from their Python field specs."""

from __future__ import annotations

import sys
from pathlib import Path

from biaslab_widgets._fields import typescript
from biaslab_widgets.controllers.components import COMPONENTS

GENERATED = Path(__file__).resolve().parent.parent / "js" / "src" / "generated"


def main() -> int:
    """Write one module per component."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    for component in COMPONENTS:
        path = GENERATED / f"{component.module}.ts"
        path.write_text(typescript(component), encoding="utf-8")
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
