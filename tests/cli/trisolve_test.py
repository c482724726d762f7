"""yupana trisolve on Matrix Market files, against SciPy and the published analysis by counting."""
import gzip
import json
import pathlib

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular
from program import ROOT, refuse as refuse_command, run

MATRICES = ROOT.parent / "shared" / "data" / "matrices"
RNG = np.random.default_rng(1)


def trisolve(*arguments):
    return json.loads(run("trisolve", *arguments, "--json", "--quiet").stdout)


def random_lower(n, row):
    """Rows of about `row` entries left of the diagonal, which dominates."""
    lower = sp.tril(sp.random(n, n, min(1, 2 * row / n), random_state=RNG, format="csr"), -1)
    return (lower + sp.diags(1 + np.abs(lower).sum(axis=1).A1)).tocsr()


def analysis_of(lower):
    """Levels, keys and warps as published: counted, not sorted."""
    lower = sp.csr_matrix(lower)
    level = np.zeros(lower.shape[0], int)
    rows = {}
    for i in range(lower.shape[0]):
        parents = lower.indices[lower.indptr[i]:lower.indptr[i + 1]]
        parents = parents[parents < i]
        level[i] = 1 + (level[parents].max() if len(parents) else 0)
        count = len(parents)
        kind = 6 if count == 0 else min(5, int(count - 1).bit_length())
        rows[level[i], kind] = rows.get((level[i], kind), 0) + 1
    warps = sum(-(-(n if kind == 6 else n << kind) // 32) for (_, kind), n in rows.items())
    classes = [sum(n for (_, k), n in rows.items() if k == kind) for kind in range(7)]
    return {"levels": int(level.max(initial=0)), "keys": len(rows), "warps": warps,
            "rows_of_class": classes}


def check_analysis(answer, lower):
    for name, value in analysis_of(lower).items():
        assert answer[name] == value, (name, answer[name], value)


def solves_what_scipy_solves():
    for n, row in [(1, 0), (2, 1), (33, 3), (1000, 2), (3000, 20)]:
        lower = random_lower(n, row)
        b = RNG.normal(size=n)
        np.save("b.npy", b)
        pathlib.Path("b.txt").write_text("".join(f"{v!r}\n" for v in b.tolist()))
        scipy.io.mmwrite("L.mtx", lower, precision=17, symmetry="general")
        scipy.io.mmwrite("U.mtx", lower.T, precision=17, symmetry="general")
        with gzip.open("L.mtx.gz", "wt") as file:
            file.write(pathlib.Path("L.mtx").read_text())
        answer = trisolve("L.mtx", "b.npy", "-o", "x.npy")
        check_analysis(answer, lower)
        x = np.load("x.npy")
        assert np.allclose(lower @ x, b, rtol=0, atol=1e-12), np.abs(lower @ x - b).max()
        assert np.allclose(x, spsolve_triangular(lower, b), rtol=1e-10, atol=1e-13)
        for method in ["serial", "level-set", "sync-free"]:
            for threads in [1, 2, 7]:
                run("trisolve", "L.mtx.gz", "b.txt", "-o", "y.npy", "--method", method,
                    "--threads", threads)
                assert np.load("y.npy").tobytes() == x.tobytes(), method
        run("trisolve", "L.mtx", "b.npy", "-o", "y.txt", "--device", "reference")
        assert np.loadtxt("y.txt", ndmin=1).tobytes() == x.tobytes()
        run("trisolve", "U.mtx", "b.npy", "--upper", "-o", "y.npy")
        want = spsolve_triangular(sp.csr_matrix(lower.T), b, lower=False)
        assert np.allclose(np.load("y.npy"), want, rtol=1e-10, atol=1e-13)
        for device in ["cpu", "reference"]:
            run("trisolve", "L.mtx", "b.npy", "--transpose", "-o", "z.npy", "--device", device)
            assert np.load("z.npy").tobytes() == np.load("y.npy").tobytes()
        run("trisolve", "U.mtx", "b.npy", "--upper", "--transpose", "-o", "z.npy")
        assert np.load("z.npy").tobytes() == x.tobytes()


def takes_entries_in_any_order():
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n"
                                     "% rows and columns upside down\n"
                                     "3 3 5\n3 3 4\n3 2 1\n2 2 2\n3 1 -1\n1 1 1\n")
    pathlib.Path("b.txt").write_text("1\n4\n5\n")
    run("trisolve", "m.mtx", "b.txt", "-o", "x.txt")
    assert pathlib.Path("x.txt").read_text().split() == ["1", "2", "1"]


def takes_right_hand_sides_of_any_kind():
    lower = random_lower(300, 4)
    scipy.io.mmwrite("L.mtx", lower, precision=17, symmetry="general")
    b = RNG.integers(-1000, 1000, (300, 5))
    run("trisolve", "L.mtx", "--unit-diagonal", "-o", "r.npy", "--rhs", 3)
    assert np.load("r.npy").shape == (300, 3)
    np.save("b.npy", b.astype(float))
    answer = trisolve("L.mtx", "b.npy", "-o", "x.npy")
    assert answer["sides"] == 5
    x = np.load("x.npy")
    assert np.allclose(lower @ x, b, rtol=0, atol=1e-9)
    for kind in [b, np.asfortranarray(b), b.astype(">f4"), b.astype("<i2")]:
        np.save("b.npy", kind)
        run("trisolve", "L.mtx", "b.npy", "-o", "y.npy")
        assert np.load("y.npy").tobytes() == x.tobytes()
    np.save("b.npy", b[:, 2])
    run("trisolve", "L.mtx", "b.npy", "-o", "y.npy")
    assert np.load("y.npy").tobytes() == x[:, 2].tobytes()
    pathlib.Path("b.txt").write_text("# of column 2\n" + "\n".join(map(str, b[:, 2])) + "\n\n")
    run("trisolve", "L.mtx", "b.txt", "-o", "y.npy")
    assert np.load("y.npy").tobytes() == x[:, 2].tobytes()


def skew_matrix_has_a_lower_triangle_with_a_diagonal_of_ones():
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real skew-symmetric\n"
                                     "2 2 1\n2 1 3\n")
    pathlib.Path("b.txt").write_text("1\n5\n")
    run("trisolve", "m.mtx", "b.txt", "-o", "x.txt", "--unit-diagonal")
    assert pathlib.Path("x.txt").read_text().split() == ["1", "2"]
    pathlib.Path("x.txt").unlink()
    refuse(None, "b.txt", says=["m.mtx", "skew", "--unit-diagonal"])
    run("trisolve", "m.mtx", "b.txt", "-o", "x.txt", "--unit-diagonal", "--upper")
    assert pathlib.Path("x.txt").read_text().split() == ["16", "5"]


