"""Every bad input ends with one clear line, exit status 3, and nothing written."""
import gzip
import pathlib
import resource
import shutil

from program import DATA, run
from program import refuse as refuse_command

BED = bytes([0x6C, 0x1B, 0x01])


def refuse(*arguments, command="dist", **options):
    done = refuse_command(command, *arguments, "-o", "out", **options)
    print("        " + done.stderr.strip())


def cohort(prefix="c", samples=5, sites=4, bed=None):
    """A small valid .bed/.bim/.fam; `bed` replaces the .bed bytes."""
    rows = bytes([0b11100001, 0b00000010]) * sites
    pathlib.Path(f"{prefix}.bed").write_bytes(BED + rows if bed is None else bed)
    pathlib.Path(f"{prefix}.bim").write_text(
        "".join(f"1\trs{k}\t0\t{k + 1}\tA\tC\n" for k in range(sites)))
    pathlib.Path(f"{prefix}.fam").write_text(
        "".join(f"F{i} I{i} 0 0 0 -9\n" for i in range(samples)))


VCF_HEAD = ("##fileformat=VCFv4.2\n##contig=<ID=1>\n"
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n")
SITE = "1\t{}\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\t0/0\n"


def vcf(text, name="c.vcf"):
    pathlib.Path(name).write_text(text)


def plink_files():
    refuse("missing.bed", says=["missing.bed"])
    cohort(bed=(BED + bytes(8))[:9])
    refuse("c.bed", says=["c.bed", "11", "9"])
    cohort(bed=b"\x00\x01\x01" + bytes(8))
    refuse("c.bed", says=["c.bed"])
    cohort(bed=bytes([0x6C, 0x1B, 0x00]) + bytes(8))
    refuse("c.bed", says=["sample-major"])
    cohort()
    pathlib.Path("c.fam").write_text("F0 I0 0 0 0 -9\nF0 I0 0 0 0 -9\n" + "".join(
        f"F{i} I{i} 0 0 0 -9\n" for i in range(2, 5)))
    refuse("c.bed", says=["c.fam", "I0"])
    cohort()
    pathlib.Path("c.fam").write_text("F0 I0 0 0\n" * 5)
    refuse("c.bed", says=["c.fam:1"])
    cohort()
    pathlib.Path("c.bim").write_text("1 rs1 0 1 A C\n1 rs2 0\n1 rs3 0 1 A C\n1 rs4 0 1 A C\n")
    refuse("c.bed", says=["c.bim:2"])
    cohort()
    pathlib.Path("c.fam").unlink()
    refuse("c.bed", says=["c.fam"])


def tricky_bed_files():
    folder = DATA / "tricky_bed"
    if not folder.exists():
        print("        skipped: no real data here")
        return
    for name in ("badfile", "small_too_short", "smallmode0"):
        for file in folder.glob(name + ".*"):
            shutil.copy(file, ".")
    refuse("badfile.bed")
    refuse("small_too_short.bed")
    refuse("smallmode0.bed")


def vcf_files():
    vcf("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t1\t.\tA\tC\t.\t.\t.\n")
    refuse("c.vcf", says=["c.vcf", "sample"])
    vcf(VCF_HEAD + "1\t5\t.\tA\tC\t.\t.\t.\tDP\t1\t2\t3\n")
    refuse("c.vcf", says=["GT"])
    vcf(VCF_HEAD + SITE.format(1) + "1\t2\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n")
    refuse("c.vcf", says=["c.vcf:6"])
    vcf(VCF_HEAD.replace("\ta\tb\tc", "\ta\tb\ta") + SITE.format(1))
    refuse("c.vcf", says=["a"])
    vcf(VCF_HEAD)
    refuse("c.vcf", says=["0"])
    vcf("not a VCF file\n")
    refuse("c.vcf", says=["c.vcf"])
    text = (VCF_HEAD + "".join(SITE.format(k) for k in range(1, 2000))).encode()
    # A plain gzip stream cut short, and BGZF without its end block through the real thing below.
    pathlib.Path("c.vcf.gz").write_bytes(gzip.compress(text)[:-40])
    refuse("c.vcf.gz", says=["c.vcf.gz"])
    source = DATA / "tricky_vcf" / "hail_sample.vcf.gz"
    if source.exists():
        pathlib.Path("cut.vcf.gz").write_bytes(source.read_bytes()[:-28])
        refuse("cut.vcf.gz", says=["cut"])
        for name in ("hail_malformed.vcf", "hail_duplicate_ids.vcf"):
            shutil.copy(DATA / "tricky_vcf" / name, ".")
            refuse(name, says=[name])


def npy_files():
    import numpy as np
    np.save("c.npy", np.array([[0, 1, 2], [0, 3, 1]]))
    refuse("c.npy", says=["3"])
    np.save("c.npy", np.array([[0, 1.5, 2], [0, 1, 1]]))
    refuse("c.npy", says=["1.5", "--round"])
    np.save("c.npy", np.zeros((2, 3, 4)))
    refuse("c.npy", says=["c.npy"])
    np.save("c.npy", np.zeros((2, 3), dtype="complex64"))
    refuse("c.npy", says=["c.npy"])
    np.save("c.npy", np.zeros((0, 3), dtype="int8"))
    refuse("c.npy")
    np.save("c.npy", np.zeros((3, 0), dtype="int8"))
    refuse("c.npy")
    np.save("c.npy", np.zeros((50, 30), dtype="int8"))
    data = pathlib.Path("c.npy").read_bytes()
    for size in (0, 5, 10, 100, len(data) - 1):
        pathlib.Path("c.npy").write_bytes(data[:size])
        refuse("c.npy", says=["c.npy"])


def filters():
    cohort()
    pathlib.Path("list").write_text("F0 I0\nnobody\n")
    refuse("c.bed", "--keep", "no_such_list", says=["no_such_list"])
    pathlib.Path("list").write_text("".join(f"F{i} I{i}\n" for i in range(5)))
    refuse("c.bed", "--remove", "list")
    refuse("c.bed", "--maf", 0.5, "--geno", 0, says=["4"])
    refuse("c.bed", "--chr", 22, says=["4"])
    refuse("c.bed", "--missing", "error", says=["missing"])


def individuals_without_alleles():
    import numpy as np
    np.save("c.npy", np.array([[0, 1, 2], [0, 0, 0], [1, 1, 1]], dtype=np.int8))
    refuse("c.npy", "--metric", "normalized", says=["2"])


def one_sample_is_valid():
    import numpy as np
    np.save("c.npy", np.array([[0, 1, 2]], dtype=np.int8))
    done = run("dist", "c.npy", "-o", "out")
    assert "note" in done.stderr, done.stderr
    assert np.load("out.dist.npy").tolist() == [[0]]
    run("fermat", "c.npy", "-o", "f")
    assert np.load("f.fermat.npy").tolist() == [[0]]


def distance_matrices():
    import numpy as np

    def matrix(values, name="d.npy"):
        np.save(name, np.array(values))

    def refused(values, says):
        matrix(values)
        refuse("--from-distances", "d.npy", command="fermat", says=says)

    refused([[0, 1.0], [2.0, 0]], ["d.npy"])
    refused([[0, np.nan], [np.nan, 0]], ["d.npy", "NaN"])
    refused([[0, -1.0], [-1.0, 0]], ["d.npy"])
    refused([[1.0, 1.0], [1.0, 0]], ["d.npy"])
    refused([[0, 1.0, 2.0], [1.0, 0, 3.0]], ["d.npy", "square"])
    refused(["a", "b"], ["d.npy"])
    pathlib.Path("d.tsv").write_text("0\t1\n1\tx\n")
    refuse("--from-distances", "d.tsv", command="fermat", says=["d.tsv"])
    refuse("--from-distances", "nope.npy", command="fermat", says=["nope.npy"])


def labels():
    cohort(samples=5, sites=4)
    pathlib.Path("l.tsv").write_text("I0\tx\nI0\ty\n")
    refuse("c.bed", "--labels", "l.tsv", command="fermat", says=["l.tsv"])
    refuse("c.bed", "--labels", "nope.tsv", command="fermat", says=["nope.tsv"])
    pathlib.Path("l.tsv").write_text("")
    refuse("c.bed", "--labels", "l.tsv", command="fermat", says=["l.tsv"])


def usage_errors():
    cohort()
    refuse("c.bed", "--metric", "nonsense", status=2)
    refuse("c.bed", "--alpha", "0.5", status=2, command="fermat")
    refuse("c.bed", "--alpha", "x", status=2, command="fermat")
    refuse("c.bed", "--device", "gpu", status=2, says="yupana: --device: expected auto,")
    refuse("c.bed", "--metric", "x", status=2, says="yupana: --metric: expected sqeuclidean,")
    refuse("c.bed", "--threads", "-1", status=2)
    for seed in ["-1", "1.5", "x", "", "18446744073709551616"]:
        wanted = ["--seed", f"'{seed}'", "whole number"]
        refuse("c.bed", "--thin", "0.5", "--seed", seed, status=2, says=wanted)
        for command in ["simulate", "tree fit", "forest fit", "som fit", "trisolve"]:
            first, *rest = command.split()
            refuse(*rest, *([] if first == "simulate" else ["x"]), "--seed", seed, status=2,
                   says=wanted, command=first)
    refuse("c.bed", "--memory", "16X", status=2)
    refuse("c.bed", "--no-such-option", status=2)
    refuse(status=2)
    refuse("simulate:10", status=2)
    refuse("c.bed", "--device", "cuda", status=5, says="yupana: --device: expected cuda, but")


def memory_that_cannot_suffice():
    refuse("simulate:20000x1000", "--memory", "40M", status=4, command="fermat", says=["GB"])


def a_file_that_may_not_be_so_large():
    limit = 100_000  # ulimit -f
    done = run("dist", "simulate:400x100", "-o", "out", status=4,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.stderr.strip() == "yupana: out.dist.npy: cannot write: File too large", done.stderr
    assert not list(pathlib.Path(".").iterdir())


def compressed_plink_files_were_no_kind_of_file():
    cohort()
    for name in ("c.bed", "c.bim", "c.fam"):
        pathlib.Path(name + ".gz").write_bytes(gzip.compress(pathlib.Path(name).read_bytes()))
        pathlib.Path(name).unlink()
    refuse("c.bed.gz", says=["c.bed.gz", "unpack it first"])
    refuse("c", says=["c.bed.gz", "unpack it first"])
    refuse("--bfile", "c", says=["c.bed", "unpack c.bed.gz first"])
    pathlib.Path("x.pgen.zst").write_bytes(b"x")
    refuse("x.pgen.zst", says=["is compressed", "unpack it first"])


def refusals_of_simulate_named_no_option():
    for option, value in (("--populations", 0), ("--fst", 1), ("--fst", "-0.1"), ("--missing", 1.1), ("--family-size", 2),
                          ("--family-size", 0)):
        refuse("--samples", 5, "--sites", 5, option, value, command="simulate", status=2, says=[f"yupana: {option}: expected"])


def a_bed_or_pgen_of_another_ending_was_looked_for_under_a_third_name():
    cohort()
    run("dist", "c.bed", "-o", "whole")
    run("filter", "c.bed", "-o", "p.pgen")
    for name, other in (("c.bed", "raw"), ("p.pgen", "raw2")):
        pathlib.Path(name).rename(other)
    run("dist", "--bed", "raw", "--bim", "c.bim", "--fam", "c.fam", "-o", "b")
    run("dist", "--pgen", "raw2", "--pvar", "p.pvar", "--psam", "p.psam", "-o", "p")
    for name in ("b", "p"):
        assert pathlib.Path(f"{name}.dist.npy").read_bytes() == pathlib.Path("whole.dist.npy").read_bytes()
