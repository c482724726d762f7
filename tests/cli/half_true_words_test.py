"""Sentences that were true of most inputs, and options that left no trace of some in silence."""
import pathlib
import re
import subprocess

from program import PROGRAM, notes, run


def a_family_larger_than_any_population_was_ignored():
    for arguments in (("simulate", "--samples", 10, "--sites", 10, "--populations", 6, "--family-size", 5, "-o", "s"),
                      ("dist", "simulate:10x10,populations=6,family-size=5", "-o", "d")):
        told = notes(*arguments)
        assert "note: --family-size 5: the largest population has 2 samples, so none are related" in told, told
    assert pathlib.Path("s.fam").read_text().splitlines()[1].split()[:4] == ["s2", "s2", "0", "0"]
    for samples in (10, 11):  # families of 5 fit into one of two populations, or both
        told = notes("simulate", "--samples", samples, "--sites", 10, "--populations", 2, "--family-size", 5, "-o", "s")
        assert not told, told
        assert pathlib.Path("s.fam").read_text().splitlines()[2].split()[2:4] == ["s1", "s2"]


def a_table_of_no_pair_was_said_to_hold_a_distance():
    pathlib.Path("one").write_text("s1\n")
    run("simulate", "--samples", 5, "--sites", 10, "-o", "c")
    for options, said in (((), "its distance to itself is all there is"),
                          (("--tree", "nj", "--no-matrix"), "its distance to itself is all there is"),
                          (("--make-king-table",), "there is no pair"),
                          (("--pairs-below", 9, "--no-matrix"), "there is no pair")):
        told = notes("dist", "c.bed", "--keep", "one", *options, "-o", "r")
        assert f"note: one sample: {said}" in told, (options, told)


def quotes_that_phylip_keeps_were_said_to_be_replaced():
    run("simulate", "--samples", 3, "--sites", 10, "-o", "c")
    for names, changed in ((("a\"b", "c'd", "e"), "1 sample name"), (("a;b", "c'd", "\"e\""), "2 sample names")):
        pathlib.Path("c.fam").write_text("".join(f"f {name} 0 0 0 -9\n" for name in names))
        told = notes("dist", "c.bed", "--format", "phylip", "-o", "r")
        assert [line for line in told if f"r.dist.phy: {changed} changed" in line and
                "semicolons, commas or apostrophes" in line], told
        kept = [line.split()[0] for line in pathlib.Path("r.dist.phy").read_text().splitlines()[1:]]
        assert kept == [name.replace("'", "_").replace(";", "_") for name in names], kept


def one_sample_there_are_was_said():
    """Of more populations than samples, in the plural of one."""
    told = notes("simulate", "--samples", 1, "--sites", 3, "-o", "s")
    assert told == ["note: 3 populations for 1 sample: the others have none"], told


def several_options_counts_founders():
    run("simulate", "--samples", 8, "--sites", 50, "-o", "c")
    pathlib.Path("c.fam").write_text("".join(f"f s{i} {'s1 s2' if i > 4 else '0 0'} 0 -9\n" for i in range(1, 9)))
    for options, said in ((("--maf", 0.01), "--maf counts founders alone, 4 of 8 samples"),
                          (("--maf", 0.01, "--hwe", 1e-9), "--hwe, --maf count founders alone, 4 of 8 samples")):
        told = notes("dist", "c.bed", *options, "-o", "r")
        assert told == [f"note: {said}; --nonfounders counts all"], told


def no_sample_without_label_was_noted():
    run("simulate", "--samples", 30, "--sites", 50, "-o", "c")
    with open("c.labels.tsv", "a") as labels:
        labels.write("stranger\tpop1\n")
    told = notes("fermat", "c.bed", "--labels", "c.labels.tsv", "-o", "r")
    assert told == ["note: c.labels.tsv: 1 label of samples not in the input"], told


def the_only_pair_of_populations_was_a_range():
    run("simulate", "--samples", 30, "--sites", 50, "--populations", 2, "-o", "c")
    said = [line for line in run("fermat", "c.bed", "--labels", "c.labels.tsv", "-o", "r").stdout.splitlines()
            if line.startswith("F_ST")]
    assert len(said) == 1 and said[0].count("(") == 1 and " to " not in said[0], said


def a_simulated_cohort_took_the_ending_of_another_kind_of_file():
    for ending in (".npy", ".bcf", ".bgen", ".ped", ".tped"):
        done = run("simulate", "--samples", 5, "--sites", 5, "-o", "s" + ending, status=2)
        assert done.stderr.startswith(f"yupana: -o s{ending}: simulate writes .bed, .pgen, .vcf or .vcf.gz"), done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not list(pathlib.Path(".").glob("s.*"))