def knows_the_suite_sparse_matrices():
    if not MATRICES.is_dir():
        print(f"        left out: {MATRICES} is not there")
        return
    options = ["--unit-diagonal", "--ignore-other", "--add-duplicates", "--quiet"]
    solved = 0
    for path in sorted(MATRICES.iterdir()):
        if path.name in ["ash219.mtx", "lp_e226.mtx"]:
            run("trisolve", path, *options, status=3)  # not square
            continue
        answer = trisolve(path, *options)
        lower = sp.tril(sp.csr_matrix(scipy.io.mmread(path)), -1).tocsr()
        check_analysis(answer, lower)
        longest = 1 + np.diff(lower.indptr).max(initial=0)
        if answer["backward_error"] != "inf":  # some grow beyond the range of a double
            assert answer["backward_error"] <= 4 * np.finfo(float).eps * longest, (path, answer)
            solved += 1
        assert f"; {answer['warps']} warps\n" in run("trisolve", path, *options).stdout
    assert solved >= 24, solved


def refuse(body, *arguments, says, status=3):
    if body is not None:
        entries = [line for line in body.splitlines() if line]
        size = 1 + max(int(v) for line in entries for v in line.split()[:2]) if entries else 0
        pathlib.Path("m.mtx").write_text(
            "%%MatrixMarket matrix coordinate real general\n"
            f"{size - 1} {size - 1} {len(entries)}\n{body}")
    refuse_command("trisolve", "m.mtx", *arguments, "-o", "x.npy", status=status, says=says)


def entries_left_out_or_added_are_not_counted():
    body = "1 1 2\n1 2 7\n2 1 1\n2 1 1\n2 2 4\n"
    pathlib.Path("m.mtx").write_text(
        f"%%MatrixMarket matrix coordinate real general\n2 2 5\n{body}")
    for device in ("cpu", "reference"):
        options = ("m.mtx", "--ignore-other", "--add-duplicates", "--device", device)
        told = run("trisolve", *options, "--json").stdout
        assert json.loads(told)["entries"] == 3, told
        assert run("trisolve", *options).stdout.startswith("2 rows, 3 entries: 2 levels")


def bad_systems_end_in_one_line_and_no_file():
    refuse("1 1 1\n2 1 1\n2 2 0\n", says=["m.mtx", "row 2 (from 1)", "zero on the diagonal"])
    refuse("1 1 1\n2 1 1\n3 3 1\n", says=["m.mtx", "row 2 ", "no entry on the diagonal",
                                         "--unit-diagonal"])
    refuse("1 1 1\n1 2 5\n2 2 1\n", says=["m.mtx", "row 1 ", "column 2", "above", "choose the upper one", "--ignore-other"])
    refuse("1 1 1\n2 1 5\n2 2 1\n", "--upper", says=["m.mtx", "row 2 ", "column 1", "below"])
    refuse("1 1 1\n2 1 1\n2 1 1\n2 2 1\n", says=["m.mtx", "row 2 ", "column 1 twice",
                                                "--add-duplicates"])
    good = "1 1 2\n2 2 4\n"
    np.save("b.npy", np.ones(3))
    refuse(good, "b.npy", says=["b.npy", "3 rows", "expected 2 rows"])
    np.save("b.npy", np.ones(1))
    refuse(good, "b.npy", says=["b.npy", "1 row ", "expected 2 rows"])
    refuse(good + "1 2 1\n", "--transpose", says=["m.mtx", "row 1 ", "column 2", "above"])
    np.save("b.npy", np.array([1, 2**53 + 1]))
    refuse(good, "b.npy", says=["b.npy", "2^53"])
    np.save("b.npy", np.ones(2))
    refuse(good, "b.npy", "--rhs", 3, says=["--rhs has no effect with 'b'"], status=2)
    pathlib.Path("b.txt").write_text("1\nx\n")
    refuse(good, "b.txt", says=["b.txt:2:", "'x'"])
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n")
    refuse(None, says=["m.mtx", "2 x 3", "square"])
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n")
    refuse(None, says=["m.mtx", "expected 2 entries as announced, got 1"])
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n")
    refuse(None, says=["m.mtx:3:", "expected a row of 1 to 2 and a column of 1 to 2, got '1 3"])
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix array real general\n1 1\n1\n")
    refuse(None, says=["m.mtx:1:", "array", "coordinate"])
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate quaternion general\n")
    refuse(None, says=["m.mtx:1:", "quaternion"])
