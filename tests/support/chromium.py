"""A real browser without a screen, for tests of pages."""

import json
import shutil

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def start(profile):
    """Start a headless Chromium with a profile of its own that logs what it does."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs the package selenium")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not program:
        pytest.skip("needs the package chromium")
    if not driver:
        pytest.skip("needs the package chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def show(browser, address, width=1280, theme="light", height=900):
    """Open a page, wait for its charts and return the browser's complaints."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": theme}]},
    )
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(address)
    settle(browser)
    return [entry["message"] for entry in browser.get_log("browser")]


def settle(browser):
    """Wait until the charts of the page are drawn, where it has any."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 120).until(
        lambda page: page.execute_script(
            "return document.readyState === 'complete' && (!document.querySelector('.chart')"
            " || /drawn|failed/.test(document.documentElement.dataset.charts))"
        )
    )


def requests(browser):
    """Return the addresses that the browser asked for since this was called last."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def lightness(colour):
    """Return the mean of a computed colour's channels, 0 to 255."""
    numbers = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(numbers) / 3
