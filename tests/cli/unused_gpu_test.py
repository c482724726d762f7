#!/usr/bin/env python3
"""--device cuda where nothing of a run is a GPU's: it ran on the processor without a word."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, run, skip

if not json.loads(run("info", "--json").stdout)["devices"]:
    skip("no GPU is here")


def the_processor_worked_in_place_of_the_gpu_that_was_named():
    note = "note: --device cuda had no effect: "
    cohort = ("simulate", "--samples", 60, "--sites", 300, "-o", "c")
    assert note + "'yupana simulate' computes on the processor" in run(*cohort, "--device", "cuda").stderr
    run("fermat", "c.bed", "-o", "f")
    assert note + "'yupana path'" in run("path", "f", "s1", "s2", "--device", "cuda").stderr
    tree = ("nj", "f.dist.npy", "-o", "t.nwk")
    assert note + "a GPU joins 2000 samples and more" in run(*tree, "--device", "cuda").stderr
    assert note in run("filter", "c.bed", "-o", "o.vcf", "--device", "cuda").stderr
    for silent in ((*tree,), (*tree, "--device", "cpu"), ("dist", "c.bed", "-o", "d", "--device", "cuda"),
                   ("dist", "c.bed", "-o", "d", "--device", "cuda", "--plan"),
                   ("filter", "c.bed", "-o", "o.vcf", "--indep-pairwise", 50, 5, 0.2, "--device", "cuda")):
        assert "had no effect" not in run(*silent).stderr, silent


sys.exit(main())
