#!/usr/bin/env python3
"""What `cmake --install` writes serves projects outside the tree: docs/examples build with CMake and
with pkg-config against it, and run."""
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).parent
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"
ANSWERS = {
    "cohort": r"^200 samples, \d+ sites; 100\.00 % of the edges are shortest paths\n$",
    "own_genotypes": r"^samples 0 and 1 differ by 2 alleles at 1 of 5 sites\nfrom sample 0 to 2: 5\n$",
    "own_operator": r"^after 1000 maps x -> x / 2 \+ 1, 0 has become 2\n$",
    "fft_plan": r"^X\[0\] = 0\nX\[0\] = 512\nX\[0\] = 1023\n$",
    "device_arrays": r"^1 \+ 2 \+ \.\.\. \+ 1000000 is 500000500000\n$",
    "closest_pair": r"^points \d+ and \d+ are \d\.\d+e-0[67] apart\n$",
}
FAMILIES = {"cohort": "job", "own_genotypes": "graph yupana-genotype", "own_operator": "arrays",
            "fft_plan": "spectral", "closest_pair": "geometry"}


def run(*words, **more):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(example, program):
    answer = run(program)
    assert re.search(ANSWERS[example], answer), f"{example}: {answer!r}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        prefix, out = pathlib.Path(folder) / "usr", pathlib.Path(folder) / "out"
        run("cmake", "--install", BUILD, "--prefix", prefix, "--strip")
        run("cmake", "-S", EXAMPLES, "-B", out, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", out, "-j", "2")
        for example in FAMILIES:
            check(example, out / example)
        by_pkg_config = ["own_operator", "cohort"]
        # Built with a library for GPUs alone; runs where there is one.
        if (out / "device_arrays").exists() and os.path.exists("/dev/nvidia0"):
            check("device_arrays", out / "device_arrays")
            by_pkg_config.append("device_arrays")
        # A component that is not there is named, and those that are.
        (out / "unknown").mkdir()
        (out / "unknown" / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(unknown LANGUAGES CXX)\n"
            "find_package(yupana REQUIRED COMPONENTS arrays sorting)\n")
        words = ["cmake", "-S", out / "unknown", "-B", out / "unknown" / "b", f"-DCMAKE_PREFIX_PATH={prefix}"]
        refused = subprocess.run(words, capture_output=True, text=True)
        assert refused.returncode != 0 and "no component 'sorting'; there are" in refused.stderr, refused.stderr
        # A component brings its own libraries only.
        linked = run("ldd", out / "own_operator")
        assert "libhts" not in linked and "libcairo" not in linked, linked

        pkgconfig = next(prefix.glob("**/pkgconfig"))
        env = {**os.environ, "PKG_CONFIG_PATH": str(pkgconfig)}
        for example in by_pkg_config:
            family = FAMILIES.get(example, "arrays")
            flags = run("pkg-config", "--cflags", "--libs", *f"yupana-{family}".split(), env=env).split()
            run("g++", "-std=c++20", EXAMPLES / f"{example}.cpp", "-o", out / "by_pkg_config", *flags)
            check(example, out / "by_pkg_config")
        assert run(prefix / "bin" / "yupana", "--version").startswith("yupana ")
        manual = gzip.decompress((prefix / "share/man/man1/yupana.1.gz").read_bytes()).decode()
        assert manual.startswith(".TH YUPANA 1") and "fermat" in manual, manual[:80]
        completions = prefix / "share/bash-completion/completions/yupana"
        run("bash", "-c", f"source {completions} && complete -p yupana")


main()
