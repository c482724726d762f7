"""yupana trisolve: complex numbers, (conjugate) transposes and both parts of symmetric files, against SciPy."""
import json
import pathlib

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular
from program import answer, run

RNG = np.random.default_rng(2)
OPERATIONS = {(): lambda a: a, ("--transpose",): lambda a: a.T,
              ("--conjugate-transpose",): lambda a: a.conj().T}


def random_lower(n, row, complex_values=True):
    lower = sp.tril(sp.random(n, n, min(1, 2 * row / n), random_state=RNG, format="csr"), -1)
    if complex_values:
        lower = lower + 1j * sp.csr_matrix((RNG.normal(size=lower.nnz), lower.nonzero()),
                                           shape=lower.shape)
    turn = np.exp(2j * np.pi * RNG.random(n)) if complex_values else 1
    return (lower + sp.diags((1 + np.abs(lower).sum(axis=1).A1) * turn)).tocsr()


def error_of(matrix, b, x):
    """The componentwise backward error, in double: a bound of a few units above the true one."""
    size = abs(matrix) @ abs(x) + abs(b)
    return np.max(abs(matrix @ x - b) / np.where(size == 0, 1, size), initial=0)


def complex_systems_are_those_of_scipy():
    for n, row in [(1, 0), (2, 1), (33, 3), (1000, 2), (900, 20)]:
        lower = random_lower(n, row)
        b = RNG.normal(size=n) + 1j * RNG.normal(size=n)
        np.save("b.npy", b)
        for side, triangle in [("--lower", lower), ("--upper", sp.csr_matrix(lower.T))]:
            scipy.io.mmwrite("m.mtx", triangle, precision=17, symmetry="general")
            for option, turned in OPERATIONS.items():
                arguments = ["trisolve", "m.mtx", "b.npy", side, *option]
                told = answer(*arguments, "-o", "x.npy")
                x, matrix = np.load("x.npy"), sp.csr_matrix(turned(triangle))
                assert x.dtype == complex and x.shape == (n,) and told["complex"]
                is_lower = (side == "--lower") == (not option)
                want = spsolve_triangular(matrix, b, lower=is_lower)
                assert np.allclose(x, want, rtol=1e-10, atol=1e-13)
                eps = np.finfo(float).eps
                assert told["backward_error"] <= 12 * eps
                assert abs(told["backward_error"] - error_of(matrix, b, x)) <= 40 * eps
                for more in [("--method", "serial"), ("--method", "level-set", "--threads", 7),
                             ("--method", "sync-free", "--threads", 2), ("--device", "reference")]:
                    run(*arguments, "-o", "y.npy", *more)
                    assert np.load("y.npy").tobytes() == x.tobytes(), more


def real_and_complex_meet():
    lower = random_lower(300, 4, complex_values=False)
    scipy.io.mmwrite("m.mtx", lower, precision=17, symmetry="general")
    b = RNG.normal(size=(300, 3)) + 1j * RNG.normal(size=(300, 3))
    np.save("b.npy", b)
    told = answer("trisolve", "m.mtx", "b.npy", "-o", "x.npy")
    x = np.load("x.npy")
    assert told["sides"] == 3 and told["complex"] and x.dtype == complex
    for part in ("real", "imag"):
        np.save("p.npy", np.ascontiguousarray(getattr(b, part)))
        run("trisolve", "m.mtx", "p.npy", "-o", "y.npy")
        assert np.load("y.npy").tobytes() == np.ascontiguousarray(getattr(x, part)).tobytes()
    # A real side of a complex matrix; text has two numbers a line.
    scipy.io.mmwrite("m.mtx", lower.astype(complex), precision=17, symmetry="general")
    np.save("b.npy", b[:, 0].real)
    run("trisolve", "m.mtx", "b.npy", "-o", "y.npy")
    assert np.allclose(np.load("y.npy"), x[:, 0].real, rtol=1e-12, atol=1e-14)
    assert not np.load("y.npy").imag.any()
    pathlib.Path("b.txt").write_text("".join(f"{v.real!r} {v.imag!r}\n" for v in b[:, 1].tolist()))
    run("trisolve", "m.mtx", "b.txt", "-o", "y.txt")
    y = np.loadtxt("y.txt")
    assert np.allclose(y[:, 0] + 1j * y[:, 1], x[:, 1], rtol=1e-12, atol=1e-14)
    first = run("trisolve", "m.mtx", "--rhs", 2, "-o", "r.npy").stdout
    assert np.load("r.npy").shape == (300, 2) and "2 right-hand sides" in first


