"""The runs that are made to fail are of every command, sub-command, reader and kind of output of the
program: what --help names has a run."""
import re

from help_text import commands, options
from jobs import JOBS

LINES = [line.split() for line in JOBS.values()]


def a_command_has_a_run():
    without = [" ".join(command) for command in commands()
               if not any(tuple(line[:len(command)]) == command for line in LINES)]
    assert not without, f"no run in jobs.py: {without}"


def values(command, option):
    """The words after an option in the runs of a command."""
    found = set()
    for line in LINES:
        if tuple(line[:len(command)]) == command and option in line:
            for word in line[line.index(option) + 1:]:
                if word.startswith("-"):
                    break
                found.add(word)
    return found


def a_kind_of_output_has_a_run():
    """Formats of simulate and filter, files besides those of splice, pictures of trees."""
    helps = commands()
    formats = set(options(helps["simulate",])["--format"].split(" ", 1)[1].split(", "))
    assert formats == values(("simulate",), "--format") | {"bed"}, formats
    for command in ("dist", "grm"):
        text = options(helps[command,])["--format"].partition(" ... ")[2].partition("[")[0]
        words = re.findall(r"(?:^|, )(\w+)", re.sub(r"\([^)]*\)", "", text))
        assert len(words) > 1 and set(words) <= values((command,), "--format"), (command, words)
    also = set(re.findall(r"(\w+)(?: \([^)]*\))?(?:,|$)", options(helps["splice",])["--also"].split(": ")[1]))
    assert also == values(("splice",), "--also") == {"gtf", "sam", "bam", "faa", "html"}, also
    written = helps["filter",].partition("written as ")[2].partition(", whichever")[0]
    endings = re.findall(r"\.[a-z.]*[a-z]", written)
    names = [line[line.index("-o") + 1] for line in LINES if line[0] == "filter"]
    without = [e for e in endings if not any(name == f"out/o{e}" for name in names)]
    assert len(endings) > 4 and not without, (endings, without)


def a_reader_of_genotypes_has_a_run():
    text = commands()["filter",].partition("input TEXT")[2].partition("\n\n")[0]
    endings = set(re.findall(r"\.[a-z.]*[a-z]", text.partition(" a PLINK")[0]))
    assert len(endings) > 7, text
    # BCF and standard input: one library reads them as VCF.
    without = [e for e in endings - {".bcf"} | {".zarr", "simulate:"}
               if not any(e in word for line in LINES for word in line[1:2])]
    assert not without, without
