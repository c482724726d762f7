"""Reports in a real browser: browser_test.py PROGRAM

Checks sample pages (report_sample beside the tests), a page that PROGRAM (the path of yupana) makes
from a matrix of distances, and those named in YUPANA_REPORT_PAGE (separated by ':'), each as far as
it is there. Exit status 77: nothing to check, or no browser. Also for other scripts: check_page.
"""

import os
import struct
import subprocess
import sys
import tempfile

from browser import Browser, find_browser

# Distinct colours on a canvas; 1 or 2 mean that nothing was drawn.
COLORS = """((name) => {
  const canvas = document.getElementById(name);
  if (!canvas || canvas.width === 0 || canvas.offsetParent === null) return 0;
  const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width,
    canvas.height).data.buffer);
  return new Set(pixels).size;
})(%r)"""
# A number that changes with the picture.
PICTURE = """((name) => {
  let sum = 7;
  for (const c of document.getElementById(name).toDataURL()) sum = (sum * 31 + c.charCodeAt(0)) | 0;
  return sum;
})(%r)"""
DATA = 'JSON.parse(document.getElementById("data").textContent)'


class Page:
    """A page under test: `expect` collects what does not hold."""

    def __init__(self, browser, motion):
        self.browser = browser
        self.settle = 0.9 if motion else 0.15  # seconds; with motion, points travel for 0.55 s
        self.failures = []

    def expect(self, holds, claim):
        if not holds:
            self.failures.append(claim)

    def value(self, expression):
        return self.browser.value(expression)

    def colors(self, canvas):
        return self.value(COLORS % canvas)

    def picture(self, canvas):
        return self.value(PICTURE % canvas)

    def text(self, name):
        return self.value(f"document.getElementById({name!r}).textContent")

    def label(self, canvas):
        return self.value(f"document.getElementById({canvas!r}).getAttribute('aria-label')")

    def click(self, selector):
        """A press of the pointer at the middle of an element, as a reader would."""
        self.value(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        x, y = self.value(f"(() => {{ const r = document.querySelector({selector!r})"
                          ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];"
                          " })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                              clickCount=1)
        self.browser.wait(self.settle)

    def key(self, name, code):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                              windowsVirtualKeyCode=code)
        self.browser.wait(self.settle)


def check_switch(page, name, canvas, title):
    """The switch `name` changes the picture and its words, by pointer and by keyboard."""
    if page.value(f"document.querySelectorAll('#{name} input').length") < 2:
        return
    before, words, label = page.picture(canvas), page.text(title), page.label(canvas)
    shown = page.value(f"[...document.querySelectorAll('#{name} input')].findIndex((input) => input.checked)")
    page.click(f"#{name} label:nth-of-type({2 if shown == 0 else shown})")
    page.expect(page.picture(canvas) != before, f"{name}: a click changes the picture")
    page.expect(page.text(title) != words, f"{name}: a click changes the title")
    page.expect(page.label(canvas) != label, f"{name}: a click changes the label")
    page.value(f"document.querySelector('#{name} input:checked').focus()")
    page.key(*(("ArrowLeft", 37) if shown == 0 else ("ArrowRight", 39)))
    page.expect(page.text(title) == words, f"{name}: an arrow goes back")
    page.expect(page.picture(canvas) == before, f"{name}: the first picture comes back")


def check_choice(page):
    """The right panel shows the embedding chosen for it, and the left one stays."""
    left, before = page.picture("scatter-1"), page.picture("scatter-2")
    words, label = page.text("scatter-2-name"), page.label("scatter-2")
    page.expect(page.text("scatter-1-name") != words, "the panels show two embeddings")
    chosen = page.value("document.getElementById('embedding-2').value")
    choose = ("(() => { const s = document.getElementById('embedding-2'); s.value = %s;"
              " s.dispatchEvent(new Event('change')); })()")
    page.value(choose % "'0'")
    page.browser.wait(page.settle)
    page.expect(page.picture("scatter-2") != before, "another embedding changes the right panel")
    page.expect(page.text("scatter-2-name") != words, "another embedding changes the title")
    page.expect(page.label("scatter-2") != label, "another embedding changes the label")
    page.expect(page.picture("scatter-1") == left, "the left panel stays")
    page.value(choose % f"'{chosen}'")
    page.browser.wait(page.settle)
    page.expect(page.picture("scatter-2") == before, "the first picture comes back")


