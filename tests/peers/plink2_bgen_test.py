"""BGEN files that PLINK 2 writes, and the hard calls that it makes of BGEN files."""
import gzip
import pathlib
import random

import bgen_files as bgen
from program import DATA, need, peer, run

need("plink2")


def plink2(*arguments):
    return peer("plink2", *arguments, "--allow-extra-chr", "--chr-set", 30)


def calls(*arguments):
    """What `filter` writes: .bed, .bim and .fam."""
    run("filter", *arguments, "--all-chr", "-o", "ours.bed")
    return [pathlib.Path(f"ours.{ending}").read_bytes() for ending in ("bed", "bim", "fam")]


def unpacked(folder, name):
    """The .bed of a data set of ../shared, decompressed here; None where it is not there: False."""
    for ending in ("bed", "bim", "fam"):
        plain = DATA / folder / f"{name}.{ending}"
        packed = DATA / folder / f"{name}.{ending}.gz"
        if not plain.exists() and not packed.exists():
            return False
        pathlib.Path(f"{name}.{ending}").write_bytes(
            plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes()))
    return True


def real_data_come_back():
    for folder, name in (("hapmap279", "hapmap279"), ("bigsnpr_example", "example"),
                         ("plinkhapmap", "plinkhapmap"), ("mouse_hs1940", "mouse_hs1940")):
        if not unpacked(folder, name):
            print(f"        skipped: {name} is not here")
            continue
        for form in ("bgen-1.2", "bgen-1.3"):
            plink2("--bfile", name, "--export", form, "bits=8", "ref-first", "--out", "b")
            plink2("--bgen", "b.bgen", "ref-first", "--make-bed", "--out", "theirs")
            ours = calls("b.bgen")[0]
            assert ours == pathlib.Path("theirs.bed").read_bytes(), (name, form)
            # PLINK 2 does not export every variant of the mice.
            sites = [len(pathlib.Path(f"{prefix}.bim").read_text().splitlines())
                     for prefix in ("theirs", name)]
            assert sites[0] == sites[1] or name == "mouse_hs1940", (name, sites)
            assert sites[0] != sites[1] or ours == pathlib.Path(f"{name}.bed").read_bytes(), (name, form)
            people = [line.split()[:2] for line in pathlib.Path(f"{name}.fam").read_text().splitlines()]
            assert [line.split()[:2] for line in pathlib.Path("ours.fam").read_text().splitlines()] == [
                [person if family == "0" else family, person] for family, person in people], name


def phased_calls_and_dosages_of_a_vcf():
    vcf = DATA / "kg_chr21" / "1kg_phase3_chr21_start.vcf.gz"
    if not vcf.exists():
        print("        skipped: kg_chr21 is not here")
        return
    plink2("--vcf", vcf, "--max-alleles", 2, "--make-pgen", "--out", "p")
    for bits in (1, 8, 16):
        plink2("--pfile", "p", "--export", "bgen-1.3", f"bits={bits}", "ref-first", "--out", "b")
        plink2("--bgen", "b.bgen", "ref-first", "--make-bed", "--out", "theirs")
        assert calls("b.bgen")[0] == pathlib.Path("theirs.bed").read_bytes(), bits


def every_threshold_and_number_of_bits_calls_as_plink2_does():
    rng = random.Random(6)
    samples = 3000
    for bits, threshold in ((1, 0.1), (5, 0.1), (8, 0.1), (8, 0.25), (16, 0.1), (16, 0.03), (28, 0.4999),
                            (28, 0)):
        top = (1 << bits) - 1

        def near():
            share = rng.choice((0, 1, threshold, threshold / 2, 1 - threshold, rng.random()))
            return min(top, max(0, round(share * top) + rng.randint(-2, 2)))
        variants = []
        for phased in (0, 1):
            ploidies = [(rng.choice((1, 2, 2)), rng.random() < 0.02) for _ in range(samples)]
            values = [[near() for _ in range(ploidy)] for ploidy, _ in ploidies]
            for value in values:
                if not phased and len(value) == 2:
                    value[1] = min(value[1], top - value[0])
            variants.append(bgen.variant(bgen.probabilities(ploidies, values, bits, phased=phased),
                                         position=phased + 1))
        bgen.write("c.bgen", samples, variants, names=[f"s{i}" for i in range(samples)])
        for order in ("ref-first", "ref-last"):
            plink2("--bgen", "c.bgen", order, "--hard-call-threshold", threshold, "--make-bed", "--out",
                   "theirs")
            assert (calls("--bgen", "c.bgen", order, "--hard-call-threshold", threshold)[0] ==
                    pathlib.Path("theirs.bed").read_bytes()), (bits, threshold, order)


def every_dosage_is_rounded_as_plink2_does():
    """Thresholds at which the rounding of one dosage decides its call."""
    for bits, threshold in ((8, 0.1), (13, 0.25), (14, 0.25)):
        top = (1 << bits) - 1
        parts = range(2 * top + 1)
        for phased in (0, 1):
            values = [[top - p // 2, top - (p - p // 2)] if phased else [top - p // 2 - p % 2, p % 2]
                      for p in parts]
            data = bgen.probabilities([(2, False)] * len(parts), values, bits, phased=phased)
            bgen.write("c.bgen", len(parts), [bgen.variant(data)], names=[f"s{i}" for i in parts])
            for order in ("ref-first", "ref-last"):
                given = ("--bgen", "c.bgen", order, "--hard-call-threshold", threshold)
                plink2(*given, "--make-bed", "--out", "theirs")
                assert calls(*given)[0] == pathlib.Path("theirs.bed").read_bytes(), (bits, phased, order)
