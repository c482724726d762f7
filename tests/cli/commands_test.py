"""The commands as users type them: documented lines, memory caps, backends, threads, JSON."""
import json
import pathlib
import re
import subprocess

from program import PROGRAM, refuse, run


def simulate(name="cohort", samples=120, sites=3000, missing=0.02):
    run("simulate", "--samples", samples, "--sites", sites, "--missing", missing, "-o", name)
    return name + ".bed"


def matrix(*arguments):
    run("dist", *arguments, "-o", "m")
    return pathlib.Path("m.dist.npy").read_bytes()


def documented_lines_work():
    """Every yupana line of each --help runs as written; those of the pages: pages_test.py."""
    pathlib.Path("out").mkdir()
    run("simulate", "--samples", 600, "--sites", "2k", "--missing", 0.01, "-o", "cohort")
    run("simulate", "--samples", 600, "--sites", "2k", "--format", "vcf.gz", "-o", "cohort")
    run("simulate", "--samples", 600, "--sites", "2k", "--format", "pgen", "-o", "cohort")
    pathlib.Path("pops.tsv").write_text(pathlib.Path("cohort.labels.tsv").read_text())
    text = "".join(run(command, "--help").stdout for command in ("filter", "dist", "fermat", "path", "simulate", "plan", "info"))
    lines = re.findall(r"^\s*yupana ((?:filter|dist|fermat|path|simulate|plan|info)\b.*)$", text, re.M)
    lines = [re.sub(r"\s+#.*", "", line) for line in lines]
    assert len(lines) >= 6, lines
    for line in lines:
        line = line.replace("NA06985 NA18970", "s1 s600")
        done = subprocess.run(f"{PROGRAM} {line}", shell=True, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def memory_cap_gives_the_same_bytes():
    bed = simulate(samples=700, sites=600)
    plan = json.loads(run("dist", bed, "--plan", "--json", "--memory", "17M").stdout)
    assert plan["passes"] > 1, plan
    answer = json.loads(run("dist", bed, "-o", "small", "--memory", "17M", "--json", "--quiet").stdout)
    assert answer["passes"] == plan["passes"]
    assert pathlib.Path("small.dist.npy").read_bytes() == matrix(bed)


def backends_and_threads_agree():
    bed = simulate()
    one = matrix(bed, "--threads", 1)
    for options in (("--threads", 2), ("--threads", 7), ("--device", "reference")):
        assert matrix(bed, *options) == one, options
    for files in (("--threads", 1), ("--threads", 7)):
        run("fermat", bed, "--alpha", 3, *files, "-o", "f" + files[1].__str__())
    for ending in ("fermat.npy", "dist.npy", "nwk", "mds.tsv", "graphml", "gexf", "svg"):
        a, b = (pathlib.Path(f"f{t}.{ending}").read_bytes() for t in (1, 7))
        assert a == b, ending


def formats_agree():
    run("simulate", "--samples", 40, "--sites", 900, "--missing", 0.05, "-o", "c")
    run("simulate", "--samples", 40, "--sites", 900, "--missing", 0.05, "--format", "vcf", "-o", "c")
    run("simulate", "--samples", 40, "--sites", 900, "--missing", 0.05, "--format", "vcf.gz", "-o", "c")
    bed = matrix("c.bed")
    for other in ("c", "c.vcf", "c.vcf.gz", "simulate:40x900,missing=0.05"):
        assert matrix(other) == bed, other


def the_ending_of_a_simulated_file_was_written_twice():
    run("simulate", "--samples", 9, "--sites", 20, "--format", "vcf", "-o", "c.vcf")
    run("simulate", "--samples", 9, "--sites", 20, "-o", "c.bed")
    assert {p.name for p in pathlib.Path(".").glob("c.*")} == {
        "c.vcf", "c.bed", "c.bim", "c.fam", "c.labels.tsv"}
    refuse("simulate", "--samples", 9, "--sites", 20, "-o", "d.vcf", status=2,
           says="take --format vcf")


def json_is_one_object():
    bed = simulate(samples=20, sites=300)
    for line in (("dist", bed, "-o", "a"), ("fermat", bed, "-o", "b"), ("info",),
                 ("plan", "--samples", "30k", "--sites", "600M"),
                 ("plan", "fermat", "--samples", "30k", "--sites", "600M", "--gpus", "64")):
        done = run(*line, "--json")
        assert isinstance(json.loads(done.stdout), dict), line


def every_listed_file_exists():
    bed = simulate(samples=20, sites=300)
    for line in (("dist", bed, "-o", "a", "--format", "npy,tsv,phylip", "--shared",
                  "--pairs-below", 1e9), ("fermat", bed, "-o", "b", "--alpha", "2,4")):
        files = json.loads(run(*line, "--json").stdout)["files"]
        for file in files:
            assert pathlib.Path(file).stat().st_size > 0, file
        there = {p.name for p in pathlib.Path(".").glob(line[line.index("-o") + 1] + ".*")}
        assert there == set(files), there ^ set(files)


def knn_root_and_landmarks_are_declared():
    bed = simulate(samples=80, sites=500)
    answer = json.loads(run("fermat", bed, "-o", "a", "--alpha", 4, "--knn", 10, "--json").stdout)
    assert any("nearest neighbour" in n for n in answer["notices"]), answer["notices"]
    assert 1 <= answer["runs"][0]["largest_rank"] <= 79
    answer = json.loads(run("fermat", bed, "-o", "a", "--alpha", 4, "--root", "--json").stdout)
    assert any("root" in n for n in answer["notices"])
    answer = json.loads(run("fermat", bed, "-o", "a", "--alpha", 4, "--landmarks", 20, "--json").stdout)
    assert any("landmarks" in n for n in answer["notices"])
    assert answer["runs"][0]["certified"] is None and answer["runs"][0]["largest_rank"] is None


def exact_lengths_were_said_to_be_proven_in_part():
    """"certified" was the share that needed no search, 0 where none was tried, and 0 of a rank too."""
    bed = simulate(samples=80, sites=500)
    for options in ((), ("--no-prune",), ("--landmarks", 80)):
        told = json.loads(run("fermat", bed, "-o", "a", "--alpha", 8, *options, "--json").stdout)["runs"][0]
        assert told["replaced_edges"] > 0 and told["certified"] == 1 and told["largest_rank"] is None, told


def a_refused_matrix_of_a_tree_was_not_named():
    pathlib.Path("d.tsv").write_text("\ta\tb\na\t0\tinf\nb\tinf\t0\n")
    told = run("nj", "d.tsv", status=3).stderr
    assert told.startswith("yupana: d.tsv: ") and "none (infinite)" in told, told


def large_alpha_has_scores_for_every_matrix():
    """d^20 passes the range of float; d^alpha and F were once compared with what lay in memory."""
    bed = simulate(samples=60, sites=20000, missing=0.01)
    for options in ((), ("--root",)):
        answer = json.loads(run("fermat", bed, "-o", "a", "--labels", "cohort.labels.tsv", "--alpha",
                                30, *options, "--json").stdout)
        by_name = {m["matrix"]: m for m in answer["matrices"]}
        assert len(by_name) == 4 and all("silhouette" in m for m in by_name.values()), by_name
        assert by_name["d^30"]["silhouette"] > by_name["distance d"]["silhouette"] + 0.1, by_name
    assert answer["runs"][0]["scale"] == 1


def completion_and_manual_name_every_command():
    for document in (run("completion", "bash").stdout, run("man").stdout):
        for command in ("dist", "fermat", "path", "simulate", "plan", "info", "bench"):
            assert command in document


def scaling_is_for_gpus():
    told = run("bench", "scan", "--scaling", "--device", "cpu", status=2).stderr
    assert "no effect on scan" in told and "trees" in told, told
    told = run("bench", "som", "--scaling", "--device", "cpu", status=2).stderr
    assert "--device cuda" in told, told