def stored(symmetry, parts, matrix, field="complex"):
    """A file that stores the lower part, the upper one, both, or here one and there the other."""
    lines = []
    for i in range(matrix.shape[0]):
        for j in range(i + 1):
            lower = {"lower": True, "upper": i == j, "both": True, "mixed": i == j or (i + j) % 2}[parts]
            upper = {"lower": False, "upper": True, "both": True, "mixed": not (i + j) % 2}[parts]
            for row, column, wanted in [(i, j, lower), (j, i, upper and i != j)]:
                value = matrix[row, column]
                if wanted and value != 0:
                    real, imaginary = float(value.real), float(value.imag)
                    number = f"{real!r} {imaginary!r}" if field == "complex" else f"{real!r}"
                    lines.append(f"{row + 1} {column + 1} {number}")
    RNG.shuffle(lines)
    n = matrix.shape[0]
    pathlib.Path("s.mtx").write_text(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n"
                                     f"{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")


def symmetric_files_give_either_triangle_whatever_part_they_store():
    n, unit = 40, ("--unit-diagonal",)
    half = random_lower(n, 3).toarray()
    strict = np.tril(half, -1)
    diagonal = np.diag(np.diag(half))
    whole = {"symmetric": (strict + strict.T + diagonal, ()),
             "hermitian": (strict + strict.conj().T + abs(diagonal), ()),
             "skew-symmetric": (strict - strict.T, unit)}
    b = RNG.normal(size=n) + 1j * RNG.normal(size=n)
    np.save("b.npy", b)
    for field in ("complex", "real"):
        for symmetry, (matrix, options) in whole.items():
            if field == "real":
                if symmetry == "hermitian":
                    continue
                matrix = matrix.real + np.diag(np.where(np.diag(matrix), 9.0, 0))
            for side, take in [("--lower", np.tril), ("--upper", np.triu)]:
                for option, turned in OPERATIONS.items():
                    triangle = turned(take(matrix) + (np.eye(n) if options else 0))
                    want = np.linalg.solve(triangle, b)
                    for parts in ("lower", "upper", "both", "mixed"):
                        stored(symmetry, parts, matrix, field)
                        run("trisolve", "s.mtx", "b.npy", side, *option, *options, "-o", "x.npy")
                        assert np.allclose(np.load("x.npy"), want), (field, symmetry, side, parts)


def refuse(text, *arguments, says, status=3):
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate " + text)
    done = run("trisolve", "m.mtx", *arguments, "-o", "no.npy", status=status)
    assert len(done.stderr.splitlines()) == 1 and done.stdout == "", done
    for word in says:
        assert word in done.stderr, done.stderr
    assert not pathlib.Path("no.npy").exists()


def faults_of_complex_and_symmetric_files_end_in_one_line():
    refuse("real symmetric\n2 2 4\n1 1 1\n2 2 1\n2 1 5\n1 2 6\n",
           says=["m.mtx", "row 2, column 1", "other values", "symmetric"])
    refuse("complex hermitian\n2 2 2\n1 1 1 0\n2 2 1 1\n", says=["m.mtx:4:", "(2, 2)", "real"])
    refuse("real hermitian\n1 1 1\n1 1 1\n", says=["m.mtx:1:", "hermitian"])
    refuse("real skew-symmetric\n2 2 1\n1 1 1\n", "--unit-diagonal", says=["m.mtx:3:", "(1, 1)", "zero"])
    refuse("complex general\n1 1 1\n1 1 1\n", says=["m.mtx:3:", "imaginary"])
    refuse("complex general\n2 2 2\n1 1 1 0\n2 2 0 0\n", says=["row 2 ", "zero on the diagonal"])
    refuse("complex general\n2 2 2\n1 1 1 0\n2 2 1 inf\n", says=["got inf in row 2, column 2"])
    refuse("real general\n1 1 1\n1 1 1\n", "--transpose", "--conjugate-transpose",
           says=["--transpose", "--conjugate-transpose"], status=2)


def a_complex_x_beyond_double_has_no_small_error():
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate complex general\n"
                                     "2 2 2\n1 1 0 1e-300\n2 2 1 0\n")
    pathlib.Path("b.txt").write_text("1e300 0\n1 1\n")
    for more in [("--device", "reference"), ("--method", "serial"), ("--method", "level-set"),
                 ("--method", "sync-free"), ("--transpose",), ("--conjugate-transpose",)]:
        done = run("trisolve", "m.mtx", "b.txt", "--json", "--quiet", *more)
        told = json.loads(done.stdout)
        assert told["backward_error"] == "inf" and told["not_finite"] == 1, told
    # Of a real matrix a number counts once, whichever of its parts it is.
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                     "2 2 2\n1 1 1e-300\n2 2 1\n")
    pathlib.Path("b.txt").write_text("1e300 1e300\n1 1\n")
    done = run("trisolve", "m.mtx", "b.txt")
    assert "1 of 2 numbers of x is infinite or NaN" in done.stderr, done.stderr


def quotients_reach_the_ends_of_the_range():
    for value in [1e-300, 1e300, 5e-324, 1.7e308]:
        pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate complex general\n"
                                         f"1 1 1\n1 1 {value!r} {value!r}\n")
        pathlib.Path("b.txt").write_text(f"{value!r} 0\n")
        run("trisolve", "m.mtx", "b.txt", "-o", "x.txt")
        assert pathlib.Path("x.txt").read_text() == "0.5 -0.5\n"
