#!/usr/bin/env python3
"""Coding sequences against the simulated chromosome they come from: exons found, processor seconds
and memory of yupana and, where it is installed, of minimap2. One thread each.

  python3 bench/splice/genome.py build/release/yupana --megabases 5 --genes 50 --changed 0.12
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

CODONS = [a + b + c for a in "ACGT" for b in "ACGT" for c in "ACGT" if a + b + c not in ("TAA", "TAG", "TGA")]
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def noise(rng, length):
    return "".join(rng.choices("ACGT", (32, 18, 18, 32), k=length))


def gene(rng):
    """(coding sequence, its bases with introns, first and last base of each exon from 1)"""
    lengths = [rng.randint(40, 300) for _ in range(rng.randint(3, 9))]
    codons = sum(lengths) // 3 - 2
    coding = "ATG" + "".join(rng.choice(CODONS) for _ in range(codons)) + "TAA"
    bases, exons, done = "", [], 0
    for k, length in enumerate(lengths):
        end = len(coding) if k + 1 == len(lengths) else done + length
        if k > 0:
            bases += "GTAAGT" + noise(rng, int(rng.lognormvariate(5.3, 1.2)) + 37) + "TTTTCTTTCTTTTTCAG"
        exons.append((len(bases) + 1, len(bases) + end - done))
        bases, done = bases + coding[done:end], end
    return coding, bases, exons


def simulate(folder, options):
    """Writes genome.fa and cds.fa; returns the exons of each gene."""
    rng, chromosome, targets, truth = random.Random(options.seed), [], [], {}
    begin, room = 0, int(options.megabases * 1e6) // options.genes
    for k in range(options.genes):
        coding, bases, exons = gene(rng)
        if rng.random() < 0.5:
            exons = [(len(bases) + 1 - last, len(bases) + 1 - first) for first, last in reversed(exons)]
            bases = bases[::-1].translate(COMPLEMENT)
        around = max(200, room - len(bases))
        before = rng.randint(100, around - 100)
        chromosome += [noise(rng, before), bases, noise(rng, around - before)]
        truth[f"g{k}"] = {(begin + before + first, begin + before + last) for first, last in exons}
        begin += around + len(bases)
        changed = (rng.choice("ACGT") if rng.random() < options.changed * 4 / 3 else x for x in coding)
        targets.append(f">g{k}\n{''.join(changed)}\n")
    (folder / "genome.fa").write_text(">chr\n" + "".join(chromosome) + "\n")
    (folder / "cds.fa").write_text("".join(targets))
    return truth


def run(words, folder, output=None):
    """(processor seconds, megabytes at the peak)"""
    with open(output or "/dev/null", "w") as out:
        done = subprocess.Popen(list(map(str, words)), cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(done.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def chains_of_yupana(path):
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    return {row["target"]: {tuple(map(int, exon.split("-"))) for exon in row["chain"].split(",")}
            for row in reversed(rows) if row["chain"] != "."}


def chains_of_minimap2(path):
    found = {}
    for line in path.read_text().splitlines():
        row = line.split("\t")
        cigar = next((word for word in row if word.startswith("cg:Z:")), None)
        if row[0] in found or cigar is None:
            continue
        begin = place = int(row[7])
        exons = set()
        for count, kind in re.findall(r"(\d+)([MIDN=X])", cigar):
            if kind == "N":
                exons.add((begin + 1, place))
                begin = place + int(count)
            place += int(count) if kind != "I" else 0
        found[row[0]] = exons | {(begin + 1, place)}
    return found


def tell(name, used, truth, found):
    right = sum(len(truth[gene] & found.get(gene, set())) for gene in truth)
    others = sum(map(len, found.values())) - right
    whole = sum(truth[gene] == found.get(gene) for gene in truth)
    print(f"| {name} | {used[0]:.2f} s | {used[1]:.0f} MB | {right} of {sum(map(len, truth.values()))} "
          f"| {others} | {whole} of {len(truth)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--megabases", type=float, default=5)
    parser.add_argument("--genes", type=int, default=50)
    parser.add_argument("--changed", type=float, default=0, help="share of the letters")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = simulate(folder, options)
        print("| | processor time | memory | exons | others | whole genes |\n|---|---:|---:|---:|---:|---:|")
        used = run([options.program.resolve(), "splice", "--genome", "genome.fa", "--target", "cds.fa",
                    "--threads", 1, "-o", "out"], folder)
        tell("yupana", used, truth, chains_of_yupana(folder / "out.tsv"))
        if shutil.which("minimap2") is None:
            sys.exit("minimap2: not installed, left out")
        used = run(["minimap2", "-t1", "-cx", "splice", "genome.fa", "cds.fa"], folder, folder / "peer.paf")
        tell("minimap2", used, truth, chains_of_minimap2(folder / "peer.paf"))


if __name__ == "__main__":
    main()
