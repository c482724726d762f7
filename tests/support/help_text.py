"""What the program says of itself in --help: its commands, their options and the words of these."""
import re

from program import run


def listed(text):
    """The commands that a --help lists."""
    return re.findall(r"(?m)^  ([a-z]\w*) ", text.partition("Subcommands:\n")[2].partition("\n\n")[0])


def commands():
    """Every command as its words, those with sub-commands as each of these, and its --help."""
    found = {}
    for command in listed(run("--help").stdout):
        text = run(command, "--help").stdout
        below = [(command, name) for name in listed(text)]
        found.update({words: run(*words, "--help").stdout for words in below} or {(command,): text})
    return found


def options(text):
    """The options of a --help, each with the rest of its line: {"--op": "TEXT=sum a NaN ..."}."""
    found = {}
    for names, rest in re.findall(r"(?m)^  ((?:-\w,)?--[\w,{}-]+) ?(.*(?:\n {20,}.*)*)", text):
        # --gc-donors,--no-gc-donors{false} are two; --chr-set,--autosome-num are one under two names.
        for name in re.findall(r"--[\w-]+", names):
            found[name] = " ".join(rest.split())
    return found
