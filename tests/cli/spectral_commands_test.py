"""fft and polymul on files, against NumPy, SciPy, Python's own integers and GMP."""
import ctypes
import ctypes.util
import json
import os
import pathlib
import sys

import numpy as np
from program import PROGRAM, refuse, run

try:
    import scipy.fft
except ImportError:
    scipy = None

RNG = np.random.default_rng(1)


def close(got, want, single=False):
    assert got.shape == want.shape, f"{got.shape} for {want.shape}"
    error = np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-300)
    assert error < (1e-5 if single else 1e-13), error


def fft(x, *options, name="x.npy", out="y.npy"):
    np.save(name, x)
    run("fft", name, "-o", out, *options)
    return np.load(out)


def transforms_every_type():
    for n in [1, 2, 60, 1000, 1009]:
        for kind in ["f2", ">f2", "f4", "f8", "c8", "c16", "i4", "u1", ">f8", ">c16"]:
            x = (100 * RNG.normal(size=n) + (100j * RNG.normal(size=n) if "c" in kind else 0))
            x = np.abs(x).astype(kind) if kind == "u1" else x.astype(kind)
            y = fft(x)
            single = kind in ("f2", ">f2", "f4", "c8")
            assert y.dtype == ("c8" if single else "c16"), y.dtype
            close(y, np.fft.fft(x), single)
            close(fft(y, "--inverse"), x.astype(complex), single)


def real_transforms_were_wrong_without_avx2():
    if any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init")):
        print("skipped: nothing can be loaded before a sanitizer")
        return
    shim = pathlib.Path(PROGRAM).parent / "libserve_shim.so"
    for highest in (9, 11, 12):  # AVX2, SSE4, what the compiler takes where no set is known
        environment = {**os.environ, "LD_PRELOAD": str(shim), "YUPANA_ONCE": "1", "YUPANA_TARGETS": str(-(1 << highest))}
        for n in [2, 6, 7, 8, 14, 31, 32, 62, 64, 90, 1000, 2048, 2**15]:
            for real in ("f4", "f8"):
                x = RNG.normal(size=n).astype(real)
                complexes = (x + 1j * RNG.normal(size=n)).astype("c8" if real == "f4" else "c16")
                for signal, options, want in [
                    (complexes, [], np.fft.fft(complexes)), (x, ["--real"], np.fft.rfft(x)),
                    (np.fft.rfft(x).astype(complexes.dtype), ["--real", "--inverse"] + n % 2 * ["--odd"], x),
                ]:
                    np.save("x.npy", signal)
                    run("fft", "x.npy", "-o", "y.npy", *options, env=environment)
                    close(np.load("y.npy"), want, real == "f4")


def imaginary_parts_that_no_real_signal_has_were_dropped_without_a_word():
    def notes(x, *options):
        np.save("x.npy", x)
        return run("fft", "x.npy", "-o", "y.npy", "--real", "--inverse", *options).stderr

    for n in [2, 8, 9, 1000]:
        odd = ["--odd"] if n % 2 else []
        spectra = np.fft.rfft(RNG.normal(size=(3, n)))
        assert notes(spectra, *odd) == notes(spectra[0], *odd) == ""
        assert notes(np.asfortranarray(spectra.T), "--axis", 0, *odd) == ""
        spectra[1, 0] += 0.5j
        assert "note: fft: x.npy: 1 of 3 signals with imaginary parts in the first value" in notes(spectra, *odd)
        assert "1 of 3 signals" in notes(np.ascontiguousarray(spectra.T), "--axis", 0, *odd)
        spectra[2, -1] += 0.5j
        assert f"{2 - len(odd) if n > 1 else 1} of 3 signals" in notes(spectra, *odd)
        matrix = np.fft.rfft2(RNG.normal(size=(6, n)))
        assert notes(matrix, "--2d", *odd) == ""
        matrix[2, 0] += 0.5
        assert "2 of 6 rows" in notes(matrix, "--2d", *odd)
    assert "imaginary" in notes((spectra + 1j).astype("c8"))


