"""yupana filter: what it writes reads back as the same genotypes, samples and sites, in every kind of file."""
import gzip
import json
import pathlib
import random
import shutil

import pgen_files as pgen
from program import peer, refuse, run

SAMPLES, VARIANTS = 43, 300
GT = ("0/0", "0/1", "1/1", "./.")


class Cohort:
    """A .bed, and the same as .vcf, with families, parents, sexes and phenotypes."""

    def __init__(self, seed, missing=0.1):
        rng = random.Random(seed)
        self.rows = [rng.choices(range(4), (rng.random(), rng.random(), rng.random(), missing), k=SAMPLES)
                     for _ in range(VARIANTS)]
        self.sites = [(str(1 + k // 100), 10 + 3 * k, f"v{k}", f"{k % 7}.5") for k in range(VARIANTS)]
        self.people = [(f"F{i % 9}", f"S{i}", "S1" if i % 5 == 4 else "0", "S2" if i % 5 == 4 else "0",
                        str(i % 3), str(i / 2)) for i in range(SAMPLES)]
        pgen.write_bed("c.bed", self.rows)
        write("c.bim", self.bim(range(VARIANTS)))
        write("c.fam", self.fam(range(SAMPLES)))
        write("c.vcf", ["##fileformat=VCFv4.2", "##contig=<ID=1>", "##contig=<ID=2>", "##contig=<ID=3>",
                        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
                        "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() +
                                  [person[1] for person in self.people])] +
              ["\t".join([c, str(at), name, "G", "A", ".", ".", ".", "GT"] + [GT[x] for x in row])
               for (c, at, name, _), row in zip(self.sites, self.rows)])

    def bim(self, variants, morgans=True):
        return [f"{c}\t{name}\t{cm if morgans else 0}\t{at}\tA\tG"
                for c, at, name, cm in (self.sites[k] for k in variants)]

    def fam(self, samples):
        return ["\t".join(self.people[i]) for i in samples]

    def bed(self, variants, samples):
        pgen.write_bed("wanted.bed", [[self.rows[k][i] for i in samples] for k in variants])
        return read("wanted.bed")


def write(name, lines):
    pathlib.Path(name).write_text("".join(line + "\n" for line in lines))


def read(name):
    return pathlib.Path(name).read_bytes()


def lines(name):
    return pathlib.Path(name).read_text().splitlines()


def chosen(cohort):
    """Filters, and the variants and samples that they leave by a count in Python."""
    samples = [i for i in range(SAMPLES) if i % 4 != 2]
    write("people", (f"{cohort.people[i][0]} S{i}" for i in samples))
    most = 0.12 * len(samples)
    variants = [k for k in range(VARIANTS) if 100 <= k < 300 and
                sum(cohort.rows[k][i] == 3 for i in samples) <= most]
    assert 0 < len(variants) < 200
    return variants, samples, ["--keep", "people", "--chr", "2,3", "--geno", 0.12]


def a_bed_keeps_every_column():
    cohort = Cohort(1)
    variants, samples, options = chosen(cohort)
    for threads in (1, 2, 7):
        answer = json.loads(run("filter", "c.bed", *options, "--threads", threads, "-o", "out.bed", "--json").stdout)
        assert (answer["samples"], answer["sites"]) == (len(samples), len(variants)), answer
        assert read("out.bed") == cohort.bed(variants, samples)
        assert lines("out.bim") == cohort.bim(variants)
        assert lines("out.fam") == cohort.fam(samples)
    run("filter", "c", *options, "--device", "reference", "-o", "ref.bed")
    assert read("ref.bed") == read("out.bed")


def every_kind_of_file_holds_the_same():
    cohort = Cohort(2)
    variants, samples, options = chosen(cohort)
    wanted = cohort.bed(variants, samples)
    for kind in ("pgen", "vcf", "vcf.gz", "bed"):
        run("filter", "c.bed", *options, "-o", f"k.{kind}")
        for source in (f"k.{kind}",):
            run("filter", source, "-o", "back.bed")
            assert read("back.bed") == wanted, kind
            assert lines("back.bim") == cohort.bim(variants, morgans=kind == "bed"), kind
            ids = [line.split("\t")[1] for line in lines("back.fam")]
            assert ids == [f"S{i}" for i in samples], kind
            if not kind.startswith("vcf"):
                assert lines("back.fam") == cohort.fam(samples), kind
        Cohort(2)
    assert lines("k.psam")[0] == "#FID\tIID\tPAT\tMAT\tSEX\tPHENO1"


def a_vcf_is_read_and_written():
    cohort = Cohort(3)
    run("filter", "c.vcf", "--chr", "2", "-o", "out.vcf")
    text = lines("out.vcf")
    assert [line for line in text if line.startswith("##contig")] == ["##contig=<ID=2>"]
    wanted = [line for line in lines("c.vcf") if line.startswith("2\t")]
    assert [line for line in text if not line.startswith("#")] == wanted and len(wanted) == 100
    run("filter", "-", "-o", "piped.vcf.gz", "--chr", "2", input=pathlib.Path("c.vcf").read_text())
    assert gzip.open("piped.vcf.gz", "rt").read().splitlines() == text
    run("filter", "c.vcf", "-o", "out.bed")
    assert lines("out.fam")[0] == "S0\tS0\t0\t0\t0\t-9"
    assert read("out.bed") == cohort.bed(range(VARIANTS), range(SAMPLES))


def alleles_without_a_name_were_a_zero_in_vcf():
    pgen.write_bed("m.bed", [[0, 0, 3], [3, 3, 3], [0, 1, 2]])
    write("m.bim", ["1\ta\t0\t1\t0\tC", "1\tb\t0\t2\t0\t0", "1\tc\t0\t3\tA\tG"])
    write("m.fam", [f"f s{i} 0 0 0 -9" for i in range(3)])
    run("filter", "m.bed", "-o", "n.vcf")
    assert [line.split("\t")[3:5] for line in lines("n.vcf") if line[0] != "#"] == [["C", "."], ["N", "."], ["G", "A"]]
    run("filter", "m.bed", "-o", "n.pgen")
    assert [line.split("\t")[3:5] for line in lines("n.pvar")[1:]] == [["C", "."], [".", "."], ["G", "A"]]
    for name in ("n.vcf", "n.pgen"):
        run("filter", name, "-o", "again.bed")
        assert read("again.bed") == read("m.bed"), name


def names_longer_than_plink_reads_were_written_for_it():
    def vcf(sample, site):
        lines = ["##fileformat=VCFv4.2", "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a " + sample,
                 f"1 7 {site} A G . . . GT 0/1 1/1"]
        pathlib.Path("c.vcf").write_text("\n".join(lines).replace(" ", "\t") + "\n")

    for name in ("o.bed", "o.pgen"):
        vcf("b" * 16001, "r")
        refuse("filter", "c.vcf", "-o", name, says=["'bbbbbbbbbbbbbbbbbbbb...' has a name of 16001 bytes", "16000"])
        vcf("b", "r" * 16001)
        refuse("filter", "c.vcf", "-o", name, says=["the site at 1:7 has a name of 16001 bytes", "write .vcf"])
        vcf("b" * 16000, "r" * 16000)
        run("filter", "c.vcf", "-o", name)
        if shutil.which("plink2"):
            peer("plink2", "--bfile" if name == "o.bed" else "--pfile", "o", "--freq", "--out", "p")


def two_samples_of_one_individual_had_one_name_in_a_fam():
    pgen.write_fixed("s.pgen", 2, [[0, 1, 2], [2, 1, 0]])
    write("s.pvar", ["#CHROM\tPOS\tID\tREF\tALT", "1\t1\ta\tG\tA", "1\t2\tb\tG\tA"])
    write("s.psam", ["#FID\tIID\tSID", "f\ti\tx", "f\ti\ty", "f\tj\tx"])
    refuse("filter", "s.pgen", "-o", "t.bed", says=["family f and individual i", "a .fam has no SID"])
    run("filter", "s.pgen", "-o", "t.pgen")
    assert lines("t.psam") == lines("s.psam")
    write("one", ["f_i_y", "f_j_x"])
    run("filter", "s.pgen", "--keep", "one", "-o", "t.bed")
    assert [line.split()[:2] for line in lines("t.fam")] == [["f", "i"], ["f", "j"]]


def qual_info_and_haploid_calls_were_lost_without_a_word():
    write("h.vcf", ["##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb",
                    "1\t5\tx\tG\tA\t30\tPASS\tDP=9\tGT\t1\t0|1"])
    lost = ("haploid ones as 0/0 and 1/1", "; none of QUAL, FILTER, INFO")
    for source, name, said in (("h.vcf", "o.vcf", True), ("h.vcf", "o.pgen", True), ("o.pgen", "p.vcf.gz", True),
                               ("h.vcf", "o.bed", False), ("o.bed", "q.vcf", False)):
        assert (f"note: {name} holds calls" in (told := run("filter", source, "-o", name).stderr)) == said, told
        assert all(words in told for words in (*lost, source)) == said, told
        assert (", but those of Y" in told) == (said and ".vcf" in name), told
    assert lines("o.vcf")[-1] == "1\t5\tx\tG\tA\t.\t.\t.\tGT\t1/1\t0/1"


def several_alleles_become_sites():
    write("m.vcf", ["##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc",
                    "1\t5\tx\tG\tA,TT\t.\t.\t.\tGT\t0/1\t1/2\t2/2", "1\t9\t.\tC\t.\t.\t.\t.\tGT\t0/0\t./.\t0"])
    run("filter", "m.vcf", "--multiallelic", "split", "-o", "s.vcf")
    assert [line for line in lines("s.vcf") if line[0] != "#"] == [
        "1\t5\tx\tG\tA\t.\t.\t.\tGT\t0/1\t0/1\t0/0", "1\t5\tx\tG\tTT\t.\t.\t.\tGT\t0/0\t0/1\t1/1",
        "1\t9\t.\tC\t.\t.\t.\t.\tGT\t0/0\t./.\t0/0"]
    run("filter", "m.vcf", "--multiallelic", "split", "-o", "s.pgen")
    run("filter", "s.pgen", "-o", "t.vcf")
    assert read("t.vcf").split(b"#CHROM")[1] == read("s.vcf").split(b"#CHROM")[1]
    refuse("filter", "m.vcf", "--multiallelic", "collapse", "-o", "n.bed", status=2,
           says=["collapse", "split"])


def arrays():
    try:
        import numpy as np
    except ImportError:
        return
    cohort = Cohort(4)
    variants, samples, options = chosen(cohort)
    run("filter", "c.bed", *options, "-o", "x.npy")
    value = {0: 0, 1: 1, 2: 2, 3: -1}
    assert (np.load("x.npy") == [[value[cohort.rows[k][i]] for k in variants] for i in samples]).all()
    assert lines("x.ids") == [f"S{i}" for i in samples]
    assert lines("x.npy.bim") == cohort.bim(variants)
    run("filter", "x.npy", "-o", "y.bed")
    assert read("y.bed") == cohort.bed(variants, samples)


def simulations_are_named_as_simulate_names_them():
    run("simulate", "--samples", 30, "--sites", 500, "--seed", 3, "-o", "s")
    run("filter", "simulate:30x500,seed=3", "-o", "t.bed")
    for ending in ("bed", "bim", "fam"):
        assert read(f"s.{ending}") == read(f"t.{ending}")
    run("filter", "simulate:30x500,seed=3", "--maf", 0.2, "-o", "t.bed")
    run("filter", "s.bed", "--maf", 0.2, "-o", "u.bed")
    for ending in ("bed", "bim"):
        assert read(f"t.{ending}") == read(f"u.{ending}")


def an_interval_of_a_chromosome():
    cohort = Cohort(5)
    wanted = [k for k in range(VARIANTS) if cohort.sites[k][0] == "2" and 400 <= cohort.sites[k][1] <= 500]
    for name in ("c.bed", "c.vcf"):
        run("filter", name, "--chr", 2, "--from-bp", 400, "--to-bp", 500, "-o", "out.bed")
        assert read("out.bed") == cohort.bed(wanted, range(SAMPLES)), name
    refuse("filter", "c.bed", "--from-bp", 400, "-o", "n.bed", status=2, says=["--from-bp", "--chr"])
    refuse("filter", "c.bed", "--chr", "1,2", "--from-bp", 4, "-o", "n.bed", status=2, says="one chromosome")
    refuse("filter", "c.bed", "--chr", 1, "--from-bp", 4, "--to-bp", 3, "-o", "n.bed", status=2, says="is after")


def faults():
    Cohort(6)
    refuse("filter", "c.bed", status=2, says=["-o", ".bed", ".npy"])
    refuse("filter", "-o", "x.bed", status=2, says="input")
    refuse("filter", "c.bed", "-o", "x", status=2, says=["-o x", ".pgen"])
    refuse("filter", "c.bed", "-o", "c.bed", status=2, says="is read by this command")
    refuse("filter", "c", "-o", "c.bed", status=2, says="is read by this command")
    refuse("filter", "c.bed", "--maf", 0.5, "--mac", 60, "-o", "x.bed", says="no site left")
    refuse("filter", "-", "-o", "x.pgen", status=2, says=["standard input"],
           input=pathlib.Path("c.vcf").read_text())
    pathlib.Path("b.vcf").write_text(pathlib.Path("c.vcf").read_text().replace("\tS7\t", "\tS 7\t"))
    refuse("filter", "b.vcf", "-o", "x.bed", says=["S 7", "blank"])
    refuse("filter", "c.bed", "--indep-pairwise", "50", "-o", "x.bed", status=2, says=["--indep-pairwise: expected WINDOW", "got 50"])
    for words in (("50", "5", "1.5"), ("1", "1", "0.2"), ("50kb", "5", "0.2"), ("50", "0", "0.2"), ("x", "0.2")):
        refuse("filter", "c.bed", "--indep-pairwise", *words, "-o", "x.bed", status=2,
               says=["--indep-pairwise", "200kb 1 0.2"])
    refuse("filter", "c.bed", "--hwe", "x", "-o", "x.bed", status=2, says="--hwe")
    refuse("filter", "c.bed", "--king-cutoff", "0.1", "most", "-o", "x.bed", status=2, says="largest")
    bim = lines("c.bim")
    write("c.bim", bim[1::-1] + bim[2:])
    refuse("filter", "c.bed", "--indep-pairwise", 50, 5, 0.2, "-o", "x.bed", says=["order", "1:10 after 1:13"])
    write("c.bim", bim[:150] + [line.replace("2", "1", 1) for line in bim[150:200]] + bim[200:])
    refuse("filter", "c.bed", "--indep-pairwise", 50, 5, 0.2, "-o", "x.bed", says=["together", "chromosome 1"])
