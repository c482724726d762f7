#!/usr/bin/env python3
"""Annotated genes beside other programs: exons right, wrong and missed, and whole genes, of yupana and,
where they are installed, of exonerate, spaln and minimap2. One thread each.

  python3 bench/splice/accuracy.py build/release/yupana FOLDER

FOLDER has vertebrate_cds/*/{genomic.fa,target_cdna.fa,exons.tsv} and
arabidopsis_U89959/{U89959_genomic.fas.gz,U89959_cds.gff3}; a set that it lacks is left out. Simulated
genes with what is rare in genes (rare.py) follow.
"""
import argparse
import gzip
import pathlib
import random
import re
import shutil
import sys
import tempfile

from genome import COMPLEMENT, chains_of_minimap2, chains_of_yupana, run
import rare

ACIDS = dict(zip((a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"),
                 "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
EXONERATE = ["--bestn", 1, "--showalignment", "no", "--showvulgar", "no", "--showtargetgff", "yes"]


def letters(path):
    text = (gzip.open(path, "rt") if path.suffix == ".gz" else path.open()).read()
    return "".join(text.split(">")[1].split("\n")[1:]).upper()


def vertebrates(folder):
    """(genomic bases, target, exons) of each gene."""
    for path in sorted(folder.glob("vertebrate_cds/*/exons.tsv")):
        exons = {tuple(map(int, line.split()[:2])) for line in path.read_text().splitlines()[1:]}
        yield letters(path.parent / "genomic.fa"), letters(path.parent / "target_cdna.fa"), exons


def transcripts(folder):
    """The coding parts of the transcripts of a GFF3, with two exons or more, each once."""
    table, seen = folder / "arabidopsis_U89959/U89959_cds.gff3", set()
    if not table.exists():
        return
    bases, parts = letters(table.parent / "U89959_genomic.fas.gz"), {}
    for line in table.read_text().splitlines():
        row = line.split("\t")
        if len(row) == 9 and row[2] == "CDS":
            key = re.search("Parent=([^;]+)", row[8])[1], row[6]
            parts.setdefault(key, set()).add((int(row[3]), int(row[4])))
    for (_, strand), exons in parts.items():
        if len(exons) < 2 or (strand, frozenset(exons)) in seen:
            continue
        seen.add((strand, frozenset(exons)))
        target = "".join(bases[first - 1:last] for first, last in sorted(exons))
        yield bases, target if strand == "+" else target[::-1].translate(COMPLEMENT), exons


def relatives(genes, changed, seed=1):
    """The genes with a share of the letters between the first and the last codon another one."""
    rng = random.Random(seed)
    for bases, target, exons in genes:
        inner = (rng.choice([o for o in "ACGT" if o != x]) if rng.random() < changed else x for x in target[3:-3])
        yield bases, target[:3] + "".join(inner) + target[-3:], exons


def protein(target):
    acids = "".join(ACIDS.get(target[at:at + 3], "X") for at in range(0, len(target) - 2, 3))
    return acids.removesuffix("*")


def exon_lines(path, kind="exon"):
    rows = [line.split("\t") for line in path.read_text(errors="replace").splitlines()]
    return {(int(row[3]), int(row[4])) for row in rows if len(row) >= 8 and row[2] == kind}


class Programs:
    """Each method finds the exons of t.fa in g.fa: (processor seconds, exons)."""

    def __init__(self, yupana, folder):
        self.yupana_program, self.folder, self.out = yupana, folder, folder / "out"

    def found(self, words, read):
        seconds, _ = run(words, self.folder, self.out)
        return seconds, read(self.out)

    def yupana(self, *more, kind="--target"):
        return self.found([self.yupana_program, "splice", "--genome", "g.fa", kind, "t.fa",
                           "--threads", 1, "-o", "y", *more],
                          lambda _: chains_of_yupana(self.folder / "y.tsv").get("t", set()))

    def exonerate(self, model, read=exon_lines):
        return self.found(["exonerate", "--model", model, *EXONERATE, "t.fa", "g.fa"], read)

    def spaln(self, *more, read=exon_lines):
        return self.found(["spaln", "-Q0", "-O0", *more, "g.fa", "t.fa"], read)

    def minimap2(self):
        return self.found(["minimap2", "-t1", "-cx", "splice", "g.fa", "t.fa"],
                          lambda path: chains_of_minimap2(path).get("t", set()))


def cdnas(programs, related):
    model = "coding2genome" if related else "est2genome"
    return {"yupana": programs.yupana, f"exonerate {model}": lambda: programs.exonerate(model),
            "spaln -Q0": programs.spaln, "minimap2 -x splice": programs.minimap2}


def proteins(programs):
    return {"yupana --protein": lambda: programs.yupana(kind="--protein"),
            "exonerate protein2genome": lambda: programs.exonerate("protein2genome"),
            "spaln -Q0 (protein)": lambda: programs.spaln(read=lambda path: exon_lines(path, "cds")),
            "spaln -Q0 -TTetrapod (protein)":
                lambda: programs.spaln("-TTetrapod", read=lambda path: exon_lines(path, "cds"))}


def with_stop_codon(exons, truth):
    """The stop codon is no part of a protein: an exon that lacks it alone is right."""
    return {(first, last + 3) if (first, last + 3) in truth else (first, last) for first, last in exons}


def installed(finders):
    """Those whose program is here."""
    missing = {name.split()[0] for name in finders} - {"yupana"}
    missing = {program for program in missing if shutil.which(program) is None}
    for program in sorted(missing):
        print(f"{program}: not installed, left out", file=sys.stderr)
    return {name: find for name, find in finders.items() if name.split()[0] not in missing}


def measured(genes, find, by_protein, folder):
    """(exons right, others, whole genes, processor seconds)"""
    seconds = right = wrong = whole = 0
    for bases, target, truth in genes:
        (folder / "g.fa").write_text(f">chr\n{bases}\n")
        (folder / "t.fa").write_text(f">t\n{protein(target) if by_protein else target}\n")
        used, exons = find()
        exons = with_stop_codon(exons, truth) if by_protein else exons
        seconds += used
        right += len(exons & truth)
        wrong += len(exons - truth)
        whole += exons == truth
    return right, wrong, whole, seconds


def table(title, genes, finders, folder, by_protein=False):
    if not genes:
        return print(f"{title}: not in the folder, left out", file=sys.stderr)
    print(f"\n| {title} | exons right | others | whole genes | processor time |\n|---|---:|---:|---:|---:|")
    count = sum(len(truth) for _, _, truth in genes)
    for name, find in installed(finders).items():
        right, wrong, whole, seconds = measured(genes, find, by_protein, folder)
        print(f"| {name} | {right} of {count} | {wrong} | {whole} of {len(genes)} | {seconds:.2f} s |", flush=True)


def rare_table(programs, folder):
    """Whole genes of six: by their own cDNAs; by cDNAs of which a tenth of the letters is another one."""
    own, related = installed(cdnas(programs, False)), installed(cdnas(programs, True))
    names = [name.split()[0] for name in own]
    print(f"\n| six genes with | {' | '.join(names)} |\n|---{'|---:' * len(names)}|")
    for kind in rare.KINDS:
        cells = [" / ".join(str(measured(rare.genes(kind, changed), find, False, folder)[2])
                            for changed, find in ((0, own[a]), (0.1, related[b]))) for a, b in zip(own, related)]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--changed", type=float, nargs="*", default=(),
                        help="shares of the letters: the transcripts' tables with so many changed alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = Programs(options.program.resolve(), folder)
        related, own = list(vertebrates(options.folder)), list(transcripts(options.folder))
        if not related and not own:
            sys.exit(f"{options.folder}: expected vertebrate_cds or arabidopsis_U89959, found neither")
        plant = {"yupana --species plant": lambda: programs.yupana("--species", "plant")}
        for share in options.changed:
            table(f"transcripts, {100 * share:g} % of the letters changed", list(relatives(own, share)),
                  plant | cdnas(programs, True), folder)
        if options.changed:
            return
        table("genes by cDNAs of relatives", related, cdnas(programs, True), folder)
        table("genes by proteins of relatives", related, proteins(programs), folder, by_protein=True)
        table("transcripts by their coding sequences", own, plant | cdnas(programs, False), folder)
        rare_table(programs, folder)


if __name__ == "__main__":
    main()