def real_spectra_are_halves():
    for n in [1, 2, 7, 1000, 4097]:
        x = RNG.normal(size=n)
        y = fft(x, "--real")
        close(y, np.fft.rfft(x))
        back = fft(y, "--real", "--inverse", *(["--odd"] if n % 2 else []))
        assert back.dtype == "f8"
        close(back, x)
        if scipy is not None:
            close(fft(x.astype("f4"), "--real"), scipy.fft.rfft(x.astype("f4")), single=True)


def matrices_go_along_either_axis_or_both():
    x = RNG.normal(size=(30, 17)) + 1j * RNG.normal(size=(30, 17))
    close(fft(x), np.fft.fft(x))
    close(fft(x, "--axis", 0), np.fft.fft(x, axis=0))
    close(fft(x, "--axis", 1, "--inverse"), np.fft.ifft(x, axis=1))
    close(fft(x, "--2d"), np.fft.fft2(x))
    close(fft(x.real, "--real", "--axis", 0), np.fft.rfft(x.real, axis=0))
    half = fft(x.real, "--real", "--2d")
    close(half, np.fft.rfft2(x.real))
    close(fft(half, "--real", "--2d", "--inverse", "--odd"), x.real)


def text_in_and_out():
    pathlib.Path("x.txt").write_text("1 2\n+3 -4\n0.5 0\n")
    run("fft", "x.txt", "-o", "y.txt")
    got = [complex(*map(float, line.split())) for line in open("y.txt")]
    close(np.array(got), np.fft.fft([1 + 2j, 3 - 4j, 0.5]))
    pathlib.Path("r.txt").write_text("1\n2\n4\n")
    answer = json.loads(run("fft", "r.txt", "--real", "-o", "y.npy", "--json").stdout)
    assert answer["cols"] == 2 and answer["type"] == "c16", answer
    close(np.load("y.npy"), np.fft.rfft([1, 2, 4]))
    close(np.loadtxt("x.txt")[:, 0], np.array([1, 3, 0.5]))


def reference_and_threads_agree():
    x = RNG.normal(size=700) + 1j * RNG.normal(size=700)
    close(fft(x, "--device", "reference"), np.fft.fft(x))
    big = RNG.normal(size=100_000)
    one = fft(big, "--threads", 1, out="1.npy").tobytes()
    assert one == fft(big, "--threads", 2, out="2.npy").tobytes()
    assert one == fft(big, "--threads", 7, out="7.npy").tobytes()


def exact_products():
    for n, m, most in [(1, 1, 9), (10, 3, 1000), (5000, 700, 2**20), (40_000, 40_000, 2**22)]:
        a, b = RNG.integers(-most, most, n), RNG.integers(-most, most, m)
        np.save("a.npy", a)
        np.save("b.npy", b.astype("i4"))
        run("polymul", "a.npy", "b.npy", "-o", "c.npy")
        got = np.load("c.npy")
        assert got.dtype == np.int64
        if n < 10_000:
            assert (got == np.convolve(a, b)).all()
        else:  # a(x) b(x) at a point
            value = lambda p: sum(int(c) * pow(3, i, 2**61 - 1) for i, c in enumerate(p)) % (2**61 - 1)
            assert value(got) == value(a) * value(b) % (2**61 - 1)
    pathlib.Path("a.txt").write_text("1\n1\n")
    run("polymul", "a.txt", "a.txt", "--exact", "-o", "c.txt")
    assert pathlib.Path("c.txt").read_text() == "1\n2\n1\n"


def real_products_within_their_bound():
    a, b = RNG.normal(size=3000), RNG.normal(size=2000)
    np.save("a.npy", a)
    np.save("b.npy", b)
    answer = json.loads(run("polymul", "a.npy", "b.npy", "-o", "c.npy", "--json").stdout)
    error = np.abs(np.load("c.npy") - np.convolve(a, b)).max()
    assert error <= answer["error_bound"] + 1e-12, (error, answer)
    assert answer["error_bound"] < 1e-9


