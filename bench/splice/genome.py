#!/usr/bin/env python3
"""Coding sequences, or their proteins, against the simulated chromosome they come from: exons found,
processor seconds and memory of yupana without and with an index that was saved before, and of minimap2
or exonerate where they are installed. One thread each; exons without the stop codon are right.

  python3 bench/splice/genome.py build/release/yupana --megabases 5 --genes 50 --changed 0.12
  python3 bench/splice/genome.py build/release/yupana --megabases 1 --genes 73 --changed 0.15 --proteins
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

AMINO = dict(zip((a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"),
                 "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
CODONS = [a + b + c for a in "ACGT" for b in "ACGT" for c in "ACGT" if a + b + c not in ("TAA", "TAG", "TGA")]
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def noise(rng, length):
    return "".join(rng.choices("ACGT", (32, 18, 18, 32), k=length))


def inner_length(rng, long_introns):
    """Bases of an intron between its signals; a share of all introns has 10,000 to 100,000."""
    if rng.random() < long_introns:
        return int(10 ** rng.uniform(4, 5))
    return int(rng.lognormvariate(5.3, 1.2)) + 37


def gene(rng, long_introns):
    """(coding sequence, its bases with introns, first and last base of each exon from 1)"""
    lengths = [rng.randint(40, 300) for _ in range(rng.randint(3, 9))]
    codons = sum(lengths) // 3 - 2
    coding = "ATG" + "".join(rng.choice(CODONS) for _ in range(codons)) + "TAA"
    bases, exons, done = "", [], 0
    for k, length in enumerate(lengths):
        end = len(coding) if k + 1 == len(lengths) else done + length
        if k > 0:
            bases += "GTAAGT" + noise(rng, inner_length(rng, long_introns)) + "TTTTCTTTCTTTTTCAG"
        exons.append((len(bases) + 1, len(bases) + end - done))
        bases, done = bases + coding[done:end], end
    return coding, bases, exons


def fragment(rng, coding, exons):
    """The inner codons of a coding sequence, and what is left of its exons."""
    codons, done, left = len(coding) // 3, 0, []
    first, past = 3 * rng.randint(codons // 20, codons * 3 // 10), 3 * rng.randint(codons * 7 // 10, codons * 19 // 20)
    for a, b in exons:
        begin, end = max(first, done), min(past, done + b - a + 1)
        if begin < end:
            left.append((a + begin - done, a + end - done - 1))
        done += b - a + 1
    return coding[first:past], left


def untranslated(rng, most, coding, bases, exons):
    """The gene with `most` bases at most before and after its coding part, in its first and last exon."""
    before, after = (noise(rng, rng.randint(most // 4, most)) for _ in range(2))
    places = [(first + len(before), last + len(before)) for first, last in exons]
    places[0] = (1, places[0][1])
    places[-1] = (places[-1][0], places[-1][1] + len(after))
    return before + coding + after, before + bases + after, places


def changed_letters(rng, text, letters, options):
    """A share of the letters is another one, or, of these a share, lacks or is doubled."""
    share = options.changed * len(letters) / (len(letters) - 1)
    for x in text:
        if rng.random() >= share:
            yield x
        else:
            yield rng.choice(("", 2 * x)) if options.gaps and rng.random() < options.gaps else rng.choice(letters)


def simulate(folder, options):
    """Writes genome.fa and targets.fa; returns the exons of each gene."""
    rng, chromosome, targets, truth = random.Random(options.seed), [], [], {}
    begin, room = 0, int(options.megabases * 1e6) // options.genes
    for k in range(options.genes):
        coding, bases, exons = gene(rng, options.long_introns)
        stop = 0 if options.fragments else 3
        if options.fragments:
            coding, exons = fragment(rng, coding, exons)
        if options.untranslated:
            coding, bases, exons = untranslated(rng, options.untranslated, coding, bases, exons)
        if rng.random() < 0.5:
            exons = [(len(bases) + 1 - last, len(bases) + 1 - first) for first, last in reversed(exons)]
            bases = bases[::-1].translate(COMPLEMENT)
        around = max(200, room - len(bases))
        before = rng.randint(100, around - 100)
        chromosome += [noise(rng, before), bases, noise(rng, around - before)]
        truth[f"g{k}"] = {(begin + before + first, begin + before + last) for first, last in exons}
        begin += around + len(bases)
        letters = "ACGT"
        if options.proteins:
            coding = "".join(AMINO[coding[i:i + 3]] for i in range(0, len(coding) - stop, 3))
            letters = "ACDEFGHIKLMNPQRSTVWY"
        targets.append(f">g{k}\n{''.join(changed_letters(rng, coding, letters, options))}\n")
    (folder / "genome.fa").write_text(">chr\n" + "".join(chromosome) + "\n")
    (folder / "targets.fa").write_text("".join(targets))
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


def chains_of_exonerate(path):
    found = {}
    for line in path.read_text().splitlines():
        row = line.split("\t")
        if len(row) > 8 and row[2] == "gene":
            exons = found.setdefault(re.search(r"sequence (\S+)", row[8])[1], set())
        elif len(row) > 8 and row[2] == "exon":
            exons.add((int(row[3]), int(row[4])))
    return found


def tell(name, used, truth, found):
    """An exon is right if it is one of the gene's, or lacks the stop codon alone."""
    def known(gene, exon):
        one = ((exon[0], exon[1] + 3), (exon[0] - 3, exon[1]), exon)
        edges = min(truth[gene])[0], max(truth[gene])[1]
        return next((e for e in one if e in truth[gene] and (e == exon or {*e} & {*edges})), exon)
    found = {gene: {known(gene, exon) for exon in exons} for gene, exons in found.items()}
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
    parser.add_argument("--long-introns", type=float, default=0, help="share that has 10,000 to 100,000 bases")
    parser.add_argument("--proteins", action="store_true")
    parser.add_argument("--fragments", action="store_true", help="inner codons alone, 40 to 90 of 100")
    parser.add_argument("--untranslated", type=int, default=0,
                        help="bases before and after the coding part of cDNAs, at most")
    parser.add_argument("--gaps", type=float, default=0, help="share of the changes that lack or double a letter")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = simulate(folder, options)
        print("| | processor time | memory | exons | others | whole genes |\n|---|---:|---:|---:|---:|---:|")
        splice = [options.program.resolve(), "splice", "--genome", "genome.fa", "--threads", 1]
        auto = ["--protein" if options.proteins else "--target", "targets.fa", "-o", "out"]
        tell("yupana", run([*splice, *auto], folder), truth, chains_of_yupana(folder / "out.tsv"))
        used = run([*splice, "--save", "protein-index" if options.proteins else "index", "-o", "g.idx"], folder)
        size = (folder / "g.idx").stat().st_size / 1e6
        print(f"| yupana --save, a file of {size:.0f} MB | {used[0]:.2f} s | {used[1]:.0f} MB | | | |")
        used = run([*splice, *auto, "--index", "g.idx"], folder)
        tell("yupana --index", used, truth, chains_of_yupana(folder / "out.tsv"))
        peer = ["minimap2", "-t1", "-cx", "splice", "genome.fa", "targets.fa"]
        if options.proteins:
            peer = ["exonerate", "--model", "protein2genome", "--bestn", "1", "--showalignment", "no",
                    "--showvulgar", "no", "--showtargetgff", "yes", "targets.fa", "genome.fa"]
        if shutil.which(peer[0]) is None:
            sys.exit(f"{peer[0]}: not installed, left out")
        used = run(peer, folder, folder / "peer.out")
        read = chains_of_exonerate if options.proteins else chains_of_minimap2
        tell(peer[0], used, truth, read(folder / "peer.out"))


if __name__ == "__main__":
    main()