def check_scatter(page):
    panels = [f"scatter-{k + 1}" for k in range(min(2, page.value(f"{DATA}.embeddings.length")))]
    for panel in panels:
        page.expect(page.colors(panel) > 5, f"{panel} is drawn")
    if len(panels) > 1:
        check_choice(page)
    before = [page.picture(panel) for panel in panels]
    changed = lambda: all(page.picture(panel) != old for panel, old in zip(panels, before))
    page.click("#zoom-in")
    page.expect(changed(), "zooming changes every panel")
    page.click("#zoom-reset")
    page.expect([page.picture(panel) for panel in panels] == before,
                "showing all brings the panels back")
    if page.value(f"Math.min(...{DATA}.embeddings.map((e) => e.dimensions))") > 2:
        page.value("(() => { const s = document.getElementById('axis-y'); s.value = '2';"
                   " s.dispatchEvent(new Event('change')); })()")
        page.browser.wait(page.settle)
        for panel in panels:
            third = page.value(f"{DATA}.axis") + " 3"
            page.expect(third in page.label(panel), "the third axis can be chosen")
        page.expect(changed(), "another axis changes the panels")
    if page.value(f"{DATA}.classNames.length") > 0 and page.value(f"{DATA}.covariate") is None:
        before = [page.picture(panel) for panel in panels]
        used = page.value("1 + [...document.querySelectorAll('#legend .count')].findIndex("
                          "(count) => count.textContent !== '0')")
        page.click(f"#legend li:nth-child({used}) button")
        page.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        page.browser.wait(page.settle)
        page.expect(changed(), "the legend hides a class in every panel")
        page.click(f"#legend li:nth-child({used}) button")
    page.click("#zoom-reset")
    for panel in panels:
        check_hover(page, panel, f"{panel}-tip")


def check_hover(page, canvas, tip):
    """Somewhere on the canvas an individual's name shows."""
    spot = page.value(f"""(() => {{
      const canvas = document.getElementById({canvas!r}), tip = document.getElementById({tip!r});
      canvas.scrollIntoView({{block: "center"}});
      const {{left, top, width, height}} = canvas.getBoundingClientRect();
      for (let y = 8; y < height; y += 8) for (let x = 8; x < width; x += 8) {{
        if (document.elementFromPoint(left + x, top + y) !== canvas) continue;
        canvas.dispatchEvent(new PointerEvent("pointermove", {{clientX: left + x, clientY: top + y}}));
        if (!tip.hidden) {{
          canvas.dispatchEvent(new PointerEvent("pointerleave"));
          return [left + x, top + y];
        }}
      }}
      return null;
    }})()""")
    page.expect(spot is not None, f"{canvas}: some point shows a tip")
    if spot is None:
        return
    page.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=spot[0], y=spot[1])
    page.browser.wait(0.1)
    known = page.value(f"""(() => {{
      const tip = document.getElementById({tip!r});
      return !tip.hidden && {DATA}.individuals.some((name) => tip.textContent.includes(name));
    }})()""")
    page.expect(known, f"{canvas}: pointing at an individual shows its name")


def check_heat_colors(page):
    """A colour means the same distance in the light and in the dark scheme."""
    spots = """(() => {
      const canvas = document.getElementById("heat-map"), pen = canvas.getContext("2d");
      const found = [];
      for (let k = 1; k < 40; k++) {
        const x = canvas.width * (0.2 + 0.5 * k / 40), y = canvas.height * k / 40;
        const [r, g, b] = pen.getImageData(x, y, 1, 1).data;
        // Cells without any distance have a grey of the scheme's own.
        if (Math.max(r, g, b) - Math.min(r, g, b) > 24) found.push(r, g, b);
      }
      return found.join(" ");
    })()"""
    before = page.value(spots)
    page.click("#scheme")
    page.expect(page.value(spots) == before, "the heat map has the same colours in both schemes")
    page.click("#scheme")


