"""PLINK agrees: 1.9 --distance and --genome number by number, 2 --make-king to its printed digits."""
import pathlib

import numpy as np
from program import DATA, helper, need, peer, run


def simulated(samples, sites, missing, seed):
    run("simulate", "--samples", samples, "--sites", sites, "--missing", missing, "--seed", seed,
        "-o", "cohort")
    return "cohort"


@helper
def cohorts():
    """Sample and site counts around bytes, chunks and tiles, with and without missing calls."""
    for samples, sites, missing in [(2, 1, 0), (5, 7, 0.3), (37, 130, 0), (37, 511, 0.1),
                                    (64, 513, 0.01), (131, 1025, 0.2)]:
        yield simulated(samples, sites, missing, samples + sites)
    if (DATA / "hapmap279").exists():
        yield str(DATA / "hapmap279" / "hapmap279")


def distances_agree():
    for cohort in cohorts():
        peer("plink1.9", "--bfile", cohort, "--distance", "square", "bin", "flat-missing",
             "allele-ct", "ibs", "1-ibs", "--allow-extra-chr", "--out", "plink")
        run("dist", "--bfile", cohort, "--distance", "square", "bin", "flat-missing", "allele-ct",
            "ibs", "1-ibs", "-o", "ours")
        for ending in ("dist.bin", "mibs.bin", "mdist.bin"):
            theirs, ours = (np.fromfile(f"{p}.{ending}") for p in ("plink", "ours"))
            assert theirs.shape == ours.shape, f"{cohort} .{ending}: {theirs.shape} {ours.shape}"
            # PLINK rounds in its own order of operations: a few units in the last place.
            np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-14, err_msg=cohort + ending)
        for ending in ("dist.id", "mibs.id", "mdist.id"):
            theirs, ours = (pathlib.Path(f"{p}.{ending}").read_text() for p in ("plink", "ours"))
            assert theirs == ours, f"{cohort} .{ending}"


def corrections_for_missing_calls_agree():
    """Without flat-missing, on sites that vary among the founders: PLINK 1.9 gives others a weight of 4."""
    for cohort in cohorts():
        name = pathlib.Path(cohort).name
        if len(pathlib.Path(cohort + ".bim").read_text().splitlines()) < 5:
            continue  # no site may be left
        peer("plink1.9", "--bfile", cohort, "--mac", 1, "--make-bed", "--allow-extra-chr", "--out", "varies")
        peer("plink1.9", "--bfile", "varies", "--distance", "square", "bin", "allele-ct", "ibs", "1-ibs",
             "--allow-extra-chr", "--out", "plink")
        for threads, memory in ((1, "64M"), (3, "16G")):
            run("dist", "--bfile", "varies", "--distance", "square", "bin", "allele-ct", "ibs", "1-ibs",
                "--threads", threads, "--memory", memory, "-o", "ours")
            for ending in ("dist.bin", "mibs.bin", "mdist.bin"):
                theirs, ours = (np.fromfile(f"{p}.{ending}") for p in ("plink", "ours"))
                # PLINK's weights have 32 bits, ours 30.
                np.testing.assert_allclose(ours, theirs, rtol=3e-8, atol=3e-8, err_msg=name + ending)


def sites_that_do_not_vary_weigh_nothing():
    calls = np.array([[0, 1, 2], [1, 1, 2], [2, 1, -1], [0, 2, 2]], np.int8)
    np.save("x.npy", calls)
    run("dist", "x.npy", "--distance", "square", "bin", "-o", "ours")
    wanted = np.abs(calls[:, None, :2].astype(int) - calls[None, :, :2]).sum(axis=2)
    assert (np.fromfile("ours.dist.bin").reshape(4, 4) == wanted).all()


def shares_by_descent_agree():
    for cohort in cohorts():
        peer("plink1.9", "--bfile", cohort, "--autosome", "--genome", "full", "--allow-extra-chr", "--out", "g")
        run("dist", "--bfile", cohort, "--make-king-table", "--king-table-ibd", "-o", "ours", "--chr", "1-22")
        head, *lines = (line.split() for line in pathlib.Path("g.genome").read_text().splitlines())
        theirs = {frozenset(line[:4:2] + line[1:4:2]): [float(line[head.index(c)]) for c in ("Z0", "Z1", "Z2", "PI_HAT")]
                  for line in lines}
        head, *lines = (line.split("\t") for line in pathlib.Path("ours.kin0").read_text().splitlines())
        assert head[-4:] == ["Z0", "Z1", "Z2", "PI_HAT"] and len(lines) == len(theirs)
        for line in lines:
            ours = [float(x) for x in line[-4:]]
            np.testing.assert_allclose(ours, theirs[frozenset(line[:4:2] + line[1:4:2])], atol=6e-5, err_msg=str(line))


def text_layouts_agree():
    cohort = simulated(23, 400, 0.05, 5)
    for shape in ("square", "square0", "triangle"):
        for kind, ending in (("allele-ct", "dist"), ("ibs", "mibs"), ("1-ibs", "mdist")):
            peer("plink1.9", "--bfile", cohort, "--distance", shape, "flat-missing", kind,
                 "--out", "plink")
            run("dist", "--bfile", cohort, "--distance", shape, "flat-missing", kind, "-o", "ours")
            theirs, ours = (pathlib.Path(f"{p}.{ending}").read_text() for p in ("plink", "ours"))
            assert theirs == ours, f"{shape} {kind}:\n{theirs[:300]}\n{ours[:300]}"


def filters_agree():
    cohort = simulated(60, 3000, 0.05, 9)
    filters = ("--maf", 0.1, "--geno", 0.05, "--mind", 0.06)
    peer("plink1.9", "--bfile", cohort, *filters, "--distance", "square", "bin", "flat-missing",
         "--out", "plink")
    run("dist", "--bfile", cohort, *filters, "--distance", "square", "bin", "flat-missing",
        "-o", "ours")
    theirs, ours = (np.fromfile(f"{p}.dist.bin") for p in ("plink", "ours"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def king_agrees():
    for cohort in cohorts():
        peer("plink2", "--bfile", cohort, "--make-king", "square", "bin", "--out", "king",
             "--allow-extra-chr")
        run("dist", "--bfile", cohort, "--metric", "king", "-o", "ours")
        ours = np.load("ours.dist.npy")
        theirs = np.fromfile("king.king.bin").reshape(ours.shape)
        off = ~np.eye(len(ours), dtype=bool)
        np.testing.assert_allclose(ours[off], theirs[off], rtol=1e-6, atol=1e-7, err_msg=cohort)


need("plink1.9", "plink2")
