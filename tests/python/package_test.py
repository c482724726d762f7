#!/usr/bin/env python3
"""The Python package: installed by pip into a virtual environment, its own tests run there.

Objects come out of the compiler cache where `make test` has made them. What is for arrays on a GPU
is compiled alone. Skips, with the reason, where no package index can be reached. With --install it
ends there, for `make site`.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
HOME = PROGRAM.parent / "python-venv"
TOOLS = ["scikit-build-core", "nanobind"]
NEEDED = ["numpy", "scikit-learn", "scipy", "pandas", "polars", "pyarrow", "pyspark", "tqdm", "pytest",
          "onnxruntime", "mypy", "fermat", "networkx", "hypothesis", "minisom"]
CUDA_HEADERS = ["nvidia-cuda-runtime>=13", "nvidia-cuda-crt>=13"]  # no compiler: declarations alone


def run(*command, **keywords):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], **keywords)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def compiler():
    """The compiler of the program's own build, by its name there: the compiler cache asks for it."""
    for line in (PROGRAM.parent / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_CXX_COMPILER:"):
            return line.split("=", 1)[1]
    return "c++"


def refused_for_gpus(python):
    """Whether the bindings of arrays on a GPU, which only builds with CUDA have, do not compile."""
    place = "import sysconfig; print(sysconfig.get_path('{}'))"
    site, headers = (run(python, "-c", place.format(name), stdout=subprocess.PIPE, text=True).stdout.strip()
                     for name in ("purelib", "include"))
    folders = [ROOT, headers, f"{site}/nanobind/include", f"{site}/nanobind/ext/robin_map/include"]
    cuda = f"{site}/nvidia/cu13/include"
    bindings = sorted((ROOT / "python" / "bindings").glob("*.cpp"))
    assert bindings, "no binding was found"
    command = [compiler(), "-std=c++20", "-fsyntax-only", "-w", "-DYUPANA_CUDA", "-isystem", cuda]
    command += [f"-I{folder}" for folder in folders]
    # As one source, for half of each is its headers.
    together = "".join(f'#include "{path}"\n' for path in bindings)
    return run(*command, "-x", "c++", "-", input=together, text=True).returncode != 0


def main():
    python = HOME / "bin" / "python"
    if not python.exists() and run(sys.executable, "-m", "venv", HOME).returncode != 0:
        skip("no virtual environment can be made; install python3-venv")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    got = run(*pip, "--retries", "1", *TOOLS, *NEEDED, *CUDA_HEADERS, stderr=subprocess.PIPE, text=True)
    if got.returncode != 0:
        sys.stderr.write(got.stderr)
        skip("the package index cannot be reached, or lacks a package (see above)")
    # The tools of the environment, not of a new one each time: the compiler cache knows their path.
    built = run(
        *pip,
        "--no-build-isolation",
        "--no-deps",
        "--config-settings=cmake.define.YUPANA_CUDA=OFF",
        f"--config-settings=cmake.define.CMAKE_CXX_COMPILER={compiler()}",
        "--config-settings=build.verbose=false",
        ROOT,
    )
    if built.returncode != 0 or "--install" in sys.argv:
        return built.returncode
    if refused_for_gpus(python):
        return 1
    environment = dict(os.environ, YUPANA_PROGRAM=str(PROGRAM))
    environment.pop("PYTHONPATH", None)
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "python" / "tests"]
    failed = run(*tests, env=environment, cwd=HOME).returncode
    # The environment has what the distribution's Python lacks.
    onnx = [ROOT / "tests" / script for script in ("support/run_script.py", "forest/onnx_test.py")]
    return failed or run(python, *onnx, PROGRAM, env=environment, cwd=HOME).returncode


sys.exit(main())
