"""PLINK 2 and yupana read each other's .pgen: real data, phases, dosages, several ALT alleles."""
import gzip
import json
import pathlib
import random

import pgen_files as pgen
from program import DATA, need, peer, run

need("plink2")


def plink2(*arguments):
    return peer("plink2", *arguments, "--allow-extra-chr", "--chr-set", 30)


def counts(*arguments):
    done = run("dist", *arguments, "--all-chr", "--shared", "-o", "out", "--json")
    return ([pathlib.Path(f"out.{name}").read_bytes() for name in ("dist.npy", "shared.npy", "ids")],
            json.loads(done.stdout)["sites"])


def unpacked(folder, name):
    """The .bed of a data set of ../shared, decompressed here; None where it is not there."""
    for ending in ("bed", "bim", "fam"):
        plain = DATA / folder / f"{name}.{ending}"
        packed = DATA / folder / f"{name}.{ending}.gz"
        if not plain.exists() and not packed.exists():
            return None
        pathlib.Path(f"{name}.{ending}").write_bytes(
            plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes()))
    return f"{name}.bed"


def real_data_give_the_same_bytes():
    for folder, name in (("hapmap279", "hapmap279"), ("bigsnpr_example", "example"),
                         ("plinkhapmap", "plinkhapmap"), ("mouse_hs1940", "mouse_hs1940")):
        bed = unpacked(folder, name)
        if bed is None:
            print(f"        skipped: {name} is not here")
            continue
        plink2("--bfile", name, "--make-pgen", "vzs", "--out", "p")
        assert counts("p.pgen") == counts(bed), name
        for file in ("p.pvar.zst", "p.psam"):
            pathlib.Path(file).unlink()
        plink2("--bfile", name, "--make-bpgen", "--out", "p")
        assert counts("p.pgen") == counts(bed), name


def random_vcf(samples, records, seed, most_alts=20):
    """Phased and unphased calls, dosages of some, several ALT alleles, missing calls."""
    rng = random.Random(seed)
    text = ["##fileformat=VCFv4.3", "##contig=<ID=1>",
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
            '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage">',
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" +
            "\t".join(f"s{i}" for i in range(samples))]
    row = []
    for k in range(records):
        alts = min(most_alts, rng.choice((1, 1, 1, 2, 3, 4, 5, 17, 20)))
        rare = rng.choice((0.01, 0.1, 0.5, 0.99))
        if not row or rng.random() < 0.6:
            row = [(rng.random() < rare) + (rng.random() < rare) for _ in range(samples)]
        else:
            row = [x if rng.random() < 0.95 else rng.randrange(3) for x in row]
        calls = []
        for x in row:
            alleles = [0] * (2 - x) + [1 if rng.random() < 0.7 else rng.randint(1, alts) for _ in range(x)]
            rng.shuffle(alleles)
            mark = "|" if rng.random() < 0.5 else "/"
            call = "./." if rng.random() < 0.02 else mark.join(map(str, alleles))
            if alts == 1 and rng.random() < 0.3:
                dosage = 0.7 if call == "./." else sum(alleles) + rng.choice((-0.05, 0.05))
                call += f":{min(max(dosage, 0), 2):.3f}"
            calls.append(call)
        text.append(f"1\t{k + 1}\tv{k}\tG\t" + ",".join("A" * (a + 1) for a in range(alts)) +
                    "\t.\tPASS\t.\tGT:DS\t" + "\t".join(calls))
    pathlib.Path("c.vcf").write_text("\n".join(text) + "\n")


def phases_dosages_and_alleles_give_what_the_vcf_gives():
    for samples, seed in ((70, 1), (300, 2)):
        random_vcf(samples, 400, seed)
        plink2("--vcf", "c.vcf", "--make-pgen", "--out", "p")
        for rule in ("skip", "split", "collapse"):
            assert (counts("p.pgen", "--multiallelic", rule) ==
                    counts("c.vcf", "--multiallelic", rule)), (samples, rule)
        # It takes no dosages of several ALT alleles from a VCF.
        random_vcf(samples, 400, seed + 10, most_alts=1)
        plink2("--vcf", "c.vcf", "dosage=DS", "--hard-call-threshold", 0.2, "--make-pgen", "--out", "p")
        plink2("--pfile", "p", "--make-bed", "--out", "hard")
        assert counts("p.pgen") == counts("hard.bed"), samples


def plink2_reads_what_is_written():
    options = ("--samples", 333, "--sites", 5000, "--missing", 0.01, "--fst", 0.3)
    run("simulate", *options, "-o", "b")
    run("simulate", *options, "--format", "pgen", "-o", "p")
    plink2("--pfile", "p", "--make-bed", "--out", "back")
    assert pathlib.Path("back.bed").read_bytes() == pathlib.Path("b.bed").read_bytes()
    plink2("--pfile", "p", "--validate", "--out", "valid")
    try:
        import numpy as np
        import pgenlib
    except ImportError:
        return
    code = np.array([3, 2, 0, 1])  # of x = 0, 1, 2; -9 is missing
    with pgenlib.PgenReader(b"p.pgen") as reader:
        row = np.empty(333, np.int8)
        bed = pathlib.Path("b.bed").read_bytes()[3:]
        for k in range(5000):
            reader.read(k, row)
            assert pgen.packed(code[row].tolist(), 2) == bed[84 * k:84 * (k + 1)], k
