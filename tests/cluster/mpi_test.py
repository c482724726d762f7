#!/usr/bin/env python3
"""Several ranks write the very files of one process; a rank that dies ends the run, which goes on.

Starts the program under mpirun with 1 to 4 ranks on this machine. Skips (77) without an MPI.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", OMPI_MCA_btl="self,vader")


def command(ranks, *arguments):
    start = [] if ranks == 0 else ["mpirun", "-n", str(ranks)]
    return [*start, str(PROGRAM), *arguments]


def run(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=600)


def must_run(ranks, *arguments):
    done = run(ranks, *arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done


def files_of(folder):
    """Bytes by name; reports tell times, which differ."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
            if path.suffix != ".html"}


def same_files(folder, *arguments, ranks=(1, 2, 3, 4), alone=0):
    """One prefix, as models name their files, in a folder for each number of ranks. One process
    takes the first arguments alone, as many as `alone` says, if it says any."""
    def written(count):
        place = folder / f"ranks{count}"
        place.mkdir()
        taken = arguments if count > 0 or alone == 0 else arguments[:alone]
        must_run(count, *taken, "-o", str(place / "run"), "--quiet")
        files = files_of(place)
        shutil.rmtree(place)
        return files

    wanted = written(0)
    assert wanted, arguments
    for count in ranks:
        found = written(count)
        assert found.keys() == wanted.keys(), (arguments, count, sorted(found), sorted(wanted))
        for name, data in wanted.items():
            same = without_command(found[name]) == without_command(data)
            assert same, f"{' '.join(arguments)}: {name} of {count} ranks differs"


def without_command(data):
    """A record holds its command line, which names the folder."""
    return re.sub(rb'\n "command": "[^\n]*', b"", data)


def write_table(path):
    random.seed(7)
    with open(path, "w") as table:
        print("a,b,c,kind", file=table)
        for i in range(1501):
            place = random.random()
            print(f"{place:.6f},{random.gauss(place, 0.1):.6f},{random.gauss(0, 1):.6f},"
                  f"{'low' if place < 0.5 else 'high'}", file=table)


def write_genes(folder):
    """Genes of three exons among decoys, of many lengths: fast and slow cases."""
    random.seed(11)
    letters = "ACGT"
    with open(folder / "cases.tsv", "w") as batch:
        for gene in range(9):
            bases = "".join(random.choice(letters) for _ in range(900 + 400 * gene))
            exons = [(100 + 200 * e, 100 + 200 * e + 40 + 10 * gene) for e in range(3)]
            target = "".join(bases[a:b] for a, b in exons)
            decoys = [(at, at + 60) for at in range(20, len(bases) - 80, 97)]
            (folder / f"g{gene}.fa").write_text(f">g{gene}\n{bases}\n")
            (folder / f"t{gene}.fa").write_text(f">t{gene}\n{target}\n")
            (folder / f"e{gene}.bed").write_text(
                "".join(f"g{gene}\t{a}\t{b}\n" for a, b in exons + decoys))
            print(f"g{gene}.fa\te{gene}.bed\tt{gene}.fa", file=batch)


def pid_of_rank(rank):
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").resolve() != PROGRAM:
                continue
            if f"\0OMPI_COMM_WORLD_RANK={rank}\0".encode() in (process / "environ").read_bytes():
                return int(process.name)
        except OSError:
            continue
    return None


