"""Code blocks of the pages: the site shows what they print, the tests hold that they run.

The `sh` and `console` blocks of a page run in order in one folder. A `console` block holds commands, `$ ...`, each with
lines below that it prints, in order and perhaps among others; with none below, the site shows all that it prints. A
`python` block of `>>>` lines is a doctest, any other a program. A `cpp` block is a part of docs/examples, which are
built and run. Before a block,

    <!-- not run: REASON -->                  leaves it out;
    <!-- picture FILE: DESCRIPTION -->        is a picture that the commands above made, on the site alone;
    <!-- header FILE -->                      are the declarations of a public header, on the site alone;

and the lines between `<!-- run first` and `-->` prepare the folder.
"""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
LANGUAGES = {"sh", "console", "python", "cpp", "cmake", "text"}  # the last two are not run
PART = re.compile(
    r"^<!-- run first\n(?P<setup>.*?)^-->\n"
    r"|^<!-- picture (?P<picture>\S+): (?P<description>.*?) -->\n"
    r"|^<!-- header (?P<header>\S+) -->\n"
    r"|^(?:<!-- not run: (?P<reason>.*?) -->\n)?```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)


class Broken(AssertionError):
    """A block that does not do what its page says."""


def shell(command, folder, program):
    """What a command prints; `yupana` is the program."""
    environment = {**os.environ, "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise Broken(f"exit status {done.returncode} of\n{command}\n{done.stdout}")
    return done.stdout.rstrip()


def console(text, folder, program):
    """The block with what its commands print now."""
    shown = []
    for entry in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = re.match(r"((?:[^\n]*\\\n)*[^\n]*)(\n?)(.*)", entry, re.S).groups()
        printed = shell(command, folder, program)
        rest = iter(printed.splitlines())
        for line in filter(None, expected.rstrip().splitlines()):
            if line not in rest:
                raise Broken(f"no line (in this order)\n{line}\nin what is printed by\n{command}\n{printed}")
        shown += ["$ " + command, expected.rstrip() or printed]
    return "\n".join(filter(None, shown)) + "\n"


def declarations(header):
    """What a header declares in its outermost namespace, with comments and without bodies of functions, as Markdown."""
    out, lines, depth = [], [], 0
    for line in (ROOT / header).read_text().splitlines():
        if re.match(r"namespace|}  // namespace", line):
            depth += 1 if line.startswith("namespace") else -1
        elif depth == 1 and (line or lines) and not line.startswith("#"):
            lines.append(line)
            text = "\n".join(lines)
            code = re.sub(r"//.*", "", text)
            if code.count("{") == code.count("}") and code.count("(") == code.count(")") and re.search(r"[;}]\s*$", code):
                comment, body = re.match(r"((?:\s*//[^\n]*\n)*)(.*)", text, re.S).groups()
                if not re.match(r"(template [^\n]*\n)?(struct|class|enum|using|inline constexpr)\b", body):
                    body = re.sub(r"\)[^()]*?( : [^{]*)? \{(?!\}).*", ");", body, count=1, flags=re.S)
                body = re.sub(r"^(  \S[^\n]*\)[^\n]*) \{\n(?:    [^\n]*\n|\n)*  \}$", r"\1;", body, flags=re.M)
                body = re.sub(r"\n+ private:.*^\};", "\n};", body, flags=re.M | re.S)
                out.append(re.sub(r"^///", "//", comment.lstrip("\n"), flags=re.M) + body)
                lines = []
    if lines:
        raise Broken(f"{header}: no declaration ends after {lines[0]}")
    return f"### {header}\n\n```cpp\n" + "\n\n".join(out) + "\n```\n"


def parts(page):
    return list(PART.finditer(page.read_text()))


def run(page, folder, program, pictures=None):
    """The page with what its commands print, and its programs in Python; pictures are named from that folder."""
    scripts = []

    def replace(part):
        language, text, whole = part["language"], part["text"], part[0]
        if part["setup"]:
            shell(part["setup"], folder, program)
            return ""
        if part["picture"]:
            if not (pathlib.Path(folder) / part["picture"]).is_file():
                raise Broken(f"no command above made {part['picture']}")
            return f"![{part['description']}]({pictures}/{part['picture']})\n"
        if part["header"]:
            return declarations(part["header"])
        if language not in LANGUAGES:
            raise Broken(f"expected a block of {', '.join(sorted(LANGUAGES))}, got {whole}")
        if part["reason"]:
            return whole
        if language == "sh":
            shell(text, folder, program)
        elif language == "console":
            return f"```console\n{console(text, folder, program)}```"
        elif language == "python" and not text.startswith(">>>"):
            scripts.append(text)
        elif language == "cpp" and not any(text in file.read_text() for file in (ROOT / "docs/examples").glob("*.cpp")):
            raise Broken(f"no file of docs/examples has this part:\n{text}")
        return whole

    try:
        return PART.sub(replace, page.read_text()), scripts
    except Broken as broken:
        raise Broken(f"{page}: {broken}") from None
