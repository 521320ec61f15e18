# SPDX-License-Identifier: Apache-2.0
"""The dashboard's page in a browser. PAGE_SHOTS names a directory for pictures of it."""

import os
import shutil
import threading

import pytest
from server.test_dashboard import SNAPSHOT, FakeSource, Site

pytestmark = pytest.mark.slow
playwright = pytest.importorskip("playwright.sync_api")
for _package in ("starlette", "uvicorn", "prometheus_client"):
    pytest.importorskip(_package)
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("there is no chromium", allow_module_level=True)

_NAMES = ("sort", "apply", "reduce_all", "group_by", "take", "multiply_matrices", "text_hash", "run_everywhere")


class LiveSource(FakeSource):
    """Four PEs with an operation per snapshot. The time is that of the snapshots, not of a clock."""

    def __init__(self):
        super().__init__()
        self.busy, self.name, self.step = True, "big", 0

    def snapshot(self, operations, lines):
        found = super().snapshot(operations, lines)
        self.step += 1
        now = 100 + 0.5 * self.step
        all_operations = [
            (step, 100 + 0.5 * step, 100.4 + 0.5 * step, _NAMES[step % len(_NAMES)], "s1") for step in range(self.step)
        ]
        client = SNAPSHOT["list"][0]
        found.update(
            name=self.name, now=now, pes=4,
            stats={**SNAPSHOT["stats"], "memory_in_use": (1 << 30) + (self.step % 9 << 26), "memory_limit": 1 << 34,
                   "memory_peak": 3 << 30, "bytes_put": 90_000_000 * self.step},
            processes=[
                {"pid": 10 + pe, "cpu_seconds": 0.1 * (pe + 1) * self.step, "threads": 2, "resident": 1 << 30,
                 "state": "R"}
                for pe in range(4)
            ],
            operations=[one for one in all_operations if one[0] > operations][-500:],
            lines=[(step, f"line {step}") for step in range(lines + 1, self.step)],
            list=[
                {**client, "running": "sort" if self.busy else "", "bytes": 3 << 30},
                {**client, "session": "s2", "user": "grace", "running": "", "waiting": self.busy, "bytes": 1 << 28},
                {**client, "session": "s3", "user": "edsger", "running": "", "role": "read", "bytes": 1 << 20,
                 "quota": 4 << 20},
            ],
            objects=[
                *SNAPSHOT["objects"],
                {"name": "<b>x</b>", "kind": "ndarray", "bytes": 3 << 29, "user": "eve", "role": "code", "at": 0.0},
            ],
            phases={
                "sort": (4.0, 1.2, 0.8), "group_by": (2.5, 0.5, 1.2), "apply": (2.0, 0.0, 0.2),
                "take": (1.0, 0.7, 0.1), "reduce_all": (0.5, 0.0, 0.3),
            },
            scans=[
                {**SNAPSHOT["scans"][0], "number": 3, "state": "running", "seconds": 0.5 * self.step,
                 "steps": [("read    <b>x</b>.parquet: columns a of a", 9 * self.step, 72 * self.step, 0.5, 0, 0)]},
                *SNAPSHOT["scans"],
            ],
            totals={name: (step + 1, 0.4 * step + 0.1) for step, name in enumerate(_NAMES)},
        )  # fmt: skip
        if not self.busy:
            found["state"] = {}
        return found

    def cancel(self, session, request):
        self.cancelled.append((session, request))
        self.busy = False
        return True


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture
def site():
    found = Site(LiveSource())
    yield found
    found.server.close()


