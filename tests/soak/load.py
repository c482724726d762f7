#!/usr/bin/env python3
"""Load: several jobs at once that share a few gigabytes, of which one is killed every few seconds and run again by
the same line. At the end each output must be that of a run that nothing disturbed, and nothing else may be left.

    load.py PROGRAM [--seconds 600] [--at-once 8] [--gigabytes 4] [--seed 1] [--device cuda]
"""
import argparse
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

# Each takes a second or a few; inputs are in ../in, outputs begin with o in a folder of the job's own.
INPUTS = ("simulate --samples 1500 --sites 20000 --missing 0.01 --populations 4 -o c",
          "simulate --samples 400 --sites 60000 --format vcf.gz -o v",
          "simulate --samples 300 --sites 9000 --missing 0.02 -o d")
JOBS = ("dist ../in/c.bed --metric king --checkpoint saved --checkpoint-interval 1 --memory 40M -o o",
        "dist ../in/v.vcf.gz --format npy tsv --checkpoint saved --checkpoint-interval 0 -o o",
        "fermat ../in/d.bed --alpha 1.5 3 --checkpoint saved --checkpoint-interval 0 -o o",
        "grm ../in/c.bed --memory 30M -o o",
        "pca ../in/d.bed --components 4 --loadings -o o",
        "filter ../in/v.vcf.gz --indep-pairwise 50 5 0.2 -o o.pgen",
        "filter ../in/c.bed --maf 0.05 -o o.vcf.gz",
        "simulate --samples 2000 --sites 20000 -o o",
        "sort ../in/k.npy --memory 2M -o o.npy",
        "scan ../in/k.npy --memory 30M --wrap -o o.npy",
        "polymul ../in/s.npy ../in/s.npy --exact -o o.npy",
        "closest ../in/p.npy --neighbors 3 -o o.tsv",
        "tree fit ../in/t.csv --label last --cv 3 -o o",
        "forest fit ../in/t.csv --label last --trees 20 --partition --memory 12M -o o",
        "som fit ../in/t.csv --label last --rows 8 --cols 8 --iterations 30 -o o",
        "splice --genome ../in/g.fa --exons auto --target ../in/cdna.fa -o o --also sam gtf")


def npy(path, kind, values):
    head = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {values[0]}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + values[1])


def make_inputs(program, folder):
    rng = random.Random(5)
    folder.mkdir()
    for line in INPUTS:
        subprocess.run([program, *line.split(), "--quiet"], cwd=folder, check=True)
    npy(folder / "k.npy", "i8", ((1500000,), rng.randbytes(12000000)))
    npy(folder / "s.npy", "i1", ((300000,), rng.randbytes(300000)))
    npy(folder / "p.npy", "u4", ((200000, 2), rng.randbytes(1600000)))
    rows = (",".join(f"{rng.gauss(k % 5, 2):.4f}" for _ in range(9)) + f",c{k % 5}\n" for k in range(20000))
    (folder / "t.csv").write_text("".join(rows))
    letters = lambda n: "".join(rng.choices("ACGT", k=n))
    exons = [[letters(rng.randrange(80, 300)) for _ in range(8)] for _ in range(30)]
    genes = ("".join(exon + "GTAAGT" + letters(900) + "TTTTCTTTTCCTTTTTTTGCAG" for exon in gene) for gene in exons)
    (folder / "g.fa").write_text(">chr1\n" + "".join(letters(20000) + gene for gene in genes) + "\n")
    (folder / "cdna.fa").write_text("".join(f">g{k}\n{''.join(gene)}\n" for k, gene in enumerate(exons)))


def files(folder, k):
    """Names and bytes of what a job has left; pages, and records of `fermat`, tell how long it took."""
    holds_times = (".html", ".json") if JOBS[k].startswith("fermat") else (".html",)
    return {str(path.relative_to(folder)): b"" if path.name.endswith(holds_times) else path.read_bytes()
            for path in folder.rglob("*") if path.is_file() and "saved" not in path.parts}


class Load:
    def __init__(self, options, folder):
        self.options, self.folder, self.rng = options, folder, random.Random(options.seed)
        self.program = str(pathlib.Path(options.program).absolute())
        self.running, self.lock = {}, threading.Lock()
        self.done = self.kills = 0
        self.wrong = []
        make_inputs(self.program, folder / "in")
        self.undisturbed = [self.undisturbed_run(k) for k in range(len(JOBS))]
        self.end = time.monotonic() + options.seconds

    def start(self, k, place):
        share = int(self.options.gigabytes * (1 << 30) / self.options.at_once)
        limit = None if self.options.device else lambda: resource.setrlimit(resource.RLIMIT_DATA, (share, share))
        words = [self.program, *JOBS[k].split(), "--threads", "2", "--quiet"]
        if self.options.device and JOBS[k].split()[0] not in ("simulate", "filter", "closest"):
            words += ["--device", self.options.device]
        return subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                preexec_fn=limit)

    def undisturbed_run(self, k):
        place = self.folder / f"alone{k}"
        place.mkdir()
        process = self.start(k, place)
        errors = process.communicate()[1]
        assert process.returncode == 0, (JOBS[k], errors)
        return files(place, k)

    def work(self, number):
        rng = random.Random(1000 * self.options.seed + number)
        while time.monotonic() < self.end:
            k = rng.randrange(len(JOBS))
            place = self.folder / f"job{number}"
            place.mkdir()
            status = -9
            while status == -9:
                process = self.start(k, place)
                with self.lock:
                    self.running[number] = process
                errors = process.communicate()[1]
                status = process.returncode
                with self.lock:
                    del self.running[number]
            left = files(place, k)
            with self.lock:
                self.done += 1
                if status != 0 or left != self.undisturbed[k]:
                    differ = [name for name in left.keys() | self.undisturbed[k].keys()
                              if left.get(name) != self.undisturbed[k].get(name)]
                    self.wrong.append(f"{JOBS[k]}: status {status}, {errors.strip()}, {sorted(differ)}")
                    print("WRONG", self.wrong[-1], flush=True)
            shutil.rmtree(place)

    def kill_some(self):
        while time.monotonic() < self.end:
            time.sleep(self.rng.uniform(0.2, 2))
            with self.lock:
                if self.running:
                    self.rng.choice(list(self.running.values())).kill()
                    self.kills += 1

    def run(self):
        threads = [threading.Thread(target=self.work, args=(n,)) for n in range(self.options.at_once)]
        threads.append(threading.Thread(target=self.kill_some))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def run(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        load = Load(options, pathlib.Path(folder))
        load.run()
    return load


def main():
    load = run(sys.argv[1:])
    options = load.options
    print(f"{load.done} jobs, {load.kills} kills, {options.at_once} at once for {options.seconds:g} s: "
          f"{len(load.wrong)} not as undisturbed")
    return 1 if load.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