def check_tree(page):
    """A row for each individual where they can be read, fewer on request, names under the pointer."""
    individuals = page.value(f"{DATA}.individuals.length")
    rows = page.value("Number(document.getElementById('tree-rows').value)")
    page.expect(rows == individuals or individuals > 600 and rows < individuals,
                f"a tree of {individuals} shows {rows} rows")
    page.expect(page.colors("tree-plot") > 5, "the tree is drawn")
    supported = f"{DATA}.trees.findIndex((tree) => tree.support.length > 0)"
    if page.value(f"{supported} >= 0 && {DATA}.trees.length > 1"):
        page.expect(page.value(f"document.querySelector('#tree-switch input:checked').value == {supported}"),
                    "the tree with support is shown first")
        page.expect("support in percent" in page.value("document.getElementById('tree-note').textContent"),
                    "the note says what support is")
    check_hover(page, "tree-plot", "tree-tip")
    if individuals > 25:
        page.value("(() => { const s = document.getElementById('tree-rows'); s.value = '25';"
                   " s.dispatchEvent(new Event('change')); })()")
        page.browser.wait(page.settle)
        page.expect("in 25 rows" in page.label("tree-plot"), "the tree collapses to 25 rows")
    check_switch(page, "tree-switch", "tree-plot", "tree-name")


# Presses every button that saves a figure; what is saved is kept in place of downloads.
SAVE = """(() => {
  const blobs = [];
  URL.createObjectURL = (blob) => { blobs.push(blob); return "#"; };
  HTMLAnchorElement.prototype.click = () => {};
  const buttons = [...document.querySelectorAll(".save button")];
  for (const button of buttons) button.click();
  const wait = () => blobs.length < buttons.length ? setTimeout(wait, 50)
    : Promise.all(blobs.map((blob) => blob.type === "image/svg+xml" ? blob.text() : blob.type))
      .then((texts) => { window.saved = texts; });
  wait();
  return buttons.length;
})()"""
SAVED = """window.saved.map((text) => text.startsWith("<svg") ? (() => {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml");
  return svg.querySelector("parsererror") ? -1 : svg.querySelectorAll("path, rect, text, image").length;
})() : text)"""


def check_files(page):
    drawn = page.value("[...document.querySelectorAll('figure:not([hidden]) .plot > canvas:not(.over)')].length")
    pictures = [page.picture(name) for name in ("scatter-1", "tree-plot")
                if page.value(f"document.getElementById({name!r}) !== null")]
    page.expect(page.value(SAVE) == 2 * drawn, "each figure can be saved as SVG and as PNG")
    for _ in range(100):
        page.browser.wait(0.1)
        if page.value("window.saved !== undefined"):
            break
    saved = page.value(SAVED)
    svgs = [entry for entry in saved if isinstance(entry, int)]
    page.expect(len(svgs) == drawn and min(svgs) > 1, f"SVG files are well formed and hold something: {saved}")
    page.expect(len(saved) - len(svgs) == drawn, f"PNG files are made: {saved}")
    again = [page.picture(name) for name in ("scatter-1", "tree-plot")
             if page.value(f"document.getElementById({name!r}) !== null")]
    page.expect(pictures == again, "saving leaves the page as it was")


