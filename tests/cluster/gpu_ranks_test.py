#!/usr/bin/env python3
"""Ranks with a GPU each close a matrix together: every file has the bytes of one process with those GPUs."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import PROGRAM, main, need, run, skip

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
GPUS = len(json.loads(run("info", "--json").stdout)["devices"])
need("mpirun")
if not (pathlib.Path(PROGRAM).parent / "libyupana_mpi.so").exists():
    skip("built without MPI")
if GPUS < 2:
    skip(f"expected two GPUs, got {GPUS}")


def by_ranks(ranks, *arguments, visible=None):
    """Writes the files `many` and returns the notes."""
    # Ranks that see one GPU each, as batch systems start them, name it by the same number.
    start = ["sh", "-c", 'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_RANK exec "$@"', "sh"] if visible == "own" else []
    done = subprocess.run(["mpirun", "-n", str(ranks), *start, PROGRAM, *arguments, "-o", "many"],
                          capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stderr


def check(ranks, cohort, *options, visible=None):
    arguments = ("fermat", cohort, *options, "--matrix-only", "--device", "cuda")
    run(*arguments, "-o", "one")
    notes = by_ranks(ranks, *arguments, visible=visible)
    assert "cannot map" not in notes, notes
    for ending in ("fermat.npy", "dist.npy"):
        one, many = (pathlib.Path(f"{name}.{ending}").read_bytes() for name in ("one", "many"))
        assert one == many, f"{' '.join(arguments)}: {ending} of {ranks} ranks differs"
    one, many = (re.findall('"method": "[^"]*"', pathlib.Path(f"{name}.json").read_text()) for name in ("one", "many"))
    assert one == many, (arguments, one, many)


def every_type_has_the_bytes_of_one_process():
    check(2, "simulate:1111x300,fst=0.1", "--precision", "float32")
    check(2, "simulate:1500x300,missing=0.01", "--alpha", "3.5")
    check(2, "simulate:2100x300", "--precision", "int")


def integers_that_fit_16_bits_are_packed_on_all_ranks():
    check(2, "simulate:4100x300", "--precision", "int")


def more_ranks_than_gpus_share_them():
    check(GPUS + 1, "simulate:2500x300", "--precision", "float64")


def ranks_that_see_a_gpu_each_map_that_of_the_other():
    if shutil.which("ompi_info") is None:
        return  # the rank's number is in a variable of Open MPI
    check(2, "simulate:1300x300", "--precision", "float32", visible="own")


def what_the_gpus_cannot_hold_is_closed_through_the_host():
    # Counting takes 46 MB, the rows of each of two ranks 64 MB; the host's floats are the CPU's.
    arguments = ("fermat", "simulate:4000x300", "--precision", "float64", "--matrix-only")
    run(*arguments, "--device", "cpu", "-o", "one")
    by_ranks(2, *arguments, "--device", "cuda", "--gpu-memory", "56M")
    assert pathlib.Path("one.fermat.npy").read_bytes() == pathlib.Path("many.fermat.npy").read_bytes()


sys.exit(main())
