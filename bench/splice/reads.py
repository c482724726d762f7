#!/usr/bin/env python3
"""Simulated reads of worm-like genes with errors, 3' ones antisense and with poly-A or 5' ones, against
their chromosome: introns found by yupana --ends local and, where it is installed, by minimap2. One
thread each.

  python3 bench/splice/reads.py build/release/yupana --seed 1 --vector 0
"""
import argparse
import pathlib
import random
import shutil
import tempfile

from genome import CODONS, COMPLEMENT, chains_of_minimap2, chains_of_yupana, noise, run

DONORS = {"GTAAGTT": 4, "GTGAGTT": 2, "GTAAATT": 2, "GTATGTT": 1, "GTAAGAA": 1}
ACCEPTORS = ("TTTTCAG", "ATTTCAG", "TTTCCAG", "TTTTTAG")
LEAST_LETTERS = 8  # of a read beyond an intron that it is to show


def reverse(text):
    return text[::-1].translate(COMPLEMENT)


def gene(rng):
    """(genomic bases, transcript, exons); the last exon is mostly an untranslated region."""
    bases = transcript = ""
    places, count = [], rng.randint(2, 7)
    for number in range(count):
        last = number + 1 == count
        exon = "".join(rng.choice(CODONS) for _ in range(40 if last else rng.randint(10, 90)))
        exon += "TAA" + noise(rng, rng.randint(80, 250)) if last else ""
        if number > 0:
            inner = max(28, int(rng.lognormvariate(3.6, 0.5))) if rng.random() < 0.7 else rng.randint(100, 2000)
            bases += rng.choices(*zip(*DONORS.items()))[0] + noise(rng, inner) + rng.choice(ACCEPTORS)
        places.append((len(bases) + 1, len(bases) + len(exon)))
        bases, transcript = bases + exon, transcript + exon
    return bases, transcript, places


def read_of(rng, transcript, vector, errors, forward):
    """(letters of its end that are read, the read)"""
    length = min(len(transcript), rng.randint(250, 600))
    clean = transcript[:length] if forward else reverse(transcript[-length:] + "A" * rng.randint(0, 25))
    letters = []
    for base in clean:
        error = rng.random() * 0.035 / errors
        letters.append("" if error < 0.01 else base + rng.choice("ACGT") if error < 0.02
                       else rng.choice("ACGT") if error < 0.035 else base)
    around = [noise(rng, rng.randint(0, most)) for most in (vector, vector // 2)]
    return length, around[0] + "".join(letters) + around[1]


def introns(exons):
    exons = sorted(exons)
    return {(a[1] + 1, b[0] - 1) for a, b in zip(exons, exons[1:])}


def shown(exons, length):
    """The introns, of exons in order from the end that is read, that so many letters show."""
    found = set()
    for exon, following in zip(exons, exons[1:]):
        length -= exon[1] - exon[0] + 1
        if length < LEAST_LETTERS:
            break
        found |= introns([exon, following])
    return found


def simulate(folder, options):
    """Writes genome.fa and reads.fa; returns the introns that each read shows."""
    rng, chromosome, reads, truth = random.Random(options.seed), "", [], {}
    for number in range(options.genes):
        chromosome += noise(rng, rng.randint(2000, 15000))
        bases, transcript, places = gene(rng)
        if rng.random() < 0.5:
            bases, places = reverse(bases), [(len(bases) + 1 - b, len(bases) + 1 - a) for a, b in places]
        places = [(a + len(chromosome), b + len(chromosome)) for a, b in places]
        chromosome += bases
        forward = options.five_prime
        length, read = read_of(rng, transcript, options.vector, options.errors, forward)
        reads.append(f">r{number}\n{read}\n")
        truth[f"r{number}"] = shown(places if forward else places[::-1], length)
    (folder / "genome.fa").write_text(">chr\n" + chromosome + noise(rng, 5000) + "\n")
    (folder / "reads.fa").write_text("".join(reads))
    return truth


def tell(name, seconds, truth, found):
    right = sum(len(truth[read] & introns(found.get(read, ()))) for read in truth)
    others = sum(len(introns(exons)) for exons in found.values()) - right
    print(f"| {name} | {right} of {sum(map(len, truth.values()))} | {others} | {seconds:.2f} s |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--genes", type=int, default=100)
    parser.add_argument("--vector", type=int, default=0, help="foreign letters before a read, at most")
    parser.add_argument("--errors", type=float, default=0.035, help="share of the letters")
    parser.add_argument("--five-prime", action="store_true", help="reads begin where transcripts do")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = simulate(folder, options)
        print("| | introns | others | processor time |\n|---|---:|---:|---:|")
        for species in (), ("--species", "worm"):
            seconds, _ = run([options.program.resolve(), "splice", "--genome", "genome.fa", "--target", "reads.fa",
                              "--ends", "local", "--threads", 1, "-o", "out", *species], folder)
            tell(" ".join(("yupana", *species)), seconds, truth, chains_of_yupana(folder / "out.tsv"))
        if shutil.which("minimap2"):
            for flank in (), ("--splice-flank=no",):
                words = ["minimap2", "-t1", "-cx", "splice", *flank, "genome.fa", "reads.fa"]
                seconds, _ = run(words, folder, folder / "out.paf")
                tell(" ".join(("minimap2", *flank)), seconds, truth, chains_of_minimap2(folder / "out.paf"))


if __name__ == "__main__":
    main()
