"""PLINK's .ped and .tped: the sites, alleles and calls that PLINK 1.9 makes of them; bad ones are refused."""
import gzip
import pathlib
import random

from program import DATA, need, peer, refuse, run

need("plink1.9")


def bytes_of(prefix):
    files = [pathlib.Path(f"{prefix}.{ending}").read_bytes() for ending in ("bed", "bim", "fam")]
    return files[:2] + [files[2].replace(b" ", b"\t")]


def write_random(samples, sites, seed):
    """Missing calls, sites of one allele or none, ties, long alleles, children; blanks and tabs."""
    draw = random.Random(seed)
    people = []
    for i in range(samples):
        child = i > 4 and draw.random() < 0.3
        people.append([f"F{i // 3}", f"S{i}", *(("S0", "S1") if child else "00"), draw.choice("120"), draw.choice(("1", "2", "-9"))])
    variants, columns = [], []
    for k in range(sites):
        alleles = draw.choice((["A", "G"], ["T", "C"], ["C", "CTT"], ["1", "2"], ["A"], ["0"]))
        rare = draw.choice((0.05, 0.5, 0.95))
        pick = lambda: alleles[0] if len(alleles) == 1 or draw.random() > rare else alleles[1]
        columns.append([("0", "0") if draw.random() < 0.1 else (pick(), pick()) for _ in range(samples)])
        variants.append([str(1 + 4 * k // sites), f"v{k}", "0", str(100 + k)])
    with open("t.map", "w") as file:
        file.writelines(" ".join(v) + "\n" for v in variants)
    with open("t.ped", "w") as file:
        for i, person in enumerate(people):
            file.write("\t".join(person) + " " + "  ".join(" ".join(column[i]) for column in columns) + "\n")
            file.write("\n" if i == 2 else "")
    with open("t.tped", "w") as file:
        file.writelines(" ".join(v) + " " + " ".join(" ".join(call) for call in column) + "\n"
                        for v, column in zip(variants, columns))
    with open("t.tfam", "w") as file:
        file.writelines(" ".join(person) + "\n" for person in people)


def calls_and_alleles_are_those_of_plink():
    for samples, sites, seed in ((1, 3, 1), (4, 40, 2), (9, 130, 3), (66, 257, 4)):
        write_random(samples, sites, seed)
        peer("plink1.9", "--file", "t", "--make-bed", "--out", "p")
        for name in ("t.ped", "t.tped"):
            run("filter", name, "--all-chr", "-o", "y.bed")
            assert bytes_of("y") == bytes_of("p"), (name, samples)
        run("filter", "--tfile", "t", "--all-chr", "-o", "y.bed")
        for ending in ("ped", "map"):
            pathlib.Path(f"z.{ending}.gz").write_bytes(gzip.compress(pathlib.Path(f"t.{ending}").read_bytes()))
        run("filter", "z.ped.gz", "--all-chr", "-o", "z.bed")
        assert bytes_of("y") == bytes_of("z") == bytes_of("p")


def filters_and_distances_are_those_of_the_bed():
    cohort = DATA / "hapmap279" / "hapmap279"
    if not cohort.with_suffix(".bed").exists():
        return print("        skipped: hapmap279 is not here")
    peer("plink1.9", "--bfile", cohort, "--recode", "--out", "t")
    filters = ("--maf", 0.1, "--geno", 0.02, "--chr", "3,7-9,X", "--indep-pairwise", "200kb", 1, 0.3)
    for words in ((), filters, ("--region", "5:1-50000000"), ("--king-cutoff", 0.0884)):
        outputs = []
        for kind in ("--bfile", cohort), ("--file", "t"):
            run("dist", *kind, *words, "--memory", "40M", "-o", "x")
            outputs.append([pathlib.Path(f"x.{e}").read_bytes() for e in ("dist.npy", "ids")])
        assert outputs[0] == outputs[1], words


def bad_files_are_refused():
    def put(ped, map="1 a 0 1\n1 b 0 2\n", name="t.ped", other="t.map"):
        pathlib.Path(name).write_text(ped)
        pathlib.Path(other).write_text(map)

    for ped, says in (("f s 0 0 1 1 A A C\n", ["t.ped:1", "expected 10 columns", "got 9"]),
                      ("f s 0 0 1 1 A A C C\nf t 0 0 1 1 A A C C G\n", ["t.ped:2", "got 11"]),
                      ("f s 0 0 1 1 A A C 0\n", ["t.ped:1", "sample s, site 2", "two missing ones, got C 0"]),
                      ("f s 0 0 1 1 A G C C\nf t 0 0 1 1 A T C C\n", ["t.ped:2", "alleles A and G, got T"]),
                      ("f s 0 0 1 1 A A C C\nf s 0 0 1 1 A A C C\n", ["t.ped:2", "line 1 already"]),
                      ("f s 0\n", ["t.ped:1", "expected 6 columns"]), ("", ["t.ped", "no samples"])):
        put(ped)
        refuse("dist", "t.ped", "-o", "x", says=says)
    for map, says in (("1 a 0 1\n", ["t.ped:1", "expected 8 columns", "got 10"]), ("1 a 0 x\n1 b 0 2\n", ["t.map:1", "position"]),
                      ("1 a 0 1\n1 b 2\n", ["t.map:2", "expected 4 columns", "got 3"]),
                      ("1 a 0 1 2\n", ["t.map:1", "got 5 or more"])):
        put("f s 0 0 1 1 A A C C\n", map)
        refuse("dist", "t.ped", "-o", "x", says=says)
    for tped, says in (("1 a 0 1 A A\n1 b 0 2 C C G G\n", ["t.tped:2", "expected 6 columns", "got 8"]),
                       ("1 a 0 1 A\n", ["t.tped:1", "got 5"]), ("1 a 0\n", ["t.tped:1", "expected 4 columns", "got 3"])):
        put(tped, "f s 0 0 1 1\n", "t.tped", "t.tfam")
        refuse("dist", "t.tped", "-o", "x", says=says)
    put("f s 0 0 1 1 A A C C\n")
    refuse("dist", "t.ped", "--snps-only", "-o", "x", status=2, says=["--snps-only has no effect"])
    refuse("dist", "t.ped", "--memory", "10", "-o", "x", status=4, says=["its calls need"])
    refuse("dist", "none.ped", "-o", "x", says=["none.ped"])
