"""Two ways to do the same: with the mouse, and with the keyboard alone."""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol, Self

from playwright.sync_api import Locator, Page, expect

Role = Literal["button", "checkbox", "combobox", "link", "option", "radio", "tab", "textbox"]
Name = str | re.Pattern[str]
Root = Page | Locator
WAYS: Final = ("mouse", "keyboard")
FARTHEST: Final = 150
"""So many Tabs lead once around any page; what is not met by then cannot be reached."""
IS_HERE: Final = "all => all.includes(document.activeElement)"


class Hands(Protocol):
    """What people do to a page. Names are those that are read out."""

    def within(self, root: Root) -> Self: ...
    def press(self, role: Role, name: Name) -> None: ...
    def write(self, name: Name, text: str) -> None: ...
    def choose(self, name: Name, option: str) -> None: ...
    def take(self, item: str) -> None: ...
    def go(self, section: str) -> None: ...
    def open_row(self, name: str) -> None: ...
    def ask_why(self, name: str) -> None: ...


def hands_of(way: str, page: Page) -> Hands:
    return Mouse(page, page) if way == "mouse" else Keyboard(page, page)


@dataclass(frozen=True)
class Mouse:
    page: Page
    root: Root

    def within(self, root: Root) -> Self:
        return replace(self, root=root)

    def press(self, role: Role, name: Name) -> None:
        self.root.get_by_role(role, name=name).click()

    def write(self, name: Name, text: str) -> None:
        self.root.get_by_role("textbox", name=name).fill(text)

    def take(self, item: str) -> None:
        """From a menu that is open."""
        self.page.get_by_role("menuitem", name=item).click()

    def choose(self, name: Name, option: str) -> None:
        self.press("combobox", name)
        self.page.get_by_role("option", name=option, exact=True).click()

    def go(self, section: str) -> None:
        self.page.get_by_role("navigation", name="sections").get_by_role("link", name=section).click()

    def open_row(self, name: str) -> None:
        self.root.get_by_role("row").get_by_role("link", name=name, exact=True).click()

    def ask_why(self, name: str) -> None:
        """From a card of what needs somebody: its name, then the tab."""
        self.root.get_by_role("link", name=name, exact=True).first.click()
        self.page.get_by_role("tab", name="Why").click()


@dataclass(frozen=True)
class Keyboard:
    """Tab, Enter, arrows and the keys of the page; never a click, never a field filled from outside."""

    page: Page
    root: Root

    def within(self, root: Root) -> Self:
        return replace(self, root=root)

    def press(self, role: Role, name: Name) -> None:
        if role == "tab":
            self._turn_to(name)
            return
        self._reach(self.root.get_by_role(role, name=name))
        self.page.keyboard.press("Space" if role in ("checkbox", "radio") else "Enter")

    def write(self, name: Name, text: str) -> None:
        """Over what is there, if anything is."""
        self._reach(self.root.get_by_role("textbox", name=name))
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def take(self, item: str) -> None:
        """By the arrows of a menu that is open."""
        wanted = self.page.get_by_role("menuitem", name=item)
        for _ in range(FARTHEST):
            if wanted.evaluate_all(IS_HERE):
                break
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")

    def choose(self, name: Name, option: str) -> None:
        box = self.root.get_by_role("combobox", name=name)
        self._reach(box)
        self.page.keyboard.press("ArrowDown")
        wanted = self.page.get_by_role("option", name=option, exact=True)
        expect(wanted).to_be_visible()
        for _ in range(FARTHEST):
            active = box.get_attribute("aria-activedescendant")
            # A list that is still coming in forgets what was chosen in it: one looks, and chooses again.
            self.page.keyboard.press(
                "Enter" if active and active == wanted.get_attribute("id") else "ArrowDown"
            )
            self.page.wait_for_timeout(100)
            if not wanted.is_visible():
                return

    def go(self, section: str) -> None:
        """By the two letters that the section's own hint names."""
        link = self.page.get_by_role("navigation", name="sections").get_by_role("link", name=section)
        for letter in (link.get_attribute("title") or "").split():
            self.page.keyboard.press(letter)

    def open_row(self, name: str) -> None:
        row = self.root.get_by_role("row").filter(has=self.page.get_by_role("link", name=name, exact=True))
        expect(row).to_be_visible()
        for _ in range(FARTHEST):
            if row.get_attribute("aria-selected") == "true":
                break
            self.page.keyboard.press("j")
        self.page.keyboard.press("Enter")

    def ask_why(self, name: str) -> None:
        """From a card of what needs somebody: `j` until it is chosen, then `w`."""
        card = self.page.locator(".need[data-chosen]").filter(
            has=self.page.get_by_role("link", name=name, exact=True)
        )
        for _ in range(FARTHEST):
            self.page.keyboard.press("j")
            if card.count():
                break
        self.page.keyboard.press("w")

    def _turn_to(self, name: Name) -> None:
        tab = self.root.get_by_role("tab", name=name)
        expect(tab).to_be_visible()
        for _ in range(FARTHEST):
            if tab.get_attribute("aria-selected") == "true":
                return
            self.page.keyboard.press("]")

    def _reach(self, wanted: Locator) -> None:
        expect(wanted.first).to_be_visible()
        for _ in range(FARTHEST):
            if wanted.evaluate_all(IS_HERE):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {wanted}")
