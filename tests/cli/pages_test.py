"""The pages of docs/ as readers use them: every command runs as written, every relative link leads somewhere."""
import functools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import blocks
from program import PROGRAM, ROOT, main

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINKED = [*PAGES, *sorted(ROOT.glob("[A-Z]*.md")), *sorted((ROOT / "yupana").glob("*/README.md"))]


def anchors(page):
    """Of the headings, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", title).lower()).replace(" ", "-") for title in titles}


def relative_links_lead_somewhere():
    found = 0
    for page in LINKED:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:|mailto:", link):
                continue
            found += 1
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.is_file(), f"{page}: no file {link}"
            assert not anchor or anchor in anchors(target), f"{page}: no heading of {link}; there are {anchors(target)}"
    assert found > 100, found


def headers_of_the_site_have_declarations():
    page = (ROOT / "docs" / "cpp-api.md").read_text()
    headers = re.findall(r"^<!-- header (.*) -->$", page, re.M)
    for header in headers:
        text = blocks.declarations(header)
        assert text.count("\n\n") > 1 and text.count("{") == text.count("}") and "namespace" not in text, text
    assert len(headers) > 30, headers
    scan = blocks.declarations("yupana/arrays/scan.hpp")
    assert "void inclusive_scan(Context& context, const T* in, std::int64_t n, T* out, Op op = {});\n" in scan, scan


def a_block_that_fails_is_found():
    cases = {"sh": ("```sh\nfalse\n```\n", "exit status 1"), "output": ("```console\n$ echo a\nb\n```\n", "no line"),
             "order": ("```console\n$ printf 'a\\nb\\n'\nb\na\n```\n", "no line"),
             "language": ("```\nls\n```\n", "expected a block of"), "cpp": ("```cpp\nint nowhere;\n```\n", "docs/examples"),
             "picture": ("<!-- picture none.png: nothing -->\n", "made none.png")}
    for name, (text, says) in cases.items():
        page = pathlib.Path(f"{name}.md")
        page.write_text(text)
        try:
            blocks.run(page, ".", PROGRAM)
        except blocks.Broken as broken:
            assert says in str(broken) and page.name in str(broken), broken
        else:
            raise AssertionError(f"{name}: not found")
    page.write_text("<!-- not run: here -->\n```sh\nfalse\n```\n```console\n$ echo a\n$ printf 'b\\nc\\n'\nc\n```\n")
    shown, scripts = blocks.run(page, ".", PROGRAM)
    assert shown.endswith("$ echo a\na\n$ printf 'b\\nc\\n'\nc\n```\n") and scripts == [], shown


def commands_of(page):
    indented = re.search(r"^[ >]+```.*", page.read_text(), re.M)
    assert not indented, f"{page}: a block within a list is not run: {indented[0]}"
    blocks.run(page, ".", PROGRAM)


def named(page):
    test = functools.partial(commands_of, page)
    test.__name__ = f"commands of {page.relative_to(ROOT)}"
    return test


if __name__ == "__main__":
    sys.exit(main([relative_links_lead_somewhere, headers_of_the_site_have_declarations, a_block_that_fails_is_found,
                   *map(named, PAGES)]))
