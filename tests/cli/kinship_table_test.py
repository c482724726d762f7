"""dist --make-king-table: PLINK 2's table and numbers, the same for any memory, relatives named."""
import pathlib
import shutil
import subprocess

from program import DATA, answer, refuse, run


def rows(path):
    return [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]


def write_family(samples=60, sites=4000, seed=5):
    """Founders, children of the first two, a grandchild, a duplicate; 1 % of the calls missing."""
    import numpy as np
    draw = np.random.default_rng(seed)
    frequency = draw.uniform(0.1, 0.9, sites)
    halves = [draw.random((2, sites)) < frequency for _ in range(samples)]

    def child(one, other):
        pick = draw.integers(0, 2, (2, sites))
        return np.stack([np.where(pick[0], *halves[one]), np.where(pick[1], *halves[other])])

    halves += [child(0, 1), child(0, 1)]
    halves += [child(samples, 2), halves[3]]
    x = np.array([half.sum(axis=0) for half in halves], np.int8)
    x[draw.random(x.shape) < 0.01] = -1
    np.save("x.npy", x)
    return x


def definition(x):
    """(sites, het-het, IBS0, kinship) of every pair i > j, as Manichaikul et al. define them."""
    import numpy as np
    for i in range(1, len(x)):
        for j in range(i):
            called = (x[i] >= 0) & (x[j] >= 0)
            a, b = x[i][called], x[j][called]
            hethet, ibs0 = ((a == 1) & (b == 1)).sum(), (abs(a - b) == 2).sum()
            least = min((a == 1).sum(), (b == 1).sum())
            distance = ((a.astype(int) - b) ** 2).sum()
            yield i, j, called.sum(), hethet, ibs0, 0.5 - distance / (4 * least)


def every_pair_has_its_counts():
    x = write_family()
    done = answer("dist", "x.npy", "--make-king-table", "-o", "k")
    table = rows("k.kin0")
    assert table[0] == "#IID1 IID2 NSNP HETHET IBS0 KINSHIP RELATIONSHIP".split()
    names = {}
    for row, (i, j, sites, hethet, ibs0, kinship) in zip(table[1:], definition(x), strict=True):
        assert int(row[2]) == sites
        assert abs(float(row[3]) - hethet / sites) < 1e-15 and abs(float(row[4]) - ibs0 / sites) < 1e-15
        assert abs(float(row[5]) - kinship) < 1e-12
        names[i, j] = row[6]
    n = len(x)
    assert names[n - 1, 3] == "Dup/MZ" and names[n - 4, 0] == names[n - 3, 1] == "PO"
    assert names[n - 3, n - 4] == "FS" and names[n - 2, n - 4] == "PO" and names[n - 2, 2] == "PO"
    assert names[n - 2, 0] == "2nd" and names[5, 4] == "UN"
    counted = done["relationships"]
    assert sum(counted.values()) == n * (n - 1) // 2 and counted["Dup/MZ"] == 1 and counted["FS"] == 1
    assert sorted(path.name for path in pathlib.Path(".").iterdir()) == ["k.kin0", "x.npy"], "files besides"


def the_filter_keeps_whom_it_names():
    x = write_family()
    run("dist", "x.npy", "--make-king-table", "-o", "all")
    said = run("dist", "x.npy", "--make-king-table", "--king-table-filter", "0.0884", "-o", "k").stdout
    assert rows("k.kin0")[1:] == [row for row in rows("all.kin0")[1:] if float(row[5]) >= 0.0884]
    assert "pairs    Dup/MZ 1, PO 6, FS 1" in said, said


def any_memory_and_threads_write_the_same_bytes():
    run("simulate", "--samples", "1500", "--sites", "300", "--missing", "0.01", "-o", "c")
    run("dist", "c.bed", "--make-king-table", "--king-table-filter", "0.05", "-o", "whole", "--threads", "1")
    plan = answer("dist", "c.bed", "--make-king-table", "--plan", "--memory", "21M")
    assert plan["passes"] > 1, plan
    run("dist", "c.bed", "--make-king-table", "--king-table-filter", "0.05", "-o", "bands", "--memory", "21M")
    assert pathlib.Path("bands.kin0").read_bytes() == pathlib.Path("whole.kin0").read_bytes()
    assert len(rows("bands.kin0")) > 100


def a_pair_without_a_common_site_is_nan_and_passes_no_filter():
    import numpy as np
    np.save("x.npy", np.array([[1, 1, -1, -1], [-1, -1, 1, 0], [1, 1, 1, 0]], np.int8))
    run("dist", "x.npy", "--make-king-table", "-o", "all")
    assert rows("all.kin0")[1] == ["2", "1", "0", "nan", "nan", "nan", "NA"], rows("all.kin0")
    run("dist", "x.npy", "--make-king-table", "--king-table-filter", "-1000", "-o", "k")
    assert len(rows("k.kin0")) == len(rows("all.kin0")) - 1


def what_has_no_effect_is_refused():
    write_family(samples=4, sites=50)
    refuse("dist", "x.npy", "--king-table-filter", "0.1", "-o", "k", status=2, says="--make-king-table")
    for option in (["--shared"], ["--metric", "king"], ["--format", "tsv"], ["--distance"], ["--pairs-above", "0"]):
        refuse("dist", "x.npy", "--make-king-table", *option, "-o", "k", status=2, says=option[0])


def plink2_writes_the_same_table():
    if shutil.which("plink2") is None or not (DATA / "hapmap279").exists():
        print("skipped: plink2_writes_the_same_table: plink2 or ../shared/data is not there")
        return
    prefix = DATA / "hapmap279" / "hapmap279"
    subprocess.run(["plink2", "--bfile", prefix, "--make-king-table", "--out", "p"], check=True, capture_output=True)
    run("dist", f"{prefix}.bed", "--make-king-table", "-o", "k")
    ours, theirs = rows("k.kin0"), rows("p.kin0")
    assert [row[:-1] for row in ours[:1]] == theirs[:1] and len(ours) == len(theirs) > 10_000
    for one, other in zip(ours[1:], theirs[1:]):
        assert one[:5] == other[:5], (one, other)
        assert all(abs(float(a) - float(b)) <= 6e-6 * max(abs(float(b)), 0.1) for a, b in zip(one[5:8], other[5:])), one
    assert {"PO", "UN"} <= {row[-1] for row in ours}, "the set holds parents and children"


def a_bound_that_may_be_infinite_was_to_be_finite():
    for option in ("--pairs-below", "--pairs-above"):
        refuse("dist", "simulate:9x9", "-o", "d", option, "nan", status=2, says=f"{option}: expected a number, got 'nan'")
        run("dist", "simulate:9x9", "-o", "d", option, "inf")


def pairs_of_minus_infinity_were_below_no_bound():
    pathlib.Path("c.vcf").write_text(
        "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n"
        "1\t1\t.\tA\tC\t.\t.\t.\tGT\t0/0\t1/1\t0/0\n")
    run("dist", "c.vcf", "--metric", "king", "--pairs-below", 0.1, "-o", "k")
    assert rows("k.pairs.tsv")[1:] == [["a", "b", "-inf"], ["b", "c", "-inf"]]
    run("dist", "c.vcf", "--metric", "king", "--pairs-above", -5, "-o", "k")
    assert rows("k.pairs.tsv")[1:] == []
