"""The tree, the coordinates and the graphs of yupana fermat do not depend on the device or the threads."""
import pathlib
import random
import struct

from program import DATA, helper, run

ENDINGS = (".fermat.npy", ".nwk", ".mds.tsv", ".graphml", ".gexf")


@helper
def fused_multiply_add():
    """Whether vectors of this processor round a product and a sum once, as the reference does."""
    try:
        words = pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return "fma" in words or "asimd" in words


def write_tied_squares(path, individuals):
    """Squared distances of points on a small grid: integers, most of them equal to others."""
    rng = random.Random(5)
    points = [[rng.randrange(4) for _ in range(4)] for _ in range(individuals)]
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({individuals}, {individuals}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    rows = b"".join(
        struct.pack(f"<{individuals}i", *(sum((x - y) ** 2 for x, y in zip(a, b)) for b in points))
        for a in points)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + rows)
    return path


def outputs(prefix, arguments, *device):
    run("fermat", *arguments, *device, "-o", prefix, "--quiet")
    return {ending: pathlib.Path(prefix + ending).read_bytes() for ending in ENDINGS}


def expect_one_answer(*arguments):
    want = outputs("reference", arguments, "--device", "reference")
    for threads in (1, 2, 7):
        got = outputs(f"cpu{threads}", arguments, "--device", "cpu", "--threads", threads)
        for ending in ENDINGS:
            if ending == ".mds.tsv" and not fused_multiply_add():
                continue
            assert got[ending] == want[ending], f"{arguments}: {ending} of {threads} threads"


def test_the_tree_of_tied_integers_differs_between_devices():
    for individuals in (40, 200):
        path = write_tied_squares(pathlib.Path("ties.npy"), individuals)
        for linkage in ("average", "single", "complete"):
            expect_one_answer("--from-distances", path, "--squared", "--linkage", linkage)


def test_tree_and_coordinates_of_a_simulated_cohort_differ_between_devices():
    expect_one_answer("simulate:200x2000", "--alpha", 2)
    expect_one_answer("simulate:150x300", "--alpha", 2, "--missing", "mode")
    expect_one_answer("simulate:120x900,populations=8,structure=ring,fst=0.3", "--alpha", 4)


def test_tree_and_coordinates_of_a_real_cohort_differ_between_devices():
    path = DATA / "hapmap279" / "hapmap279.bed"
    if not path.exists():
        print(f"skipped: no {path.name} beside the checkout")
        return
    expect_one_answer(path, "--alpha", 2)
    expect_one_answer(path, "--alpha", 2, "--missing", "mode")


def test_graphs_named_the_method_that_found_their_paths():
    run("simulate", "--samples", 60, "--sites", 300, "-o", "g")
    for name in ("dense", "pruned"):
        run("fermat", "g.bed", *(["--no-prune"] if name == "dense" else []), "-o", name, "--quiet")
    for ending in (".graphml", ".gexf"):
        dense, pruned = (pathlib.Path(name + ending).read_bytes() for name in ("dense", "pruned"))
        assert dense == pruned, ending
