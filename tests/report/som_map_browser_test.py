#!/usr/bin/env python3
"""Maps' pages in a real browser: som_map_browser_test.py PROGRAM

Every panel is drawn, pointing at a cell marks it everywhere and names its values, both schemes
draw, nothing is loaded. Exit status 77: no program or no browser.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

from browser import Browser, find_browser

# Distinct colours of each panel's canvas.
COLORS = """[...document.querySelectorAll("#panels canvas")].map((canvas) => {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext("2d", {willReadFrequently: true});
  pen.drawImage(canvas, 0, 0);
  return new Set(new Uint32Array(pen.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
})"""
# Where the cell of a share across and down of the first panel's map lies on the screen.
PLACE = """(() => { const c = document.querySelector("#panels canvas").getBoundingClientRect();
  return [c.x + %f * (c.width - 70), c.y + %f * (c.height - 8)]; })()"""
PICTURES = """[...document.querySelectorAll("#panels canvas")].map((c) => c.toDataURL())"""


def write_table(path):
    rng = random.Random(2)
    with open(path, "w", encoding="utf-8") as file:
        file.write("width,<b>tall</b>,kind\n")
        for i in range(90):
            file.write(f"{5000 + 1000 * rng.gauss(i % 3, 0.1)},{rng.gauss(i % 3, 1)},</script>{i % 3}\n")


def check(browser, path, panels, images):
    failures = []

    def expect(holds, claim):
        if not holds:
            failures.append(claim)

    browser.open(path)
    browser.wait(0.2)
    colors = browser.value(COLORS)
    expect(len(colors) == panels, f"{panels} panels: {len(colors)}")
    expect(min(colors) > 3, f"every panel has colours: {colors}")
    before = browser.value(PICTURES)
    x, y = browser.value(PLACE % (0.1, 0.1))
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait(0.2)
    told = browser.value("document.getElementById('neuron').textContent")
    expect(re.match(r"Neuron \d+ \(row [0-6], column [0-8]\): U-matrix ", told), f"the neuron is named: {told}")
    expect(not re.search(r"(?<![.\d])\d{4}", told), f"thousands that are not whole are parted too: {told}")
    after = browser.value(PICTURES)
    expect(all(a != b for a, b in zip(before, after)), "the neuron is marked in every panel")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    browser.wait(0.2)
    expect(browser.value(PICTURES) == before, "the mark goes with the pointer")
    browser.value("document.getElementById('scheme').click()")
    expect(min(browser.value(COLORS)) > 3, "the dark scheme draws")
    expect(browser.value("document.images.length") == images, "images of neurons")
    expect(browser.value("[...document.images].every((i) => i.complete && i.naturalWidth > 0)"),
           "images are shown")
    for width in (340, 2000):
        browser.open(path, width=width, dark=True)
        browser.wait(0.2)
        expect(browser.value("document.documentElement.scrollWidth <= innerWidth"),
               f"no sideways scrolling at {width}")
    expect(not browser.errors, f"no errors: {browser.errors}")
    others = [a for a in browser.addresses if not a.startswith(("data:", "file://" + path))]
    expect(not others, f"nothing is loaded: {others}")
    return failures


def main():
    program = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
    browser_program = find_browser()
    if browser_program is None or not os.access(program, os.X_OK):
        print("skipped: " + ("no chromium on this machine" if program else "no program given"))
        return 77
    failed = False
    with tempfile.TemporaryDirectory(prefix="yupana_maps.") as folder, \
            Browser(browser_program) as browser:
        table, out = os.path.join(folder, "t.csv"), os.path.join(folder, "map")
        write_table(table)
        for name, panels, images, options in (
                ("rectangular", 7, 0, ["--rows", "5", "--cols", "6"]),
                ("hexagonal", 7, 0, ["--rows", "6", "--cols", "5", "--lattice", "hexagonal"]),
                ("images", 5, 1, ["--rows", "4", "--cols", "4", "--image", "1x2"]),
                ("large", 7, 0, ["--rows", "60", "--cols", "80", "--iterations", "2"])):
            subprocess.run([program, "som", "fit", table, "--label", "kind", *options, "--quiet", "-o",
                            out], check=True, stdout=subprocess.DEVNULL)
            failures = check(browser, out + ".html", panels, images)
            print(f"{'FAILED' if failures else 'ok'} {name}")
            for claim in failures:
                print(f"    does not hold: {claim}")
            failed |= bool(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
