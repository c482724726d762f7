#!/usr/bin/env python3
"""Genomic commands: values that were taken without effect, answers that named something else."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, refuse, run

COHORT = "simulate:12x400"


def write(path, text):
    pathlib.Path(path).write_text(text)
    return path


def empty_words_crashed_or_wrote_no_matrix():
    for command, option, expected in (("dist", "--format", "npy, tsv or phylip, got ''"),
                                      ("grm", "--format", "gcta or npy, got ''"),
                                      ("dist", "--king-cutoff", "a kinship"), ("dist", "--hwe", "a number"),
                                      ("dist", "--indep-pairwise", "WINDOW"), ("dist", "--extract", "a file, got ''"),
                                      ("dist", "--exclude", "a file, got ''")):
        refuse(command, COHORT, option, "", "-o", "o", status=2, says=[f"{option}: expected", expected])


def json_named_the_metric_that_was_not_written():
    for options, metric in (([], "sqeuclidean"), (["--metric", "king"], "king"), (["--make-king-table"], "king"),
                            (["--distance", "square"], "manhattan"), (["--distance", "ibs"], "ibs"),
                            (["--distance", "square", "ibs", "1-ibs"], ["ibs", "1-ibs"])):
        told = json.loads(run("dist", COHORT, *options, "-o", "o", "--json").stdout)["metric"]
        assert told == metric, (options, told)


def alpha_auto_broke_its_promise_without_a_word():
    said = run("fermat", "simulate:10x20000,populations=1", "--alpha", "auto", "-o", "o").stdout
    assert "At α = 64 " in said and "no α up to 64 changes half of the edges" in said, said


sys.exit(main([empty_words_crashed_or_wrote_no_matrix, json_named_the_metric_that_was_not_written,
               alpha_auto_broke_its_promise_without_a_word]))
