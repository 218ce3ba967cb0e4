"""A bench on a page, as far as all benches are alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from playwright.sync_api import Locator, Page, expect

from biaslab.records.result import Result

R = TypeVar("R", bound=Result)
_TABS = 120
_LOOK_MS = 50
"""Asked at every frame, a page would draw frames for that alone."""
_SAID = """root => [root, ...root.querySelectorAll("[data-value], [data-low], [data-tones]")].map(
    ({ dataset: { value, low, high, tones } }) => [value, low, high, tones].join(" ")
).concat(root.querySelector('[data-testid="verdict"]')?.textContent.trim() ?? "")"""
_FOCUSED = """root => {
    const active = root.getRootNode().activeElement;
    return active?.dataset.testid ?? active?.id ?? '';
}"""


class BenchPage:
    """One bench on a page.

    Parameters
    ----------
    root : Locator
        Its outermost element, of test id ``bench``.
    """

    answer_ms: ClassVar[int] = 30_000
    """How long an answer may take on a machine that does other work as well."""

    def __init__(self, root: Locator) -> None:
        self.root = root

    @classmethod
    def on(cls, page: Page, number: int = 0) -> Self:
        """The bench of a page; ``number`` counts when there are several."""
        return cls(page.get_by_test_id("bench").nth(number))

    @property
    def page(self) -> Page:
        """The page that it is on."""
        return self.root.page

    def part(self, testid: str) -> Locator:
        """A part by its test id."""
        return self.root.get_by_test_id(testid)

    def settle(self, state: str = "ready", timeout: int | None = None) -> Self:
        """Wait until everything sent is answered and the state is as named, both at one moment."""
        settled = self.page.locator(f'[data-state="{state}"]:not([data-waiting])')
        expect(self.root.and_(settled)).to_be_attached(timeout=timeout or self.answer_ms)
        return self

    def answered(self) -> Self:
        """Wait until everything sent is answered, whether there is a result or not."""
        expect(self.root).not_to_have_attribute("data-waiting", "", timeout=self.answer_ms)
        return self

    def said(self) -> list[str]:
        """The numbers on the screen and, at the end, the verdict, all read at one moment."""
        found: list[str] = self.root.evaluate(_SAID)
        return found

    def tab_to(self, testid: str) -> list[str]:
        """Press Tab until a part has the focus; what had it on the way."""
        seen: list[str] = []
        root = self.root.element_handle()
        for _ in range(_TABS):
            self.page.keyboard.press("Tab")
            seen.append(root.evaluate(_FOCUSED))
            if seen[-1] == testid:
                return seen
        raise AssertionError(f"{testid} is not reached by Tab: {seen}")

    def drag(self, part: Locator, dx: float, dy: float) -> None:
        """Take a part by its middle and move it; the button stays down."""
        part.scroll_into_view_if_needed()
        box = part.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=6)

    def export(self, opener: str, choice: str = "") -> tuple[str, bytes]:
        """Press a button that gives a file, and a choice below it; name and content of the file."""
        with self.page.expect_download(timeout=self.answer_ms) as arriving:
            self.part(opener).click()
            if choice:
                self.part(choice).click()
        return arriving.value.suggested_filename, Path(arriving.value.path()).read_bytes()

    def exported_result(self, kind: type[R]) -> R:
        """The result on the screen, of this kind, as it is exported."""
        result = Result.from_json(self.export("export-json")[1].decode())
        assert isinstance(result, kind)
        return result

    def wait_for_generation(self, least: int) -> None:
        """Wait until an answer to this generation or a later one is on the screen."""
        self.waited("(root, least) => Number(root.dataset.generation) >= least", least)

    def waited(self, condition: str, value: object = None) -> Any:
        """Wait until a function of the outermost element gives something; what it gives."""
        found = self.page.wait_for_function(
            f"([root, value]) => ({condition})(root, value)",
            arg=[self.root.element_handle(), value],
            timeout=self.answer_ms,
            polling=_LOOK_MS,
        )
        return found.json_value()
