"""The genomic commands say what is so: of files of two runs, of pairs without a value, of memory and of alphas too large."""
import json
import pathlib
import re

import numpy as np

from program import answer, notes, refuse, run


def simulate(name="c", samples=80, sites=3000, *more):
    run("simulate", "--samples", samples, "--sites", sites, "--seed", 1, *more, "-o", name, "--quiet")


def points(n, dimensions=4, seed=0):
    x = np.random.default_rng(seed).normal(size=(n, dimensions))
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))


def a_path_was_given_of_the_distances_of_another_command():
    simulate("c", 80, 3000, "--populations", 4, "--structure", "line", "--fst", 0.2, "--missing", 0.02)
    for options in (("--alpha", 8), ("--alpha", 8, "--root"), ("--alpha", 2, "--missing", "mode"),
                    ("--alpha", 3, "--knn", 5), ("--alpha", 3, "--precision", "float64")):
        run("fermat", "c", *options, "-o", "f", "--quiet")
        for j in (2, 5, 80):
            run("path", "f", "s1", f"s{j}")
        run("dist", "c", "-o", "f", "--quiet")
        refuse("path", "f", "s1", "s80", says=("f.dist.npy", "expected the distances of this Fermat run"))


def kinship_was_nan_without_a_note_where_no_call_is_heterozygous():
    np.save("mono.npy", np.zeros((10, 50), np.int8))
    for options in (("--metric", "king"), ("--make-king-table",)):
        told = notes("dist", "mono.npy", *options, "-o", "q")
        assert any("45 pairs of samples" in line and "the same homozygous calls" in line for line in told), told
    assert answer("dist", "mono.npy", "--metric", "king", "-o", "q")["pairs_without_sites"] == 0
    np.save("some.npy", np.array([[1, 0, 2], [0, 1, 2], [2, 0, 0]], np.int8))
    assert not any("nan" in line for line in notes("dist", "some.npy", "--metric", "king", "-o", "q"))


def a_sample_was_a_pair_with_itself():
    x = np.random.default_rng(0).integers(0, 3, (10, 50)).astype(np.int8)
    x[0] = -1
    np.save("am.npy", x)
    assert any(line.startswith("note: 9 pairs") for line in notes("grm", "am.npy", "-o", "q"))
    refuse("pca", "am.npy", "-o", "p", says="9 pairs of samples")


def an_infinite_pair_was_one_component():
    d = 1 - np.eye(5)
    d[3, 4] = d[4, 3] = np.inf
    np.save("i.npy", d)
    refuse("nj", "i.npy", says=("row 4, column 5", "infinite"))


def hints_about_types_led_in_a_circle():
    pathlib.Path("i.txt").write_text("18446744073709551615\n")
    refuse("reduce", "i.txt", "--type", "i8", says="--type u8")
    told = refuse("reduce", "i.txt", says="--type u8").stderr
    assert "i8" not in told, told
    assert run("reduce", "i.txt", "--type", "u8").stdout == "18446744073709551615\n"
    pathlib.Path("m.txt").write_text("9007199254740993\n")
    refuse("reduce", "m.txt", says="--type i8")


def a_tree_was_written_over_the_names_of_its_matrix_or_into_a_npy():
    simulate("c", 20, 300)
    run("dist", "c", "--metric", "1-ibs", "-o", "m", "--quiet")
    run("dist", "c", "--distance", "square", "1-ibs", "flat-missing", "-o", "m", "--quiet")
    for matrix, names in (("m.dist.npy", "m.ids"), ("m.mdist", "m.mdist.id")):
        before = pathlib.Path(names).read_text()
        refuse("nj", matrix, "-o", names, status=2, says="which would write over it")
        assert pathlib.Path(names).read_text() == before
    refuse("nj", "m.dist.npy", "-o", "t.npy", status=2, says="name a .nwk")
    run("nj", "m.dist.npy", "-o", "m.nwk")


def kinships_of_all_pairs_were_not_planned():
    simulate("b", 400, 1000, "--missing", 0.01)
    def plan(*options):
        return answer("dist", "b", "--format", "tsv", *options, "-o", "z", "--plan")
    plain, related = plan(), plan("--king-cutoff", 0.1)
    assert related["kinship_passes"] == 1 and related["memory"] >= related["kinship_memory"] > plain["memory"]
    text = run("dist", "b", "--king-cutoff", 0.1, "-o", "z", "--plan").stdout
    assert "in 1 more pass before, of every pair (--king-cutoff)" in text, text