def check_page(browser, path, motion=False):
    """What does not hold of a report page, as a list of claims; empty when all is well.

    With `motion` the points travel between embeddings; without, they jump, as for readers who have
    asked their system for less motion.
    """
    page = Page(browser, motion)
    browser.open(path, motion=motion)
    browser.wait(page.settle)
    page.expect(page.text("title") == page.value(f"{DATA}.title"), "the title is shown")
    shown = page.value("document.getElementById('finding-list').children.length")
    page.expect(shown == page.value(f"{DATA}.findings.length"), "all findings are shown")
    shown = page.value("document.getElementById('notices').children.length")
    page.expect(shown == page.value(f"{DATA}.notices.length"), "all notices are shown")
    if page.value(f"{DATA}.embeddings.some((e) => e.dimensions > 0)"):
        check_scatter(page)
    if page.value(f"{DATA}.heatMaps.some((m) => m.size > 1 && m.high > m.low)"):
        page.expect(page.colors("heat-map") > 10, "the heat map is drawn")
        check_switch(page, "heat-switch", "heat-map", "heat-name")
        check_heat_colors(page)
    if page.value(f"{DATA}.trees.length") > 0 and page.value(f"{DATA}.individuals.length") > 1:
        check_tree(page)
    if page.value(f"{DATA}.alphas.length") > 0:
        page.expect(page.colors("retention-plot") > 5, "the retention curve is drawn")
    if page.value(f"{DATA}.newick.length") > 0:
        link = page.value("document.querySelector('#tree-links a').href")
        page.expect(link.startswith("data:text/plain"), "trees are links to their own text")
    if page.value(f"{DATA}.embeddings.some((e) => e.dimensions > 0)"):
        check_files(page)
    light = page.value("getComputedStyle(document.body).backgroundColor")
    errors, addresses = list(browser.errors), list(browser.addresses)
    browser.open(path, width=390, dark=True, motion=motion)
    browser.wait(page.settle)
    page.expect(page.value("getComputedStyle(document.body).backgroundColor") != light,
                "the dark scheme is followed")
    page.expect(page.value("document.documentElement.scrollWidth") <= 390,
                "a narrow page does not scroll sideways")
    page.expect(page.value("window.harmed === undefined"), "no name runs as a script")
    errors += browser.errors
    addresses += browser.addresses
    page.expect(not errors, f"the console is silent: {errors[:3]}")
    own = all(address.startswith(("file://", "data:")) for address in addresses)
    page.expect(own and len(addresses) == 2, f"nothing else is loaded: {addresses[:5]}")
    return page.failures


def sample_pages(sample, folder):
    for name, arguments in (("clusters", ["300", "4"]), ("many_classes", ["700", "300"]),
                            ("unlabelled", ["60", "0"]), ("hostile", ["hostile"]),
                            ("one", ["bare", "1", "1"]), ("none", ["bare", "0", "0"]),
                            ("flat", ["bare", "5", "1"]), ("pointless", ["bare", "3", "0"])):
        path = os.path.join(folder, name + ".html")
        subprocess.run([sample, path, *arguments], check=True)
        yield path


def program_page(program, folder):
    """The report of a run from distances: sixty points in three clumps on a line."""
    places = [100 * (i % 3) + 0.37 * i + (i * i % 7) for i in range(60)]
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 60), }"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    matrix = os.path.join(folder, "distances.npy")
    with open(matrix, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for a in places:
            file.write(struct.pack("<60d", *(abs(a - b) for b in places)))
    prefix = os.path.join(folder, "run")
    subprocess.run([program, "fermat", "--from-distances", matrix, "--alpha", "2", "-o", prefix],
                   check=True, stdout=subprocess.DEVNULL)
    return prefix + ".html"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ""
    sample = os.path.join(os.path.dirname(program), "tests", "report_sample")
    chosen = [path for path in os.environ.get("YUPANA_REPORT_PAGE", "").split(":") if path]
    browser_program = find_browser()
    if browser_program is None:
        print("skipped: no chromium on this machine")
        return 77
    with tempfile.TemporaryDirectory(prefix="yupana_pages.") as folder:
        pages = list(chosen)
        if os.access(sample, os.X_OK):
            pages += sample_pages(sample, folder)
        if os.access(program, os.X_OK):
            pages.append(program_page(program, folder))
        if not pages:
            print(f"skipped: neither {program or 'the program'} nor {sample} is built")
            return 77
        failed = False
        with Browser(browser_program) as browser:
            for path in pages:
                failures = check_page(browser, path, motion=path == pages[0])
                print(f"{'FAILED' if failures else 'ok'} {os.path.basename(path)}")
                for claim in failures:
                    print(f"    does not hold: {claim}")
                failed |= bool(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
