"""--dosage of grm and pca against PLINK 2: its imports of VCF and BGEN, its relationships and filters."""
import pathlib
import random
import shutil

from program import DATA, need, peer, run
from vcf_lines import write_vcf

need("plink2")
SAMPLES, SITES = 180, 900


def plink2(*arguments):
    return peer("plink2", *arguments, "--out", "theirs")


def imputed(seed):
    """Calls with dosages near them, some missing, some without DS."""
    rng = random.Random(seed)
    calls = []
    for k in range(SITES):
        frequency = rng.choice((rng.random(), 0.05 * rng.random(), 1 - 0.03 * rng.random()))
        site = []
        for _ in range(SAMPLES):
            x = (rng.random() < frequency) + (rng.random() < frequency)
            text = rng.choice(("0/0", "0|0") if x == 0 else ("0/1", "1|0") if x == 1 else ("1/1", "1|1"))
            ds = min(2, max(0, x + rng.choice((0, 0, rng.gauss(0, 0.1), rng.gauss(0, 0.4)))))
            text = text if rng.random() < 0.97 else "./."
            site.append(text if k % 4 == 3 else f"{text}:{'.' if rng.random() < 0.05 else f'{ds:.4g}'}")
        calls.append(site)
    return calls


def compare(given, prefix, *words):
    """The relationships, from files that both read; `words` are filters that both know."""
    import numpy as np
    plink2(*prefix, "--make-rel", "square", "bin", *words)
    run("grm", *given, "--dosage", "-o", "ours", *words)
    ours = np.load("ours.grm.npy")
    theirs = np.fromfile("theirs.rel.bin").reshape(ours.shape)
    np.testing.assert_allclose(ours, theirs, atol=1e-7, err_msg=str((given, words)))


def relationships_are_those_of_plink2():
    write_vcf("c.vcf", imputed(1))
    plink2("--vcf", "c.vcf", "dosage=DS", "--make-pgen")
    for ending in ("pgen", "pvar", "psam"):
        pathlib.Path(f"theirs.{ending}").rename(f"c.{ending}")
    for words in ((), ("--maf", 0.1), ("--max-maf", 0.1), ("--mac", 25), ("--maf", 0.01, "--geno", 0.06),
                  ("--hwe", 0.001)):
        compare(("--pfile", "c"), ("--pfile", "c"), *words)
    compare(("c.vcf",), ("--pfile", "c"))
    if shutil.which("bcftools") is not None:
        peer("bcftools", "view", "c.vcf", "-Ob", "-o", "c.bcf")
        compare(("c.bcf",), ("--pfile", "c"))
    for bits in (8, 16):
        for order in ("ref-first", "ref-last"):
            plink2("--pfile", "c", "--export", "bgen-1.3", f"bits={bits}", order)
            pathlib.Path("theirs.bgen").rename("b.bgen")
            pathlib.Path("theirs.sample").rename("b.sample")
            compare(("--bgen", "b.bgen", order), ("--bgen", "b.bgen", order, "--sample", "b.sample"))


def components_are_those_of_plink2():
    import numpy as np
    write_vcf("c.vcf", imputed(2))
    plink2("--vcf", "c.vcf", "dosage=DS", "--pca", 4)
    run("pca", "c.vcf", "--dosage", "--components", 4, "-o", "ours")
    np.testing.assert_allclose(np.loadtxt("ours.eigenval"), np.loadtxt("theirs.eigenval"), rtol=1e-5)
    a, b = (np.loadtxt(f"{name}.eigenvec", usecols=range(1, 5), skiprows=1) for name in ("ours", "theirs"))
    np.testing.assert_allclose(np.abs((a * b).sum(0)), 1, atol=1e-4)


def real_genotypes_with_phases_and_dosages():
    """Chromosome 21 of the 1000 Genomes: phased; dosages of 8 bits where a call is blurred."""
    vcf = DATA / "kg_chr21" / "1kg_phase3_chr21_start.vcf.gz"
    if not vcf.exists():
        print("        skipped: kg_chr21 is not here")
        return
    plink2("--vcf", vcf, "--max-alleles", 2, "--make-pgen")
    plink2("--pfile", "theirs", "--export", "vcf")
    rng = random.Random(3)
    lines = []
    for line in pathlib.Path("theirs.vcf").read_text().splitlines():
        if line.startswith("#CHROM"):
            lines.append('##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage">')
        if line[0] != "#":
            head, calls = line.split("\t")[:9], line.split("\t")[9:]
            line = "\t".join([*head[:8], "GT:DS", *(
                f"{c}:{abs(c.count('1') - rng.random()):.3f}" if rng.random() < 0.1 else c for c in calls)])
        lines.append(line)
    pathlib.Path("k.vcf").write_text("\n".join(lines) + "\n")
    plink2("--vcf", "k.vcf", "dosage=DS", "--make-pgen")
    for ending in ("pgen", "pvar", "psam"):
        pathlib.Path(f"theirs.{ending}").rename(f"k.{ending}")
    compare(("--pfile", "k"), ("--pfile", "k"), "--maf", 0.01)
    compare(("k.vcf",), ("--pfile", "k"), "--maf", 0.01)