def memory_that_a_refusal_named_was_refused():
    simulate("b", 1000, 2000, "--missing", 0.01)
    for command in ("pca", "grm"):
        told = run(command, "b", "-o", "z", "--memory", "1M", status=4).stderr
        needed = re.search(r"raise --memory to ([\d.]+[kMG])", told)[1]
        run(command, "b", "-o", "z", "--memory", needed, "--quiet")
    np.save("p.npy", points(40)[:, :3].repeat(1000, 0))
    told = run("closest", "p.npy", "--memory", "1k", status=4).stderr
    run("closest", "p.npy", "--memory", re.search(r"give --memory ([\d.]+[kMG])\n", told)[1])


def the_larger_need_of_complete_genotypes_was_not_checked():
    simulate("b", 1500, 1000)
    options = ("fermat", "b", "--alpha", 8, "--knn", 10, "-o", "z")
    planned = answer(*options, "--plan")
    assert planned["memory"] >= planned["memory_complete"], planned
    run(*options, "--memory", str(planned["memory_complete"] - 2_000_000), status=4)


def shares_of_weights_that_vanish_were_false():
    d = points(12)
    np.save("Dint.npy", (10 * d).round().astype("i8"))
    np.save("D.npy", d)
    for matrix, alpha, precision in (("Dint.npy", 1000, "auto"), ("D.npy", 1000, "auto"), ("D.npy", 300, "float32")):
        done = run("fermat", "--from-distances", matrix, "--alpha", alpha, "--precision", precision, "-o", "y")
        # Of float32 no pair is left whose share could be given.
        words = (("is not known; a smaller",) if precision == "float32" else
                 ("and left out here: of the other ", "and left out here: the only other pair "))
        assert any(word in done.stdout for word in words) and " % of the pairs keep" not in done.stdout, done.stdout
        record = json.loads(pathlib.Path("y.json").read_text())["runs"][0]
        assert [record[f"{kind}_edges"] for kind in ("kept", "replaced", "longer")] == [None] * 3, record
        assert done.stderr.count("below the floating-point range") == 1, done.stderr
    run("fermat", "--from-distances", "Dint.npy", "--alpha", 200, "-o", "y")
    record = json.loads(pathlib.Path("y.json").read_text())["runs"][0]
    assert 0 < record["kept_edges"] < 1 and record["kept_edges"] + record["replaced_edges"] == 1, record


def a_tiny_distance_was_a_note_for_every_point_of_the_curve():
    d = points(12)
    d[0, 1] = d[1, 0] = 1e-310
    np.save("D.npy", d)
    told = notes("fermat", "--from-distances", "D.npy", "--alpha", 2, "-o", "y")
    assert sum("floating-point range" in line for line in told) <= 1, told


def a_root_of_scaled_sums_was_a_factor_times_the_power():
    np.save("D.npy", 1e200 * points(12))
    run("fermat", "--from-distances", "D.npy", "--alpha", 20, "--root", "-o", "y", "--quiet")
    text = run("path", "y", 1, 5).stdout
    assert "(each a 1/20 power of the sum of (d / " in text and ", times " in text, text


def a_table_of_kinships_took_less_than_was_planned_at_the_least():
    np.save("mono2.npy", np.zeros((300, 50), np.int8))
    planned = answer("dist", "mono2.npy", "--make-king-table", "-o", "z", "--plan")
    run("dist", "mono2.npy", "--make-king-table", "-o", "z", "--quiet")
    assert planned["output"] <= pathlib.Path("z.kin0").stat().st_size


def blocks_on_gpus_were_larger_than_the_genotypes():
    plan = answer("plan", "dist", "--samples", 1000, "--sites", "1k", "--gpus", 3)
    assert plan["gpu_bytes"] < 64e6, plan["gpu_bytes"]


def files_of_several_alphas_took_more_than_was_planned():
    simulate("s", 300, 2000)
    for alphas in ("2", "2,3,4,5,6,8"):
        for old in pathlib.Path(".").glob("z.*"):
            old.unlink()
        planned = answer("fermat", "s", "--alpha", alphas, "-o", "z", "--plan")["output"]
        run("fermat", "s", "--alpha", alphas, "-o", "z", "--quiet")
        written = sum(path.stat().st_size for path in pathlib.Path(".").glob("z.*"))
        assert 0.93 < planned / written < 1.07, (alphas, planned, written)


def the_record_of_matrices_alone_named_a_tree():
    np.save("D.npy", points(12))
    run("fermat", "--from-distances", "D.npy", "--matrix-only", "-o", "y", "--quiet")
    assert "tree" not in json.loads(pathlib.Path("y.json").read_text())


def a_plan_of_distances_hid_that_the_run_is_refused():
    np.save("D.npy", points(1500))
    for more in ((), ("--plan",)):
        run("fermat", "--from-distances", "D.npy", "-o", "y", "--memory", "30M", *more, status=4)


def a_folder_that_is_not_there_was_a_fault_of_usage():
    refuse("bench", "distances", "--data", "nowhere", says="--data: expected a folder, got 'nowhere'")
