"""What is wrong with options, and with options together, is said before any file is opened: exit
status 2, though the files named are missing too."""
import os
import pathlib

import numpy as np
from program import refuse, run


def refused(command, *faults):
    for options, says in faults:
        refuse(*command, *options.split(), status=2, says=says)


def genotypes():
    refused(("dist", "no.vcf", "-o", "x"),
            ("--half-call foo", "--half-call"), ("--chr 5-2", "5-2"), ("--region chr1:9-3", "chr1:9-3"),
            ("--metric foo", "foo"), ("--pairs-below 0.1 --pairs-above 0.2", "--pairs-below"),
            ("--nonfounders", "--maf"), ("--distance square ibs ibs", "got 'ibs' again"), ("--metric ibs --dtype int32", "--metric ibs, whose"), ("--round", "--round"), ("--pair-groups 2", "mpirun"))
    refused(("fermat", "no.vcf", "-o", "x"),
            ("--alpha 0.5", "--alpha"), ("--alpha auto,2", "auto"), ("--squared", "--from-distances"),
            ("--knn 3 --landmarks 3", "--landmarks"), ("--label-column 3", "--labels"),
            ("--precision int --alpha 2,1.5", "--precision int: expected a whole --alpha, got 1.5"))
    refused(("fermat", "--from-distances", "no.npy", "-o", "x"),
            ("--maf 0.1", "--maf"), ("--precision int --alpha 1.5", "got 1.5"))


def columns_of_numbers():
    refused(("scan", "no.npy", "-o", "x.npy"),
            ("--op min --wrap", "--wrap"), ("--op min --exclusive", "--exclusive"), ("--type f3", "--type"))
    refused(("reduce", "no.npy"), ("--op max --wrap", "--wrap"))
    refused(("sort", "no.npy"), ("-o x.gz", ".gz"), ("", "-o"))
    refused(("fft", "no.npy", "-o", "x.npy"), ("--axis 2", "--axis"), ("--odd", "--odd"))
    refused(("polymul", "no.npy", "no.npy", "-o", "x.npy"), ("--digits decimal", "--digits"))
    refused(("closest", "no.csv"), ("--columns 1,1", "a second time"), ("--columns 0", "got '0'"),
            ("--columns 1.5", "got '1.5'"), ("-o x.npy", ".tsv or .json"))
    refused(("trisolve", "no.mtx"), ("--rhs 0", "--rhs"), ("--rhs 2 -o x.txt", ".npy only"))


def tables():
    refused(("som", "fit", "no.csv", "-o", "x"),
            ("--neighbors 5", "4, 6 or 8, got '5'"), ("--lattice hexagonal --neighbors 4", "has 6"),
            ("--rows 0", "rows"), ("--online --learning-rate 2", "--learning-rate"), ("--image 0x3", "--image"))
    refused(("som", "apply", "no.json", "no.csv", "-o", "x"), ("--neighbors 5", "4, 6 or 8, got '5'"))
    refused(("tree", "fit", "no.csv", "--label", "class"),
            ("--cv 1", "--cv"), ("--stratified", "--stratified"), ("--binary", "--binary"),
            ("--class-weight a=-1", "got 'a=-1'"), ("--class-weight a=nan", "got 'a=nan'"),
            ("--balanced --regression", "--balanced"), ("--class-weight a=2 --regression", "--class-weight"))
    refused(("forest", "fit", "no.csv", "--label", "class"),
            ("--trees 0", "--trees: expected a whole number of at least 1"), ("--oob --all-rows", "--oob"))
    refused(("tree", "show", "no.json"), ("--tree 0", "--tree: expected a whole number of at least 1"))
    refused(("tree", "importances", "no.json", "no.csv"),
            ("", "--label"), ("--label a --repeats 0", "--repeats: expected a whole number of at least 1"))
    refused(("tree", "prune", "no.json", "-o", "x"), ("", "--ccp-alpha"), ("--label a", "--validation"))


def spliced_alignment():
    refused(("splice", "--batch", "no.txt"),
            ("", "-o"), ("-o x --match 2 --matrix m", "--matrix"), ("-o x --genome g", "--batch"),
            ("-o x --min-exon 9 --max-exon 3", "--min-exon"), ("-o x --estimate", "--estimate"),
            ("-o x --no-gc-donors --min-gc-donor 3", "--min-gc-donor"))
    refused(("splice", "--genome", "no.fa", "--exons", "e.tsv", "--target", "no.fa", "-o", "x"),
            ("--gap-open 3", "--gap-open"), ("--genetic-code 7", "--genetic-code"),
            ("--partial-codon -3", "--partial-codon"), ("--min-exon 3", "--min-exon"))


def outputs_over_inputs_were_refused_after_the_work():
    pathlib.Path("f.alpha3.nwk").write_text("0 1 2\n1 0 not_a_number\n2 1 0\n")
    pathlib.Path("f.html").write_text("s1\ta\ns1\tb\n")  # no labels: a sample twice
    run("simulate", "--samples", 5, "--sites", 90, "-o", "c")
    before = sorted(pathlib.Path(".").iterdir())
    for call in (("--from-distances", "f.alpha3.nwk", "--alpha", "2,3"), ("c.bed", "--labels", "f.html")):
        done = run("fermat", *call, "-o", "f", status=2)
        assert done.stdout == "" and "is read by this command" in done.stderr, done
        assert sorted(pathlib.Path(".").iterdir()) == before


def maps_were_trained_before_their_name_was_refused():
    """JSON, which names the codebook, is UTF-8; folders have any name."""
    latin = os.fsdecode(b"m\xe9")
    refuse("som", "fit", "no.csv", "-o", latin, status=2, says=["-o", "UTF-8", "m\\xe9"])
    pathlib.Path(latin).mkdir()
    pathlib.Path("t.csv").write_text("a,b\n1,2\n3,5\n")
    run("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "-o", latin + "/map", "--quiet")


def a_note_on_columns_came_before_the_refusal_of_an_option_of_text():
    np.save("t.npy", np.arange(40.0).reshape(10, 4) % 7)
    run("tree", "fit", "t.npy", "--label", 4, "-o", "m")
    run("som", "fit", "t.npy", "--ignore", 4, "--rows", 2, "--cols", 2, "-o", "s")
    for options in (("--header", "yes"), ("--delimiter", ","), ("--comment", "none"), ("--zero-based",)):
        refuse("tree", "predict", "m.json", "t.npy", *options, "-o", "o", status=2, says=f"yupana: {options[0]}: is for ")
        refuse("tree", "importances", "m.json", "t.npy", "--label", 4, *options, status=2, says=f"yupana: {options[0]}: is for ")
        refuse("som", "apply", "s.json", "t.npy", *options, "-o", "o", status=2, says=f"yupana: {options[0]}: is for ")
