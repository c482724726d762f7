"""fft, polymul, closest, trisolve and som: an option that would have no effect is a usage error."""
import functools
import pathlib
import subprocess

import numpy as np
from program import PROGRAM, refuse as refuse_command, run

refuse = functools.partial(refuse_command, status=2)


def fft_refuses_an_axis_of_a_vector_or_of_both():
    np.save("v.npy", np.ones(4))
    np.save("m.npy", np.ones((2, 3)))
    for axis in [0, 1]:
        refuse("fft", "v.npy", "-o", "o.npy", "--axis", axis, says=[f"--axis {axis}", "v.npy"])
        refuse("fft", "m.npy", "-o", "o.npy", "--axis", axis, "--2d", says=["--axis", "--2d"])
    refuse("fft", "m.npy", "-o", "o.npy", "--axis", -1, says=["--axis", "0", "1", "got -1"])
    refuse("fft", "m.npy", "-o", "o.npy", "--axis", -1, "--2d", says=["--axis", "got -1"])


def fft_refuses_the_library_of_a_gpu_on_a_cpu():
    np.save("v.npy", np.ones(4))
    for device in ["cpu", "reference"]:
        refuse("fft", "v.npy", "-o", "o.npy", "--library", "cufft", "--device", device,
               says=["--library cufft", "--device cuda"])


def polymul_writes_no_digits_into_a_npy():
    pathlib.Path("a.txt").write_text("12")
    refuse("polymul", "a.txt", "a.txt", "--digits", "decimal", "-o", "o.npy",
           says=["--digits", "-o o.npy", ".txt"])


def the_reference_has_no_methods():
    pathlib.Path("x.csv").write_text("1,2\n3,4\n")
    for method in ["grid", "divide"]:
        refuse("closest", "x.csv", "--method", method, "--device", "reference",
               says=["--method", "--device reference"])
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                     "1 1 1\n1 1 2\n")
    for method in ["level-set", "sync-free"]:
        refuse("trisolve", "m.mtx", "--method", method, "--device", "reference",
               says=[f"--method {method}", "--device reference"])
    for method in [[], ["--method", "serial"]]:
        assert '"serial"' in run("trisolve", "m.mtx", *method, "--device", "reference", "--json").stdout


def a_seed_is_for_random_sides():
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                     "1 1 1\n1 1 2\n")
    pathlib.Path("b.txt").write_text("4\n")
    refuse("trisolve", "m.mtx", "b.txt", "--seed", 5, says=["--seed", "b"])
    run("trisolve", "m.mtx", "--seed", 5)


def maps_are_told_of_no_training_that_is_not_done():
    np.savetxt("flowers.csv", np.random.default_rng(1).random((40, 3)), delimiter=",", header="a,b,c", comments="")
    common = ("som", "fit", "flowers.csv", "-o", "gone")
    for used, options, says in ((["--iterations", 0], ["--sigma0", 3], "--iterations 0"),
                                (["--iterations", 0], ["--sigmaf", 0.3], "--iterations 0"),
                                (["--iterations", 0], ["--tau", 2], "--iterations 0"),
                                (["--iterations", 0], ["--neighborhood", "bubble"], "--iterations 0"),
                                (["--iterations", 0], ["--online"], "--iterations 0"),
                                (["--smooth", 20], ["--tau", 3], "--smooth 20, which is every iteration"),
                                (["--smooth", 20], ["--sigma0", 3], "--smooth 20"),
                                (["--init", "pca", "--no-p-matrix"], ["--seed", 5], "--init pca")):
        refuse(*common, *used, *options, says=[options[0] + " has no effect", says])
        run(*common[:-1], "map", *used)
        run(*common[:-1], "map", *options)


def a_depth_is_for_the_picture_of_a_tree():
    pathlib.Path("t.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    for form in ([], ["--as", "rules"], ["--as", "dot"]):
        refuse("tree", "show", "m.json", "--depth", 1, *form, says="--depth has no effect without --as svg")
    run("tree", "show", "m.json", "--as", "svg", "--depth", 1)


def standard_output_was_the_beginning_of_names_in_dev():
    pathlib.Path("t.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    for command in (["predict", "m.json", "t.csv"], ["apply", "m.json", "t.csv"], ["export", "m.json"],
                    ["fit", "t.csv", "--label", "y"]):
        with open("redirected", "w") as output:
            done = subprocess.run([PROGRAM, "tree", *command, "-o", "/dev/stdout"], stdout=output,
                                  stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2 and "expected a name to which endings as .json are added" in done.stderr, done
        assert not list(pathlib.Path("/dev").glob("stdout.*"))


def a_flag_took_any_number_and_one_that_was_false_counted_as_given():
    pathlib.Path("t.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    fit = ("forest", "fit", "t.csv", "--label", "y", "--trees", 3, "-o", "m")
    for flag in ("--oob", "--report", "--json"):
        for value in ("7", "0", "-1", "0.5", "false", "page.html"):
            refuse(*fit, f"{flag}={value}", says=f"{flag}: expected no value, got '{value}'")
    # --predictions wrote nothing.
    refuse(*fit, "--oob=false", "--predictions", says="--oob: expected no value, got 'false'")
    run(*fit, "--oob=true", "--predictions")
    assert pathlib.Path("m.oob.tsv").exists()