def a_killed_rank_ends_the_run_and_leaves_the_checkpoint(folder):
    cohort = "simulate:1000x1500000,seed=3,missing=0.001"
    must_run(0, "dist", cohort, "-o", str(folder / "one"), "--quiet")
    saved = folder / "saved"
    arguments = ("dist", cohort, "-o", str(folder / "many"), "--checkpoint", str(saved),
                 "--checkpoint-interval", "0.05", "--threads", "1")
    process = subprocess.Popen(command(3, *arguments), env=ENVIRONMENT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.time() + 120
    while len(list(saved.glob("*rank?.yupana"))) < 3:
        assert process.poll() is None and time.time() < deadline, process.communicate()
        time.sleep(0.02)
    os.kill(pid_of_rank(2), signal.SIGKILL)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "rank 2" in told and "signal 9" in told, told
    assert not list(folder.glob("many*")), list(folder.glob("many*"))
    assert len(list(saved.glob("*rank?.yupana"))) == 3
    other = run(2, *arguments)
    assert other.returncode == 3 and "ranks" in other.stderr, (other.returncode, other.stderr)
    resumed = must_run(3, *arguments)
    assert "continuing after" in resumed.stderr, resumed.stderr
    assert (folder / "many.dist.npy").read_bytes() == (folder / "one.dist.npy").read_bytes()
    assert not saved.exists(), "the checkpoint is removed after the run"


def pairs_are_cut_as_well_as_sites(folder):
    cohort = "simulate:301x30011,missing=0.02,seed=4"
    for groups in ("2", "4"):
        same_files(folder, "dist", cohort, "--metric", "king", "--maf", "0.05", "--shared",
                   "--pair-groups", groups, ranks=(4,), alone=7)
    same_files(folder, "fermat", "simulate:300x30000,fst=0.1,missing=0.01", "--matrix-only",
               "--pair-groups", "3", ranks=(3, 6), alone=3)
    # Counts of all pairs are 96 MB here, and no rank may hold them.
    big = ("dist", "simulate:4000x600,missing=0.01,seed=2")
    plan = must_run(4, *big, "--memory", "80M", "--plan", "--json")
    assert json.loads(plan.stdout)["pair_groups"] == 4, plan.stdout
    assert json.loads(plan.stdout)["passes"] == 1, plan.stdout
    same_files(folder, *big, "--memory", "80M", ranks=(4,), alone=2)
    done = must_run(4, *big, "--memory", "80M", "-o", str(folder / "cut"), "--json")
    # What MPI holds itself is in no plan; all pairs on a rank would be 96 MB more.
    assert json.loads(done.stdout)["peak_memory"] < (80 + 16) << 20, done.stdout
    done = run(4, *big, "--pair-groups", "3", "-o", str(folder / "cut"))
    assert done.returncode == 2 and done.stderr.count("a divisor of the 4 ranks") == 1, done.stderr
    done = run(2, *big, "--format", "npy,tsv", "--pair-groups", "2", "-o", str(folder / "cut"))
    assert done.returncode == 2 and "all counts on the first rank" in done.stderr, done.stderr


def matrices_that_the_first_rank_cannot_hold_are_spread(folder):
    cohort = "simulate:3000x300,missing=0.01,fst=0.1"
    arguments = ("fermat", cohort, "--alpha", "3")
    must_run(0, *arguments, "--matrix-only", "-o", str(folder / "alone"), "--quiet")
    done = must_run(3, *arguments, "--memory", "200M", "-o", str(folder / "tiled"))
    assert "the first rank cannot hold" in done.stderr, done.stderr
    assert not list(folder.glob("tiled*.html"))
    for ending in ("dist.npy", "fermat.npy", "ids", "json"):
        found, wanted = ((folder / f"{name}.{ending}").read_bytes() for name in ("tiled", "alone"))
        assert without_command(found) == without_command(wanted), ending
    done = run(2, *arguments, "--memory", "120M", "-o", str(folder / "none"))
    assert done.returncode == 4 and done.stderr.count("start more ranks") == 1, done.stderr
    assert not list(folder.glob("none*"))
    for option in (("--knn", "5"), ("--landmarks", "9"), ("--alpha", "auto")):
        done = run(2, "fermat", cohort, *option, "--memory", "120M", "-o", str(folder / "none"))
        assert done.returncode == 4, done.stderr
        assert "samples need" in done.stderr and option[0] in done.stderr, done.stderr
    done = run(2, "fermat", "--from-distances", str(folder / "alone.dist.npy"), "--memory", "120M",
               "-o", str(folder / "none"))
    assert done.returncode == 4 and "--from-distances needs" in done.stderr, done.stderr
    done = must_run(2, *arguments, "--matrix-only", "--plan")
    assert "matrices" in done.stdout, done.stdout


def a_rank_that_dies_while_matrices_are_spread_leaves_the_checkpoint(folder):
    cohort = "simulate:1500x800000,seed=5,fst=0.1"
    must_run(0, "fermat", cohort, "--matrix-only", "-o", str(folder / "single"), "--quiet")
    saved = folder / "spread"
    arguments = ("fermat", cohort, "--matrix-only", "-o", str(folder / "apart"), "--checkpoint",
                 str(saved), "--checkpoint-interval", "0.05", "--threads", "1", "--pair-groups",
                 "2")
    process = subprocess.Popen(command(2, *arguments), env=ENVIRONMENT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.time() + 120
    while len(list(saved.glob("*rank?.yupana"))) < 2:
        assert process.poll() is None and time.time() < deadline, process.communicate()
        time.sleep(0.02)
    os.kill(pid_of_rank(1), signal.SIGKILL)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0 and "rank 1" in told and "signal 9" in told, told
    assert not [path for path in folder.glob("apart*") if ".part-" not in path.name]
    other = run(2, *arguments[:-1], "1")
    assert other.returncode == 3 and "pair groups: 2" in other.stderr, other.stderr
    resumed = must_run(2, *arguments)
    assert "continuing after" in resumed.stderr, resumed.stderr
    for ending in ("dist.npy", "fermat.npy", "json"):
        found, wanted = ((folder / f"{name}.{ending}").read_bytes() for name in ("apart", "single"))
        assert without_command(found) == without_command(wanted), ending
    assert not saved.exists(), "the checkpoint is removed after the run"


def faults_are_told_once(folder):
    done = run(3, "dist", str(folder / "none.bed"), "-o", str(folder / "x"))
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert done.stderr.count("none.bed: ") == 1, done.stderr
    assert "interrupted" not in done.stderr, "what mpirun does to the other ranks is no fault of theirs"
    done = run(2, "dist", "--no-such-option")
    assert done.returncode == 2 and done.stderr.count("--no-such-option") == 1, done.stderr
    done = run(3, "dist", "simulate:10x100", "-o", str(folder / "table.csv" / "x"))
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert done.stderr.count("table.csv: Not a directory") == 1, done.stderr
    done = run(2, "dist", "-", "-o", str(folder / "x"))
    assert done.returncode == 2 and done.stderr.count("standard input") == 1, done.stderr
    # Each rank read a part of a pipe, and the first alone standard input: "/dev/stdin: has no rows".
    cohort = ("fermat", "simulate:10x100", "--labels")
    genome = folder / "genome.fa"
    genome.write_text(">g\nACGT\n")
    os.mkfifo(folder / "pipe")
    for words in (("som", "fit"), ("forest", "fit", "--label", "kind"), cohort, ("dist", "simulate:10x100", "--keep"),
                  ("splice", "--target", str(genome), "--genome")):
        for name in ("/dev/stdin", str(folder / "pipe")):
            done = run(2, *words, name, "-o", str(folder / "x"))
            said = f"yupana: {name}: several processes cannot read one pipe or standard input"
            assert done.returncode == 2 and done.stderr.count(said) == done.stderr.count("yupana: ") == 1, done.stderr
    done = run(2, "dist", "simulate:10x100", "--maf", "0.5", "--geno", "0", "--thin", "0", "-o",
               str(folder / "x"), "--metric", "normalized")
    assert done.returncode == 3 and done.stderr.count("no site left of 100") == 1, done.stderr
    done = run(3, "fermat", "simulate:80x3,missing=0.6", "--matrix-only", "-o", str(folder / "x"))
    alone = run(0, "fermat", "simulate:80x3,missing=0.6", "--matrix-only", "-o", str(folder / "x"))
    assert done.returncode == alone.returncode == 3, (done.stderr, alone.stderr)
    assert done.stderr.count("without a called site in common") == 1, done.stderr
    assert alone.stderr.strip() in done.stderr, (alone.stderr, done.stderr)
    # The first rank's own fault, while others wait for it: mpirun ends these by SIGTERM.
    done = run(3, "fermat", "simulate:80x3,missing=0.6", "-o", str(folder / "x"))
    assert done.returncode == 3 and done.stderr.count("yupana: ") == 1, done.stderr
    done = run(2, "sort", "x.npy", "-o", str(folder / "x"))
    assert done.returncode == 2 and done.stderr.count("without mpirun") == 1, done.stderr
    done = run(2, "dist", "simulate:10x100", "--king-cutoff", "0.1", "-o", str(folder / "x"))
    assert done.returncode == 2 and done.stderr.count("--king-cutoff counts pairs") == 1, done.stderr
    done = run(2, "tree", "fit", "x.csv", "-o", str(folder / "x"))
    assert done.stderr.count("tree fit runs in one process") == 1, done.stderr
    alone, done = (must_run(ranks, "dist", "--help") for ranks in (0, 3))
    assert done.stdout == alone.stdout


def a_file_that_one_rank_lacks_ends_the_run(folder):
    # As on a machine whose disk is not shared: rank 1 looks elsewhere.
    (folder / "elsewhere").mkdir()
    must_run(0, "simulate", "--samples", "40", "--sites", "900", "-o", str(folder / "there"))
    start = f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && cd elsewhere; exec {PROGRAM} "$@"'
    for arguments in (("dist",), ("fermat", "--matrix-only")):
        done = subprocess.run(
            ["mpirun", "-n", "3", "bash", "-c", start, "bash", *arguments, "there.bed", "-o", "y"],
            capture_output=True, text=True, env=ENVIRONMENT, timeout=120, cwd=folder)
        assert done.returncode == 3, (done.returncode, done.stderr)
        assert done.stderr.count("rank 1 of 3: there.bed: cannot be opened") == 1, done.stderr
        assert not [path for path in folder.glob("y*") if ".part-" not in path.name]


def what_one_process_does_needs_no_mpi(folder):
    batch = dict(os.environ, SLURM_NTASKS="4", SLURM_PROCID="0")
    done = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, env=batch, timeout=60)
    assert done.returncode == 0, done.stderr
    other = dict(os.environ, PMI_SIZE="4", PMI_RANK="0", **{
        name: ENVIRONMENT[name] for name in ENVIRONMENT if name.startswith("OMPI_")})
    done = subprocess.run([PROGRAM, "dist", "simulate:10x100", "-o", folder / "x"],
                          capture_output=True, text=True, env=other, timeout=60)
    assert done.returncode == 2 and "4 processes were started" in done.stderr, done.stderr


def the_checkpoint_of_fermat_goes_with_its_run(folder):
    for ranks in (0, 2):
        saved = folder / f"saved{ranks}"
        must_run(ranks, "fermat", "simulate:60x2000", "-o", str(folder / "x"), "--checkpoint",
                 str(saved), "--checkpoint-interval", "0", "--quiet")
        assert not saved.exists(), list(saved.iterdir())


def main():
    library = PROGRAM.parent / "libyupana_mpi.so"
    if shutil.which("mpirun") is None or not library.exists():
        print("no mpirun, or built without MPI: skipped")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        same_files(folder, "dist", "simulate:301x20011,missing=0.02,seed=4", "--metric", "king",
                   "--maf", "0.05", "--shared", "--format", "npy,tsv")
        same_files(folder, "dist", "simulate:97x3001,missing=0.3", "--memory", "38M", ranks=(2, 3))
        same_files(folder, "dist", "simulate:64x9000,missing=0.1", "--missing", "mode", "--thin",
                   "0.5", "--distance", "square", "ibs", "1-ibs", ranks=(3,))
        same_files(folder, "fermat", "simulate:1100x2000,fst=0.1", "--alpha", "2,3", "--no-prune",
                   ranks=(2, 3))
        same_files(folder, "fermat", "simulate:200x3000,missing=0.05,fst=0.1", "--precision",
                   "float32", "--no-prune")
        same_files(folder, "fermat", "simulate:1100x2000,fst=0.1", "--alpha", "2,3",
                   "--matrix-only")
        same_files(folder, "fermat", "simulate:129x3001,missing=0.05,fst=0.1", "--alpha", "3.5",
                   "--root", "--matrix-only")
        same_files(folder, "fermat", "simulate:1300x3000,missing=0.01", "--matrix-only",
                   "--precision", "float64", ranks=(2, 3))
        pairs_are_cut_as_well_as_sites(folder)
        matrices_that_the_first_rank_cannot_hold_are_spread(folder)
        a_rank_that_dies_while_matrices_are_spread_leaves_the_checkpoint(folder)
        write_table(folder / "table.csv")
        same_files(folder, "som", "fit", str(folder / "table.csv"), "--rows", "5", "--cols", "4",
                   "--label", "kind", "--standardize", "--iterations", "6")
        same_files(folder, "forest", "fit", str(folder / "table.csv"), "--label", "kind", "--trees",
                   "7", "--bootstrap", "--cv", "3")
        write_genes(folder)
        same_files(folder, "splice", "--batch", str(folder / "cases.tsv"))
        same_files(folder, "dist", "simulate:83x40000,missing=0.05", "--mind", "0.05", ranks=(3,))
        same_files(folder, "dist", "simulate:83x9000,missing=0.05", "--indep-pairwise", "50", "5", "0.05",
                   "--hwe", "0.01", ranks=(2, 3))
        faults_are_told_once(folder)
        a_file_that_one_rank_lacks_ends_the_run(folder)
        what_one_process_does_needs_no_mpi(folder)
        the_checkpoint_of_fermat_goes_with_its_run(folder)
        a_killed_rank_ends_the_run_and_leaves_the_checkpoint(folder)
    print("files of 1 to 4 ranks are those of one process")
    return 0


sys.exit(main())