def a_redirected_standard_output_was_a_prefix():
    """As a pipe it was refused; as a file it became /dev/stdout.bed."""
    for command in (("simulate", "--samples", 5, "--sites", 5), ("dist", "simulate:5x5"), ("grm", "simulate:5x5")):
        with open("log", "w") as log:
            done = subprocess.run([PROGRAM, *map(str, command), "-o", "/dev/stdout"], stdout=log,
                                  stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "are added, got a device or pipe" in done.stderr, done
    assert not list(pathlib.Path("/dev").glob("stdout.*"))


def filters_without_founders_were_called_maf():
    run("simulate", "--samples", 8, "--sites", 50, "-o", "c")
    pathlib.Path("c.fam").write_text("".join(f"f s{i} p q 0 -9\n" for i in range(1, 9)))
    for options, said in ((("--hwe", 1e-9), "--hwe counts"), (("--hwe", 1e-9, "--maf", 0.4), "--hwe, --maf count")):
        told = notes("dist", "c.bed", *options, "-o", "r")
        assert told == [f"note: {said} founders, and there is none: every sample kept names a parent; "
                        "--nonfounders counts all samples"], told


def a_kinship_that_no_pair_has_was_a_cutoff():
    """PLINK 2 refuses them too: below 0 all but one sample went, from 0.5 on none can."""
    for cutoff in (-1, -0.01, 0.5, 5, "nan"):
        done = run("dist", "simulate:9x50", f"--king-cutoff={cutoff}", "-o", "r", status=2)
        assert done.stderr.startswith("yupana: --king-cutoff: expected a kinship"), done.stderr
    assert not list(pathlib.Path(".").glob("r.*"))
    run("dist", "simulate:9x50", "--king-cutoff", 0.49, "-o", "r")


def the_first_of_several_alphas_was_taken_in_silence():
    run("fermat", "simulate:9x50", "--alpha", "2,3", "-o", "r")
    assert notes("path", "r", "s1", "s2") == ["note: r.json: several alphas, 2 3; the first is taken, --alpha chooses"]
    assert not notes("path", "r", "s1", "s2", "--alpha", 3)
    run("fermat", "simulate:9x50", "--alpha", 2, "-o", "one")
    assert not notes("path", "one", "s1", "s2")


def genotypes_were_a_matrix_that_is_not_square():
    run("simulate", "--samples", 9, "--sites", 50, "-o", "c")
    run("simulate", "--samples", 9, "--sites", 50, "--format", "vcf", "-o", "c")
    for name in ("c.bed", "c.vcf"):
        for command in (("nj", name), ("fermat", "--from-distances", name, "-o", "r")):
            done = run(*command, status=3)
            assert done.stderr == f"yupana: {name}: holds genotypes, not distances; make them with 'yupana dist'\n"


def to_is_missing_was_a_sentence():
    assert run("path", "r", "s1", status=2).stderr == "yupana: 'to' is missing; see 'yupana path --help'\n"
    assert run("simulate", "--samples", 5, status=2).stderr.startswith("yupana: --sites is missing; see")


def memory_that_would_do_was_not_in_the_hint():
    run("simulate", "--samples", 60, "--sites", 90, "--missing", 0.01, "-o", "c")
    run("dist", "c.bed", "--metric", "euclidean", "-o", "D")
    for command in (("dist", "c.bed"), ("dist", "c.bed", "--make-king-table"), ("fermat", "c.bed"),
                    ("fermat", "c.bed", "--matrix-only"), ("fermat", "--from-distances", "D.dist.npy"),
                    ("grm", "c.bed"), ("pca", "c.bed")):
        said = run(*command, "-o", "r", "--memory", "1k", status=4).stderr
        needed = re.search(r"raise --memory to ([\d.]+[kMG])", said)
        assert needed, said
        run(*command, "-o", "r", "--memory", needed[1])


def a_filtered_simulation_lost_its_pedigree():
    options = ("--samples", 24, "--sites", 60, "--family-size", 4, "--populations", 2)
    text = "simulate:24x60,family-size=4,populations=2"
    for ending in ("bed", "pgen"):
        names = {"bed": "fam", "pgen": "psam"}[ending]
        run("simulate", *options, "--format", ending, "-o", "s")
        run("filter", text, "-o", f"f.{ending}")
        whole = pathlib.Path(f"s.{names}").read_text()
        assert pathlib.Path(f"f.{names}").read_text() == whole and "\ts1\ts2\t" in whole
        assert pathlib.Path(f"f.{ending}").read_bytes() == pathlib.Path(f"s.{ending}").read_bytes()
    pathlib.Path("keep").write_text("s3\ns7\n")
    run("filter", text, "--keep", "keep", "-o", "k.bed")
    assert [line.split()[1:4] for line in pathlib.Path("k.fam").read_text().splitlines()] == [
        ["s3", "s1", "s2"], ["s7", "s5", "s6"]]
