"""Write what follows from the registry of benches and from their state records.

That is the TypeScript interface of each bench's state and of the records they share, the glossary,
and the stub from which type checkers and editors know the benches of ``biaslab_widgets``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from biaslab_widgets.benches import BENCHES
from biaslab_widgets.core.glossary import glossary_typescript
from biaslab_widgets.core.state.fields import shared_typescript, typescript

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "js" / "src" / "generated"
STUB = ROOT / "widgets" / "biaslab_widgets" / "__init__.pyi"


def generated() -> dict[Path, str]:
    """The text of every generated file."""
    interfaces = {GENERATED / f"{e.slug}.ts": typescript(e.component) for e in BENCHES}
    shared = shared_typescript(entry.component for entry in BENCHES)
    return {
        **interfaces,
        GENERATED / "shared.ts": shared,
        GENERATED / "glossary.ts": glossary_typescript({e.name: e.terms for e in BENCHES}),
        STUB: _stub(),
    }


def _stub() -> str:
    classes = {entry.notebook_name: entry.name for entry in BENCHES}
    imports = [
        f"from biaslab_widgets.benches.{folder}.widget import {name} as {name}"
        for name, folder in sorted(classes.items(), key=lambda item: item[1])
    ]
    names = [f'    "{name}",' for name in sorted(classes)]
    head = "# Written by `make contract` from the registry of benches. Do not edit."
    return "\n".join([head, *imports, "", "__all__ = [", *names, "]", ""])


def main() -> int:
    """Write them."""
    for path, text in generated().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
