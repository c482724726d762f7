"""Commands on genotypes and distances: a refusal for too little --memory names a figure that will do."""
import gzip
import json
import pathlib
import re

from program import answer, helper, run


def follow(*arguments, memory="1k"):
    """Runs a command with too little memory, then with what the refusal says."""
    told = run(*arguments, "--memory", memory, status=4).stderr
    figure = re.search(r"--memory (?:to )?([\d.]+[kMG])\b", told)
    lines = [line for line in told.splitlines() if not line.startswith("note: ")]
    assert figure and len(lines) == 1, (arguments, told)
    run(*arguments, "--memory", figure[1])


@helper
def cohort():
    run("simulate", "--samples", 400, "--sites", 1500, "--missing", 0.01, "-o", "c")
    run("simulate", "--samples", 400, "--sites", 1500, "--missing", 0.01, "--format", "vcf.gz", "-o", "c")


def a_matrix_was_refused_three_times_before_a_figure_would_do():
    # Names, text and matrix were each held against memory before what the run makes of them.
    cohort()
    run("dist", "c.bed", "-o", "d", "--format", "npy", "tsv", "phylip")
    run("dist", "c.bed", "-o", "p", "--distance", "square", "bin")
    run("dist", "c.bed", "-o", "t", "--distance", "triangle", "gz")
    for name in ("d.dist.npy", "d.dist.tsv", "d.dist.phy", "p.dist.bin", "t.dist.gz"):
        for memory in ("1k", "500k"):
            follow("nj", name, "-o", "t.nwk", memory=memory)
            follow("fermat", "--from-distances", name, "-o", "o", memory=memory)
        follow("fermat", "--from-distances", name, "--matrix-only", "-o", "o")
    for method in ("bionj", "average", "single"):
        follow("nj", "d.dist.npy", "--tree", method, "-o", "t.nwk")


def a_path_was_refused_until_its_last_matrix_fitted():
    cohort()
    for options in ((), ("--root",), ("--precision", "float64"), ("--alpha", 1.5), ("--knn", 20)):
        run("fermat", "c.bed", "-o", "f", *options)
        for memory in ("1k", "1M", "2M"):
            follow("path", "f", "s1", "s9", memory=memory)


def simulate_named_no_figure():
    for form in ("bed", "pgen", "vcf.gz"):
        follow("simulate", "--samples", 3000, "--sites", 100, "--format", form, "-o", "s")
    for command in ("dist", "fermat", "grm", "pca"):
        follow(command, "simulate:400x1500", "-o", "o")


def every_refusal_of_genotypes_names_what_will_do():
    cohort()
    run("pca", "c.bed", "--loadings", "-o", "l")
    pairs = ("--king-cutoff", 0.2), ("--indep-pairwise", 50, 5, 0.2), ("--mind", 0.5)
    for name in ("c.bed", "c.vcf.gz"):
        for command in (("dist",), ("dist", "--tree", "nj"), ("dist", "--make-king-table"),
                        ("dist", "--pairs-below", 1, "--no-matrix"), ("fermat",), ("fermat", "--matrix-only"),
                        ("grm",), ("grm", "--format", "npy"), ("pca",), ("pca", "--approx"),
                        ("pca", "--loadings", "--report"), ("pca", "--project", "l.loadings.tsv")):
            follow(command[0], name, *command[1:], "-o", "o")
        for ending in ("bed", "pgen", "vcf", "vcf.gz", "npy"):
            follow("filter", name, "-o", f"o.{ending}")
    for filters in pairs:
        for command in ("dist", "fermat", "grm", "pca"):
            follow(command, "c.bed", *filters, "-o", "o")
        follow("filter", "c.bed", *filters, "-o", "o.bed")
    follow("dist", "c.bed", "--tree", "nj", "--bootstrap", 5, "--block", 10, "-o", "o")


def sort_was_refused_for_a_run_and_then_for_the_merge():
    pathlib.Path("n.txt").write_text("".join(f"{i * 7919 % 100_003}\n" for i in range(60_000)))
    pathlib.Path("r.csv").write_text("a,b\n" + "".join(f"{i * 7919 % 100_003},{i}\n" for i in range(150_000)))
    for name in ("n.txt", "r.csv"):
        with open(name, "rb") as text, gzip.open(name + ".gz", "wb") as packed:
            packed.write(text.read())
    for ending in ("", ".gz"):
        for memory in ("1k", "20k"):
            for options in ((), ("--positions",)):
                follow("sort", "n.txt" + ending, "-o", "s.txt", *options, memory=memory)
            follow("sort", "r.csv" + ending, "--key", "a:n", "-o", "s.csv", memory=memory)


def help_said_which_commands_count_the_program_and_left_out_king_cutoff():
    cohort()
    for command in ("dist", "filter", "grm", "pca"):
        told = run(command, "c.bed", "--king-cutoff", 0.2, "-o", "o.bed", "--memory", "1k", status=4).stderr
        assert float(re.search(r"raise --memory to ([\d.]+)M", told)[1]) > 14, (command, told)
        assert "dist, fermat, simulate and --king-cutoff count the program's own 14 MB" in run(command, "--help").stdout


def plan_named_an_option_that_it_lacks():
    told = run("plan", "--samples", "30k", "--sites", "1M", "--memory", "1M", status=4).stderr
    assert "take fewer samples" in told and "--keep" not in told, told


def the_memory_that_a_refusal_named_took_hundreds_of_passes():
    run("simulate", "--samples", 3000, "--sites", 300, "--missing", 0.01, "-o", "c")
    for command in (("dist",), ("dist", "--make-king-table"), ("grm",), ("dist", "--shared", "--metric", "king")):
        told = run(*command, "c.bed", "-o", "o", "--memory", "1k", status=4).stderr
        found = re.search(r"raise --memory to ([\d.]+M), or to ([\d.]+M) to count in at most 4 passes", told)
        assert found, told
        least, few = [answer(*command, "c.bed", "-o", "o", "--memory", memory, "--plan")
                      for memory in found.groups()]
        assert few["passes"] <= 4 < least["passes"], (command, told)