@pytest.fixture
def page(browser, site):
    """The page, with data, in a window of its own; errors of its script fail the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    found = context.new_page()
    errors = []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    found.goto(f"http://127.0.0.1:{site.server.port}/#token=secret")
    found.wait_for_selector("#pes tr:nth-child(4) td")
    yield found
    context.close()
    assert errors == []


def shot(page, name):
    if directory := os.environ.get("PAGE_SHOTS"):
        page.screenshot(path=f"{directory}/{name}.png", full_page=True)


def wait(page, condition, argument=None):
    """Waits until a condition of the page holds. (The page's policy refuses Playwright's own function.)"""
    for _ in range(600):
        if page.evaluate(condition, argument):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{condition} has not become true")


def wait_text(page, selector, text):
    wait(page, "([selector, text]) => document.querySelector(selector)?.textContent.includes(text)", [selector, text])


def test_address_with_token_opens_the_page_and_loses_the_token(page):
    assert "#" not in page.url
    assert "secret" not in page.content()
    assert page.title() == "big · Atoll"
    assert page.inner_text("#status") == "sort is running, 1 waiting"
    assert page.evaluate("document.cookie") == ""  # scripts cannot read it


def test_page_without_token_asks_for_it(browser, site):
    page = browser.new_context().new_page()
    page.goto(f"http://127.0.0.1:{site.server.port}/")
    page.wait_for_selector("#login:not([hidden])")
    shot(page, "login")
    assert not page.is_visible("#content")
    page.fill("#token", "wrong")
    page.keyboard.press("Enter")
    wait_text(page, "#login-error", "This is not the token.")
    page.fill("#token", "secret")
    page.keyboard.press("Enter")
    page.wait_for_selector("#pes tr:nth-child(4) td")
    page.context.close()


def test_overview_tells_pes_host_memory_and_cores(page):
    facts = page.inner_text("#facts")
    for text in ("driver", "node", "PEs", "Threads per PE", "Load", "16 GiB"):
        assert text in facts
    assert page.locator("#pes tr").count() == 4
    wait(page, "document.querySelectorAll('#cpu polyline')[0]?.points.length > 4")
    assert "cores" in page.inner_text("#cpu-now")
    assert "/s" in page.inner_text("#network-now")
    assert "at most" in page.get_attribute("#memory-chart", "aria-label")
    shot(page, "light")


def test_overview_tells_how_unequal_the_work_of_pes_is(page):
    wait_text(page, "#facts", "PE 3 works 60 % more than the mean")  # they use 0.2, 0.4, 0.6 and 0.8 cores
    shares = page.locator("#pes tr td:nth-child(5)").all_inner_texts()
    assert shares == ["−60 %", "−20 %", "+20 %", "+60 %"]


def test_timeline_draws_operations_of_each_pe(page):
    wait(page, "document.querySelectorAll('#timeline rect').length >= 12")
    kinds = page.evaluate("[...new Set([...document.querySelectorAll('#timeline rect')].map(one => one.classList[1]))]")
    assert len(kinds) >= 2  # coloured by kind
    assert page.locator("#timeline .load").count() == 4
    assert page.locator("#legend li").count() == 9


def test_click_on_an_operation_shows_its_details(page):
    wait(page, "document.querySelectorAll('#timeline rect').length >= 12")
    page.click("#live")
    page.locator("#timeline rect:not([data-number='0'])").first.dispatch_event("click")
    details = page.inner_text("#details")
    for text in ("Operation", "Kind", "Took", "400 ms", "s1"):
        assert text in details
    assert page.locator("#timeline .chosen").count() == 4  # on each PE


def test_timeline_zooms_and_moves_by_the_keyboard(page):
    wait(page, "document.querySelectorAll('#timeline rect').length >= 12")
    page.focus("#timeline")
    page.keyboard.press("+")
    wait_text(page, "#window", "30 s")
    page.keyboard.press("-")
    page.keyboard.press("-")
    wait_text(page, "#window", "2 min")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#live", "aria-pressed") == "false"
    page.keyboard.press("l")
    assert page.get_attribute("#live", "aria-pressed") == "true"
    page.keyboard.press("n")
    assert "Operation" in page.inner_text("#details")
    first = page.get_attribute("#timeline .chosen >> nth=0", "data-number")
    page.keyboard.press("n")
    assert page.get_attribute("#timeline .chosen >> nth=0", "data-number") != first


def test_queue_shows_progress_and_waiting_sessions(page):
    assert page.get_attribute("#progress progress", "value") == "0.5"
    states = page.locator("#sessions tr td:nth-child(4)").all_inner_texts()
    assert states == ["runs sort", "waits for its turn", "idle"]
    assert page.locator("#sessions button:disabled").count() == 1  # nothing to cancel in the third


def test_cancel_button_cancels_and_tells(page, site):
    page.click("#sessions tr:first-child button")
    wait_text(page, "#cancelled", "The request of session s1 is cancelled.")
    assert site.source.cancelled == [("s1", 7)]
    wait_text(page, "#status", "idle")
    wait_text(page, "#progress", "No operation is running.")


def test_scans_show_the_steps_of_each_run_with_rows_and_bytes(page):
    blocks = page.locator("#plans details")
    assert blocks.count() == 2
    assert "Scan 3 of session s1: running" in blocks.nth(0).locator("summary").inner_text()
    assert blocks.nth(0).get_attribute("open") is not None
    assert "<b>x</b>.parquet" in blocks.nth(0).locator("tbody").inner_text()  # as text, not as HTML
    second = blocks.nth(1).locator("summary")
    assert second.inner_text() == "Scan 2 of session s1: done, 1.50 s, 7 rows"
    second.focus()
    page.keyboard.press("Enter")
    rows = [row.split("\t") for row in blocks.nth(1).locator("tbody tr").all_inner_texts()]
    assert [row[1:4] for row in rows] == [["1,200,000", "18 MiB", "1.00 s"], ["", "", ""], ["7", "112 B", "250 ms"]]
    assert rows[2][4:] == ["4.0 KiB", "1.0 MiB"]
    before = blocks.nth(0).locator("tbody td").first.inner_text()
    wait(page, "one => document.querySelector('#plans tbody td').textContent !== one", before)  # it runs
    assert blocks.nth(1).get_attribute("open") is not None  # as the reader has left it


def test_profile_shows_time_by_operation_and_phase(page):
    rows = [row.split("\t") for row in page.locator("#phases tr").all_inner_texts()]
    assert rows[0][:5] == ["sort", "4.000", "2.00 s", "1.20 s", "800 ms"]
    label = page.get_attribute("#phases svg >> nth=0", "aria-label")
    assert label == "sort: compute 50 %, exchange 30 %, wait 20 %"
    widths = page.evaluate(
        "[...document.querySelector('#phases svg').children].map(one => Number(one.getAttribute('width')))"
    )
    assert widths == [50, 30, 20]


def test_profile_shows_sampled_stacks_as_a_tree(page):
    page.wait_for_selector("#stacks .frame")
    assert "100 samples, 10 ms apart; 20 % idle" in page.inner_text("#sampled")
    top = page.locator("#stacks > .frame")  # below the frame that all stacks have
    assert top.count() == 2
    assert "94 %" in top.nth(0).inner_text()
    assert "Client._run (server/client.py:255)" in top.nth(0).inner_text()
    leaves = page.locator("#stacks .frame .frame").all_inner_texts()
    assert [one.split("\n")[-1].split("%")[-1].strip() for one in leaves] == [
        "sort (engine)",
        "<b>f</b> (my/code.py:7)",
    ]
    top.nth(0).locator("summary").focus()
    page.keyboard.press("Enter")
    assert not page.is_visible("#stacks .frame .frame")
    page.wait_for_timeout(2500)  # the next samples leave it folded
    assert not page.is_visible("#stacks .frame .frame")
    page.evaluate("document.querySelector('#profile').scrollIntoView()")


def test_memory_is_listed_by_session_and_by_name(page):
    sessions = page.locator("#by-session tr").all_inner_texts()
    assert [one.split()[0] for one in sessions] == ["s1", "s2", "s3"]
    assert "3.0 GiB" in sessions[0]
    assert "4.0 MiB" in sessions[2]  # its quota
    names = page.locator("#by-name tr th").all_inner_texts()
    assert names == ["<b>x</b>", "trips"]  # as text, not as HTML
    assert page.locator("#by-name meter").count() == 2


def test_log_grows_without_repeating_lines(page):
    wait(page, "document.querySelector('#lines').textContent.split('\\n').length > 5")
    lines = page.inner_text("#lines").split()
    numbers = [int(one) for one in lines if one.isdigit()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_dark_theme_follows_the_system_and_the_button(browser, site):
    context = browser.new_context(color_scheme="dark", viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{site.server.port}/#token=secret")
    page.wait_for_selector("#pes tr:nth-child(4) td")
    wait(page, "document.querySelectorAll('#timeline rect').length >= 12")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    shot(page, "dark")
    page.click("#theme")
    assert page.evaluate(background) != dark
    page.reload()
    page.wait_for_selector("#pes tr:nth-child(4) td")
    assert page.evaluate(background) != dark  # it is remembered
    context.close()


def test_text_has_enough_contrast_in_both_themes(page):
    contrast = """selector => {
        const light = text => {
            const [r, g, b] = text.match(/[\\d.]+/g).map(Number)
                .map(one => { one /= 255; return one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4; });
            return .2126 * r + .7152 * g + .0722 * b;
        };
        const element = document.querySelector(selector);
        const behind = element.closest('section,header,form');
        const pair = [light(getComputedStyle(element).color), light(getComputedStyle(behind).backgroundColor)];
        pair.sort((a, b) => b - a);
        return (pair[0] + .05) / (pair[1] + .05);
    }"""
    page.wait_for_selector("#stacks .part")
    for _ in range(2):
        for selector in ("#status", "h2", "#pes td", "caption", "nav a", "#window", "summary", ".part"):
            assert page.evaluate(contrast, selector) >= 4.5, selector
        page.click("#theme")


def test_everything_is_reached_by_the_keyboard(page):
    found = []
    for _ in range(60):
        page.keyboard.press("Tab")
        found.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    for wanted in ("Skip to content", "Overview", "theme", "zoom-in", "live", "timeline", "Cancel", "lines"):
        assert wanted in found


def test_screen_readers_find_names_and_landmarks(page):
    assert page.locator("main, header, nav[aria-label]").count() == 3
    for selector, has in {
        "section": "one => document.getElementById(one.getAttribute('aria-labelledby'))",
        "table": "one => one.caption && one.tHead",
        "svg[role]": "one => one.getAttribute('aria-label')",
        "button, input": "one => one.textContent || one.labels?.length",
    }.items():
        wait(page, f"[...document.querySelectorAll('{selector}')].every({has})")
    assert page.evaluate("document.documentElement.lang") == "en"


def test_narrow_window_has_no_sideways_scrolling(browser, site):
    context = browser.new_context(viewport={"width": 420, "height": 800})
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{site.server.port}/#token=secret")
    page.wait_for_selector("#pes tr:nth-child(4) td")
    shot(page, "narrow")
    assert page.evaluate("document.documentElement.scrollWidth") <= 421
    context.close()


def test_page_behind_a_proxy_at_another_path(browser, site):
    """As jupyter-server-proxy does: /user/ada/proxy/8787/X of the proxy is /X of the dashboard."""
    import http.server
    import urllib.error
    import urllib.request

    prefix = "/user/ada/proxy/8787"

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if not self.path.startswith(f"{prefix}/"):
                self.send_error(404)
                return
            length = int(self.headers.get("Content-Length", 0))
            kept = {key: value for key, value in self.headers.items() if key.lower() not in ("host", "connection")}
            request = urllib.request.Request(
                f"http://127.0.0.1:{site.server.port}{self.path.removeprefix(prefix)}",
                self.rfile.read(length) if length else None, kept,
            )  # fmt: skip
            try:
                answer = urllib.request.urlopen(request, timeout=30)
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                self.send_response(answer.status)
                for key, value in answer.headers.items():
                    if key.lower() not in ("connection", "transfer-encoding"):
                        self.send_header(key, value)
                self.end_headers()
                try:
                    while part := answer.read1(65536):
                        self.wfile.write(part)
                except OSError:
                    pass  # the page is closed

        do_POST = do_GET

        def log_message(self, *about):
            pass

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    context = browser.new_context()
    page = context.new_page()
    try:
        page.goto(f"http://127.0.0.1:{proxy.server_port}{prefix}/#token=secret")
        page.wait_for_selector("#pes tr:nth-child(4) td")
        assert page.url.endswith(f"{prefix}/")
        page.click("#sessions tr:first-child button")
        wait_text(page, "#cancelled", "is cancelled")
    finally:
        context.close()
        proxy.shutdown()
        proxy.server_close()


def test_end_of_the_engine_is_shown(page, site):
    site.source.gone = True
    wait_text(page, "#status", "no answer: the server has ended")
    assert "bad" in page.get_attribute("#status", "class")
    site.source.gone = False
    wait_text(page, "#status", "is running")
