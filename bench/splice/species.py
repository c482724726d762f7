#!/usr/bin/env python3
"""Simulated genes with each species' lengths of exons and introns, its splice sites and its share of G and
C: exons and whole genes that yupana finds without and with --species, by cDNAs and proteins of relatives.
Sites are drawn from the shares of species.cpp, so this says what a model gains where it is true.

  python3 bench/splice/species.py build/release/yupana
"""
import argparse
import pathlib
import random
import re
import tempfile

from genome import AMINO, CODONS, COMPLEMENT, chains_of_yupana, run

SOURCE = pathlib.Path(__file__).parents[2] / "yupana/splice/species.cpp"
# Exons of a gene, their median length; introns: share, median, spread (of the logarithm); share of G and C.
SPECIES = {
    "vertebrate": (9, 130, ((1.0, 1500, 1.2),), 0.41),
    "worm": (6, 150, ((0.6, 55, 0.12), (0.4, 350, 0.9)), 0.35),
    "fly": (4, 250, ((0.55, 65, 0.12), (0.45, 700, 1.2)), 0.42),
    "plant": (6, 150, ((1.0, 105, 0.6),), 0.36),
    "yeast": (2, 500, ((0.4, 110, 0.2), (0.6, 400, 0.2)), 0.38),
    "fungi": (3, 400, ((1.0, 62, 0.25),), 0.51),
}
LEAST_INTRON = {"yeast": 60, "plant": 65}  # others 45


def shares_of(species):
    """Of A, C, G, T at the nine places of donors and the 21 of acceptors."""
    text = re.search(rf"constexpr Sites {species} = (.*?);", SOURCE.read_text(), re.S)[1]
    rows = [list(map(float, row.split(","))) for row in re.findall(r"\{([\d., ]+)\}", text)]
    assert len(rows) == 30, species
    return rows[:9], rows[9:]


def drawn(rng, rows):
    return "".join(rng.choices("ACGT", row)[0] for row in rows)


class Simulation:
    def __init__(self, species, seed):
        self.rng = random.Random(seed)
        self.exons, self.exon, self.introns, self.gc = SPECIES[species]
        self.least = LEAST_INTRON.get(species, 45)
        self.donor, self.acceptor = shares_of(species)

    def noise(self, length):
        return "".join(self.rng.choices("ACGT", (1 - self.gc, self.gc, self.gc, 1 - self.gc), k=length))

    def codon(self):
        weight = [(self.gc if base in "CG" else 1 - self.gc) for base in "ACGT"]
        weights = [weight["ACGT".index(c[0])] * weight["ACGT".index(c[1])] * weight["ACGT".index(c[2])]
                   for c in CODONS]
        return self.rng.choices(CODONS, weights)[0]

    def intron(self):
        _, median, spread = self.rng.choices(self.introns, [part[0] for part in self.introns])[0]
        length = max(self.least, int(median * self.rng.lognormvariate(0, spread)))
        donor = drawn(self.rng, self.donor[3:])
        return donor + self.noise(length - 26) + drawn(self.rng, self.acceptor[:20])

    def gene(self):
        """(coding sequence, its bases with introns, exons)"""
        rng, count = self.rng, max(2, round(self.rng.gauss(self.exons, self.exons / 4)))
        lengths = [max(12, int(self.exon * rng.lognormvariate(0, 0.5))) for _ in range(count)]
        coding = list("ATG" + "".join(self.codon() for _ in range(sum(lengths) // 3 - 2)) + "TAA")
        ends, bases, places, done = [], "", [], 0
        for length in lengths[:-1]:
            ends.append((ends[-1] if ends else 0) + length)
        for end in ends:  # the exon's share of the sites, where it makes no stop codon
            for at, base in zip(range(end - 3, end + 1), drawn(rng, self.donor[:3] + self.acceptor[20:])):
                own, first = coding[at], at // 3 * 3
                coding[at] = base
                if not 3 <= first < len(coding) - 3 or AMINO["".join(coding[first:first + 3])] == "*":
                    coding[at] = own
        coding = "".join(coding)
        for number, end in enumerate(ends + [len(coding)]):
            bases += self.intron() if number else ""
            places.append((len(bases) + 1, len(bases) + end - done))
            bases, done = bases + coding[done:end], end
        return coding, bases, places


def simulate(folder, species, options):
    """Writes genome.fa, cdnas.fa and proteins.fa; returns the exons of each gene."""
    made = Simulation(species, options.seed)
    rng, chromosome, texts, truth = made.rng, "", ["", ""], {}
    for number in range(options.genes):
        chromosome += made.noise(rng.randint(2000, 8000))
        coding, bases, places = made.gene()
        if rng.random() < 0.5:
            bases = bases[::-1].translate(COMPLEMENT)
            places = [(len(bases) + 1 - last, len(bases) + 1 - first) for first, last in places[::-1]]
        truth[f"g{number}"] = {(len(chromosome) + a, len(chromosome) + b) for a, b in places}
        chromosome += bases
        protein = "".join(AMINO[coding[i:i + 3]] for i in range(0, len(coding) - 3, 3))
        for kind, (text, share, letters) in enumerate(((coding, options.changed, "ACGT"), (
                protein, 2 * options.changed, "ACDEFGHIKLMNPQRSTVWY"))):
            share *= len(letters) / (len(letters) - 1)
            inner = "".join(rng.choice(letters) if rng.random() < share else x for x in text[3:-3])
            texts[kind] += f">g{number}\n{text[:3] + inner + text[-3:]}\n"
    (folder / "genome.fa").write_text(f">chr\n{chromosome}{made.noise(5000)}\n")
    for name, text in zip(("cdnas.fa", "proteins.fa"), texts):
        (folder / name).write_text(text)
    return truth


def tell(name, seconds, truth, found, by_protein):
    """Sensitivity and precision of exons and of whole genes; a protein has no stop codon."""
    def known(gene, exon):
        one = ((exon[0], exon[1] + 3), (exon[0] - 3, exon[1])) if by_protein else ()
        return next((e for e in one if e in truth[gene]), exon)
    found = {gene: {known(gene, exon) for exon in exons} for gene, exons in found.items()}
    right = sum(len(truth[gene] & exons) for gene, exons in found.items())
    whole = sum(truth[gene] == exons for gene, exons in found.items())
    shares = (right / sum(map(len, truth.values())), right / max(1, sum(map(len, found.values()))),
              whole / len(truth), whole / max(1, len(found)))
    print(f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} | {seconds:.2f} s |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--genes", type=int, default=100)
    parser.add_argument("--changed", type=float, default=0.15, help="share of a cDNA's letters; of a protein's twice")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = options.program.resolve()
    print("| % | exons found | exons right | genes found | genes right | processor time |\n|---|---:|---:|---:|---:|---:|")
    for species in SPECIES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            truth = simulate(folder, species, options)
            for kind, file in (("--target", "cdnas.fa"), ("--protein", "proteins.fa")):
                for more in (), ("--species", species):
                    seconds, _ = run([program, "splice", "--genome", "genome.fa", kind, file,
                                      "--threads", 1, "-o", "out", *more], folder)
                    title = f"{species}, {file.removesuffix('.fa')}{', --species' if more else ''}"
                    tell(title, seconds, truth, chains_of_yupana(folder / "out.tsv"), kind == "--protein")


if __name__ == "__main__":
    main()
