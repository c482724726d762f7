"""Whether commands keep --gpu-memory: the most memory of the GPU that was in use while each ran, less what the same
command holds of it for a tiny input (the driver, kernels). Prints one table; fails where a command held 10 % more than
it was allowed. The GPU must be idle otherwise.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

MIB = 1 << 20


class Gpu:
    """Memory in use on the first GPU, as NVML counts it for all processes."""

    class Memory(ctypes.Structure):
        _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]

    def __init__(self):
        self.library, self.device = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_void_p()
        self.ask("nvmlInit_v2")
        self.ask("nvmlDeviceGetHandleByIndex_v2", 0, ctypes.byref(self.device))

    def ask(self, name, *arguments):
        if status := getattr(self.library, name)(*arguments):
            sys.exit(f"{name}: expected an answer of the driver, got error {status}")

    def used(self):
        memory = self.Memory()
        self.ask("nvmlDeviceGetMemoryInfo", self.device, ctypes.byref(memory))
        return memory.used


def peak(gpu, command):
    """(bytes above those before, exit status, last line of errors) of a command"""
    most = before = gpu.used()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    finished = threading.Event()

    def watch():
        nonlocal most
        while not finished.is_set():
            most = max(most, gpu.used())
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    watcher.start()
    errors = running.communicate()[1].strip().splitlines()
    finished.set()
    watcher.join()
    return most - before, running.returncode, errors[-1] if errors else ""


def numbers(name, size, kind):
    draw = np.random.default_rng(7)
    if kind == "c8":
        values = draw.standard_normal(2 * size, dtype=np.float32).view(np.complex64)
    elif kind == "f4":
        values = draw.standard_normal(size, dtype=np.float32)
    elif kind == "f8":
        values = draw.standard_normal(size)
    else:
        values = draw.integers(0, 1 << 62 if kind == "u8" else 1 << 10, size, dtype="u8" if kind == "u8" else "i8")
    np.save(name, values)


def table(name, rows, columns):
    """The last column is the class of a row."""
    values = np.random.default_rng(8).standard_normal((rows, columns), dtype=np.float32)
    values[:, -1] = (values[:, 0] + values[:, 1] > 0) + (values[:, 2] > 1)
    np.save(name, values)


def points(name, rows):
    np.save(name, np.random.default_rng(9).random((rows, 3), dtype=np.float32))


def triangle(name, rows):
    with open(name, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {3 * rows - 101}\n")
        for i in range(1, rows + 1):
            file.write("".join(f"{i} {j} 1\n" for j in (i - 100, i - 1) if j > 0) + f"{i} {i} 4\n")


def shapes(yupana):
    """Name, --gpu-memory in MiB, the command, and what makes its input at full size and at a tiny one."""
    def cohort(samples, sites, missing):
        return lambda name: subprocess.run(
            [yupana, "simulate", "--samples", str(samples), "--sites", str(sites), "--populations", "4", "--missing",
             str(missing), "-o", name.removesuffix(".bed"), "--quiet"], check=True)

    def genotypes(name, allowed, command, samples, sites, missing=0):
        return name, allowed, command, ".bed", cohort(samples, sites, missing), cohort(60, 300, missing)

    yield genotypes("dist", 1024, "dist", 12000, 30000)
    yield genotypes("dist, missing calls", 1024, "dist", 12000, 30000, 0.01)
    yield genotypes("dist --metric king", 2048, "dist --metric king", 16384, 20000, 0.01)
    yield genotypes("fermat", 1024, "fermat --alpha 2", 6000, 5000)
    yield genotypes("fermat, matrix beyond", 1024, "fermat --alpha 2 --matrix-only", 20000, 5000)
    yield genotypes("grm", 1024, "grm", 12000, 30000)
    yield genotypes("grm, missing calls", 1024, "grm", 12000, 30000, 0.01)
    yield genotypes("grm, two bands", 8192, "grm", 20000, 30000, 0.01)
    yield genotypes("pca", 4096, "pca", 8000, 30000, 0.01)

    def column(name, allowed, command, size, kind):
        return (name, allowed, command, ".npy", lambda file: numbers(file, size, kind),
                lambda file: numbers(file, 4096, kind))

    yield column("fft complex", 2048, "fft", 1 << 26, "c8")
    yield column("fft of a prime length", 2048, "fft", 16777259, "c8")
    yield column("fft of doubles", 1024, "fft", 1 << 25, "f8")
    yield column("sort u64", 1024, "sort", 1 << 27, "u8")
    yield column("sort floats", 512, "sort", 1 << 28, "f4")
    yield column("sort --positions", 1024, "sort --positions", 1 << 27, "f8")
    yield column("scan", 256, "scan", 1 << 27, "f8")
    yield column("reduce", 256, "reduce", 1 << 27, "i8")
    yield column("polymul exact", 1024, "polymul --exact {input}", 1 << 22, "i8")

    yield ("closest", 1024, "closest", ".npy", lambda file: points(file, 1 << 24), lambda file: points(file, 100))
    yield ("trisolve", 512, "trisolve --rhs 8", ".mtx", lambda file: triangle(file, 400000),
           lambda file: triangle(file, 200))

    def samples(name, allowed, command, rows, columns):
        return (name, allowed, command, ".npy", lambda file: table(file, rows, columns),
                lambda file: table(file, 200, columns))

    yield samples("som fit", 512, "som fit --rows 16 --cols 16 --iterations 3", 1 << 22, 50)
    yield samples("tree fit", 1024, "tree fit --label last --max-depth 8", 1 << 22, 20)
    yield samples("forest fit", 2048, "forest fit --label last --trees 8 --max-depth 8", 1 << 21, 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yupana", help="the program, of a build with CUDA")
    parser.add_argument("--only", default="", help="names that have this in them")
    options = parser.parse_args()
    gpu, kept = Gpu(), True
    print("| command | allowed, MiB | held | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, allowed, command, ending, large, tiny in shapes(os.path.abspath(options.yupana)):
            if options.only not in name:
                continue
            peaks = []
            for make in (tiny, large):
                file = os.path.join(folder, "input" + ending)
                make(file)
                words = command.replace("{input}", file).split()
                position = 2 if words[0] in ("som", "tree", "forest") else 1
                words = [*words[:position], file, *words[position:]]
                prefix = os.path.join(folder, "out")
                out = {"trisolve": [], "closest": ["-o", prefix + ".tsv"]}.get(
                    words[0], ["-o", prefix + (".npy" if ending == ".npy" and position == 1 else "")])
                used, status, error = peak(gpu, [options.yupana, *words, *out, "--device", "cuda:0",
                                                 "--gpu-memory", f"{allowed}MiB"])
                peaks.append(used)
                if status != 0:
                    break
            if status != 0:
                kept = kept and status == 4
                print(f"| {name} | {allowed} | exit {status}: {error} | |", flush=True)
                continue
            ratio = (peaks[1] - peaks[0]) / (allowed * MIB)
            kept = kept and ratio <= 1.1
            print(f"| {name} | {allowed} | {(peaks[1] - peaks[0]) / MIB:.0f} | {ratio:.2f} |", flush=True)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
