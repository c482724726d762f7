"""Refusals and plans whose advice did not help, or that said nothing of what would take long."""
import pathlib
import random
import re

import numpy as np
import numpy.lib.recfunctions
from genes import complement, fasta, noise
from program import answer, helper, refuse, run

COHORT = "simulate:700x300,seed=1"


def whole_numbers_of_a_text_were_told_to_leave_wrap_out():
    pathlib.Path("n.txt").write_text(f"{2**63 - 1}\n{2**63 - 1}\n")
    np.save("f.npy", np.ones(3))
    for command in (("reduce", "n.txt"), ("scan", "n.txt", "-o", "o.txt")):
        refuse(*command, "--wrap", status=2, says=["n.txt are read as f8", "give --type i8 or u8"])
        refuse(*command, "--type", "i8", status=3, says=["pass --wrap", "or write each number with a point (7.) and pass --type f8"])
        refuse(*command, "--type", "i8", "--op", "product", status=3, says=["or write each number with a point (7.) and pass --type f8"])
        run(*command, "--wrap", "--type", "i8")
    refuse("reduce", "f.npy", "--wrap", status=2, says=["f.npy holds f8", "leave it out"])
    np.save("i.npy", np.full(3, 2**62))
    refuse("reduce", "i.npy", status=3, says=["or save the numbers as f8"])


def dates_of_a_npy_were_refused_without_what_to_do():
    np.save("day.npy", np.array(["2020-01-01", "2021-01-01"], "M8[D]"))
    np.save("time.npy", np.array([1, 2], "m8[s]"))
    np.save("text.npy", np.array(["a" * 20]))
    np.save("rows.npy", np.zeros(3, [("a", "i4"), ("b", "f8")]))
    for command in (("sort", "-o", "o.npy"), ("reduce",), ("closest",), ("fft", "-o", "o.npy")):
        for name, advice in (("day", "x.astype('int64')"), ("time", "x.astype('int64')"),
                             ("text", "x.astype('float64')"), ("rows", "x['NAME']")):
            refuse(command[0], f"{name}.npy", *command[1:], status=3, says=[f"{name}.npy", advice])


def records_of_a_table_were_told_to_be_one_field_which_is_no_table():
    records = np.zeros(9, [("a", "i4"), ("b", "f8"), ("c", "?")])
    records["a"], records["c"] = np.arange(9), np.arange(9) % 2
    np.save("rows.npy", records)
    np.save("table.npy", np.lib.recfunctions.structured_to_unstructured(records))
    for command in (("tree", "fit"), ("forest", "fit", "--trees", 2), ("som", "fit"), ("closest",)):
        options = ("-o", "m.tsv") if command[0] == "closest" else ("--label", 3, "-o", "m")
        refuse(*command, "rows.npy", *options, status=3, says="as rows and columns, numpy.lib.recfunctions.structured_to_unstructured(x)")
        run(*command, "table.npy", *options)


def a_plan_of_pca_did_not_name_its_own_option():
    for command in ("pca", "grm", "filter"):
        refuse("plan", command, "--samples", 5, "--sites", 5, status=2, says=[f"yupana {command} FILE --plan"])
    refuse("plan", "nj", status=2, says=["expected dist or fermat, got 'nj'"])


def one_pass(*command):
    """The memory of a plan of several passes with which one would do."""
    few = answer(*command, "--plan")
    assert few["passes"] > 3, few
    text = run(*command, "--plan").stdout
    named = re.search(rf"in {few['passes']} passes over the input; one with --memory ([\d.]+[kMG])", text)
    assert named, text
    return few["passes"], named[1]


def many_passes_were_made_without_a_word():
    for command, files in (("dist", [".dist.npy"]), ("grm", [".grm.bin", ".grm.N.bin"])):
        told = run(command, COHORT, "-o", "x", "--memory", "1k", status=4).stderr
        least = re.search(r"--memory to ([\d.]+[kMG])", told)[1]
        passes, memory = one_pass(command, COHORT, "-o", "x", "--memory", least)
        said = run(command, COHORT, "-o", "few", "--memory", least).stderr
        assert f": {passes} passes over the input; one with --memory {memory}\n" in said, said
        done = run(command, COHORT, "-o", "one", "--memory", memory)
        assert "passes" not in done.stderr, done.stderr
        plan = answer(command, COHORT, "-o", "x", "--memory", memory, "--plan")
        assert plan["passes"] == 1 and "one_pass_memory" not in plan, plan
        for ending in files:
            assert pathlib.Path("few" + ending).read_bytes() == pathlib.Path("one" + ending).read_bytes()


def replicates_were_counted_in_many_passes_without_a_word():
    command = ("dist", COHORT, "--tree", "nj", "--bootstrap", 20, "--block", 20)
    told = run(*command, "-o", "x", "--memory", "1k", status=4).stderr
    least = re.search(r"--memory to ([\d.]+)M", told)[1]
    said = run(*command, "-o", "few", "--memory", least + "M").stderr
    more = re.search(r"--bootstrap: 20 replicates in (\d+) passes over the input.* raised by ([\d.]+) MB", said)
    assert more and int(more[1]) > 1, said
    done = run(*command, "-o", "one", "--memory", f"{float(least) + float(more[2]):.2f}M")
    assert "passes" not in done.stderr, done.stderr
    assert pathlib.Path("few.nwk").read_bytes() == pathlib.Path("one.nwk").read_bytes()


@helper
def gene():
    exons = [noise(150) for _ in range(3)]
    return exons[0] + "GTAAGT" + noise(200) + "TTTTCTTTTCAG" + exons[1] + "GTAAGT" + noise(900) + "TTTTCTTTTCAG" + \
        exons[2], "".join(exons)


def splice_of_many_targets_was_refused_until_the_last_fitted():
    random.seed(1)
    genes = [gene() for _ in range(40)]
    fasta("g.fa", chr1="".join(noise(3000) + one[0] for one in genes[:25]),
          chr2="".join(noise(3000) + complement(one[0]) for one in genes[25:]))
    fasta("t.fa", **{f"t{i}": one[1] for i, one in enumerate(genes)})
    run("splice", "--genome", "g.fa", "--save", "index", "-o", "g.idx")
    usual = ("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "o")
    for options in ((), ("--index", "g.idx"), ("--exact-window",)):
        for memory in ("1k", "300k"):
            told = run(*usual, *options, "--memory", memory, status=4).stderr
            figure = re.search(r"--memory ([\d.]+[kMG])\b", told)
            assert figure and len(told.splitlines()) == 1, told
            run(*usual, *options, "--memory", figure[1])