def integers_of_any_size():
    sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None
    for bits in [1, 64, 5000, 400_000]:
        a = int.from_bytes(RNG.bytes(bits // 8 + 1), "little")
        b = -int.from_bytes(RNG.bytes(bits // 16 + 1), "little")
        for name, form in [("decimal", "d"), ("hex", "x"), ("binary", "b")]:
            pathlib.Path("a.txt").write_text(format(a, form) + "\n")
            pathlib.Path("b.txt").write_text(format(b, form))
            run("polymul", "a.txt", "b.txt", "--digits", name, "-o", "c.txt")
            assert pathlib.Path("c.txt").read_text() == format(a * b, form) + "\n", (bits, name)


class Mpz(ctypes.Structure):
    """An integer of GMP."""
    _fields_ = [("alloc", ctypes.c_int), ("size", ctypes.c_int), ("limbs", ctypes.c_void_p)]


def gmp_product(gmp, a, b, base):
    numbers = [Mpz(), Mpz(), Mpz()]
    for number in numbers:
        gmp.__gmpz_init(ctypes.byref(number))
    for number, text in zip(numbers, [a, b]):
        assert gmp.__gmpz_set_str(ctypes.byref(number), text.encode(), base) == 0
    gmp.__gmpz_mul(*map(ctypes.byref, [numbers[2], numbers[0], numbers[1]]))
    buffer = ctypes.create_string_buffer(len(a) + len(b) + 3)
    gmp.__gmpz_get_str(buffer, base, ctypes.byref(numbers[2]))
    for number in numbers:
        gmp.__gmpz_clear(ctypes.byref(number))
    return buffer.value.decode()


def products_are_those_of_gmp():
    name = ctypes.util.find_library("gmp") or "libgmp.so.10"
    try:
        gmp = ctypes.CDLL(name)
    except OSError:
        print(f"        left out: {name} is not installed")
        return
    # Random digits; all nines, where every carry runs through; powers of ten between them.
    sizes = [(1, 1), (19, 20), (300, 300), (1000, 7), (9000, 8999), (70_000, 65_536), (400_000, 3)]
    for n, m in sizes:
        random = ["".join(map(str, RNG.integers(0, 10, k))).lstrip("0") or "7" for k in (n, m)]
        for a, b in [random, ("-" + "9" * n, "9" * m), ("1" + "0" * n, random[1])]:
            for base, digits in [(10, "decimal"), (16, "hex")]:
                pathlib.Path("a.txt").write_text(a)
                pathlib.Path("b.txt").write_text(b)
                run("polymul", "a.txt", "b.txt", "--digits", digits, "-o", "c.txt")
                got = pathlib.Path("c.txt").read_text().strip()
                assert got == gmp_product(gmp, a, b, base), (n, m, digits)


def order_of_a_matrix_does_not_matter():
    for shape in [(1, 1), (3, 4), (200, 130), (1, 5), (5, 1)]:
        for kind in ["f4", "c16", ">i4"]:
            values = (RNG.normal(size=shape) * 100).astype(kind)
            np.save("c.npy", values)
            np.save("f.npy", np.asfortranarray(values))
            for options in [(), ("--2d",), ("--axis", 0)]:
                run("fft", "c.npy", "-o", "c_out.npy", *options)
                run("fft", "f.npy", "-o", "f_out.npy", *options)
                assert (pathlib.Path("c_out.npy").read_bytes()
                        == pathlib.Path("f_out.npy").read_bytes()), (shape, kind, options)


def text_may_have_remarks():
    pathlib.Path("x.txt").write_text("# real and imaginary\n1 2\n# more\n3 4\n\n")
    run("fft", "x.txt", "-o", "o.npy")
    assert np.allclose(np.load("o.npy"), np.fft.fft([1 + 2j, 3 + 4j]))


def the_memory_that_a_text_needs_was_not_said():
    for name, numbers, arrays in (("a.txt", 1000, 1), ("b.txt", 1025, 1), ("c.txt", 700, 2)):
        pathlib.Path(name).write_text("".join(f"{' '.join(['1'] * arrays)}\n" for _ in range(numbers)))
        for options in ((), ("--real",))[:3 - arrays]:
            told = run("fft", name, *options, "-o", "x.txt", "--memory", 200, status=4).stderr
            assert f"yupana: {name}: {numbers * arrays} numbers need " in told and told.count("\n") == 1, told
            run("fft", name, *options, "-o", "x.txt", "--memory", told.split("--memory ")[1].strip())
            os.remove("x.txt")


def bad_input_ends_in_one_line_and_no_file():
    refuse("fft", "no.npy", "-o", "o.npy", says=["no.npy"])
    np.save("e.npy", np.zeros(0))
    refuse("fft", "e.npy", "-o", "o.npy", says=["e.npy", "expected at least one number"])
    np.save("three.npy", np.zeros((2, 2, 2)))
    refuse("fft", "three.npy", "-o", "o.npy", says=["three.npy", "got an array of 3 dimensions"])
    np.save("s.npy", np.array(["a"]))
    refuse("fft", "s.npy", "-o", "o.npy", says=["s.npy"])
    np.save("c.npy", np.zeros(3, complex))
    refuse("fft", "c.npy", "--real", "-o", "o.npy", says=["c.npy", "complex"])
    refuse("fft", "c.npy", "--2d", "-o", "o.npy", status=2, says=["c.npy", "matri"])
    refuse("polymul", "c.npy", "c.npy", "-o", "o.npy", says=["c.npy"])
    np.save("one.npy", np.zeros(1, complex))
    refuse("fft", "one.npy", "--real", "--inverse", "-o", "o.npy", says=["one.npy", "at least 2 values", "--odd"])
    np.save("cut.npy", np.zeros(100, complex))
    pathlib.Path("cut.npy").write_bytes(pathlib.Path("cut.npy").read_bytes()[:-5])
    refuse("fft", "cut.npy", "-o", "o.npy", says=["cut.npy", "copy it again"])
    for text, line, word in [("1\nx\n", 2, "'x'"), ("1\n1 2\n", 2, "'1 2'"), ("1 2 3\n", 1, "'1 2 3'")]:
        pathlib.Path("x.txt").write_text(text)
        refuse("fft", "x.txt", "-o", "o.npy", says=[f"x.txt:{line}:", word])
    pathlib.Path("x.txt").write_bytes(b"1\n\x80\xff\x1b[2J\n")
    refuse("fft", "x.txt", "-o", "o.npy", says=["x.txt:2:", r"'\x80\xff\x1b[2J'"])
    pathlib.Path("x.txt").write_text("1\n1e999\n")
    refuse("fft", "x.txt", "-o", "o.npy", says=["x.txt:2:", "'1e999' is beyond"])
    refuse("fft", "c.npy", says=["-o"], status=2)
    refuse("fft", "c.npy", "--axis", 5, "-o", "o.npy", says=["--axis", "got 5"], status=2)
    refuse("fft", "c.npy", "--odd", "-o", "o.npy", says=["--odd"], status=2)
    np.save("m.npy", np.zeros((2, 2)))
    refuse("fft", "m.npy", "-o", "o.txt", says=["o.txt", "matrix"], status=2)
    np.save("n.npy", np.array([[1, np.nan], [2, 3]]))  # was transformed first, with a note of its NaN
    refuse("fft", "n.npy", "-o", "o.txt", says=["o.txt", "matrix"], status=2)
    big = np.full(3, 2**40)
    np.save("big.npy", big)
    refuse("polymul", "big.npy", "big.npy", "-o", "o.npy", says=["2^63", "--real"])
    np.save("u.npy", np.full(3, 2**63, "u8"))
    refuse("polymul", "u.npy", "big.npy", "-o", "o.npy", says=["u.npy", "number 1", "save them as f8"])
    np.save("h.npy", np.array([0.5]))
    refuse("polymul", "h.npy", "big.npy", "--exact", "-o", "o.npy", says=["h.npy", "floats"])
    np.save("n.npy", np.array([1, np.nan]))
    refuse("polymul", "n.npy", "big.npy", "-o", "o.npy", says=["n.npy: expected finite numbers, got nan as number"])
    pathlib.Path("d.txt").write_text("12x4")
    refuse("polymul", "d.txt", "d.txt", "--digits", "decimal", "-o", "o.txt", says=["d.txt", "character 3"])
    refuse("polymul", "d.txt", "d.txt", "--digits", "octal", "-o", "o.txt", says=["octal"], status=2)
    refuse("polymul", "d.txt", "d.txt", "--digits", "hex", "--real", "-o", "o.txt", says=["--digits"], status=2)
