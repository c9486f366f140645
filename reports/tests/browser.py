"""Debian's Chromium, driven to look at pages on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium and chromedriver here: apt-get install chromium-driver"
)

_WIDE = 1400
_BLOCKED = 2  # Chromium's word for a content setting that says no


class Browser:
    """One window. What it asked the network for and what stood on its console is kept by page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, fragment: str = "", *, width: int = _WIDE, theme: str = "light") -> None:
        """Loads `page` anew, at that width and in that theme, and forgets what earlier pages logged."""
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self._log(kind)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        feature = {"name": "prefers-color-scheme", "value": theme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        self.driver.get(page.as_uri() + (f"#{fragment}" if fragment else ""))

    def _log(self, kind: str) -> list[dict[str, Any]]:
        """What came since it was asked for last."""
        return list(self.driver.get_log(kind))  # type: ignore[no-untyped-call]

    def find(self, css: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def shown(self, css: str) -> list[WebElement]:
        return [each for each in self.driver.find_elements(By.CSS_SELECTOR, css) if each.is_displayed()]

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def choose(self, name: str, value: str) -> None:
        """A value in one field of the filter, as a user's choice is told to the page."""
        self.run(
            "const field = document.querySelector('.filters').elements[arguments[0]];"
            "field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}));",
            name,
            value,
        )

    @property
    def fragment(self) -> str:
        return self.driver.current_url.partition("#")[2]

    def clipboard(self) -> str:
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
        return str(
            self.driver.execute_async_script(
                "const done = arguments[0];"
                "navigator.clipboard.readText().then(done, (error) => done(`unreadable: ${error}`));"
            )
        )

    def complaints(self) -> list[str]:
        """Errors and warnings on the console since `open`."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Addresses asked for since `open` beside files and data in the page itself."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        assert sent, "the page itself must have been asked for: else this shows nothing"
        return [url for url in sent if not url.startswith(("file:", "data:", "about:"))]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.run(f"return {width}"))

    def serious_findings(self) -> list[str]:
        """What axe-core finds that is serious or critical, with the first place of each."""
        found = Axe().run(self.driver)["violations"]
        return [
            f"{each['impact']} {each['id']}: {each['nodes'][0]['html'][:160]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]


@contextmanager
def browser(scripts: bool = True) -> Iterator[Browser]:
    options = webdriver.ChromeOptions()
    assert CHROMIUM
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": _BLOCKED}
        )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
