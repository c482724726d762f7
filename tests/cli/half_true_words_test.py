"""Sentences that were true of most inputs, and options that left no trace of some in silence."""
import os
import pathlib
import pty
import re
import subprocess

from program import PROGRAM, answer, helper, notes, put, refuse, run


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


def a_site_without_a_call_was_a_number_alone():
    """The third site that is read, of the second chromosome: names are those of each file."""
    fixed = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tann\tbo\n"
    sites = [("chr1", 10, "rs1", "0/1\t0/0"), ("chr2", 20, ".", "0/0\t1/1"), ("chr2", 30, "rs3", "0/1\t./.")]
    put("c.vcf", fixed + "".join(f"{c}\t{p}\t{n}\tA\tC\t.\t.\t.\tGT\t{calls}\n" for c, p, n, calls in sites))
    for ending in ("bed", "pgen", "vcf.gz"):
        run("filter", "c.vcf", "-o", f"c.{ending}")
    for name in ("c.vcf", "c.bed", "c.pgen", "c.vcf.gz"):
        for command in ("dist", "grm", "pca", "fermat"):
            refuse(command, name, "--missing", "error", "-o", "r",
                   says=f"{name}: sample 'bo' has no call at site chr2:30 (rs3), number 3 of those read")
    put("n.vcf", pathlib.Path("c.vcf").read_text().replace("rs3", "."))
    refuse("dist", "n.vcf", "--missing", "error", "-o", "r", says="at site chr2:30, number 3")


def names_of_commands_after_help_were_unknown():
    assert run("help").stdout == run("--help").stdout
    assert run("help", "dist").stdout == run("dist", "--help").stdout
    assert run("help", "som", "fit").stdout == run("som", "fit", "--help").stdout
    refuse("help", "umap", status=2, says=["help: unknown command 'umap'", "'yupana --help'"])
    refuse("help", "som", "umap", status=2, says=["unknown command 'umap'", "'yupana som --help'"])


def an_unknown_command_had_the_help_of_all():
    for words in (("umap", "--help"), ("--help", "umap"), ("umap", "--version"), ("som", "umap", "--help")):
        refuse(*words, status=2, says="unknown command 'umap'")


def truths_were_numbers_to_some_commands_alone():
    """What NumPy calls bool is 0 and 1 to every command that reads numbers; as distances it may be who is joined."""
    np = __import__("numpy")
    for name, values in (("x", [1, 0, 1, 1]), ("points", [[1, 0], [0, 1], [1, 1]])):
        np.save(f"{name}_bool.npy", np.array(values, bool))
        np.save(f"{name}_int.npy", np.array(values))
    for words in (("reduce", "x"), ("closest", "points")):
        said = [run(words[0], f"{words[1]}_{kind}.npy").stdout for kind in ("bool", "int")]
        assert said[0] == said[1], said
    for kind in ("bool", "int"):
        run("fft", f"x_{kind}.npy", "-o", f"{kind}.npy")
    assert pathlib.Path("bool.npy").read_bytes() == pathlib.Path("int.npy").read_bytes()
    np.save("joined.npy", np.array([[0, 1], [1, 0]], bool))
    refuse("nj", "joined.npy", says=["NumPy type b1", "convert them with astype"])


def clusters_without_silhouettes_were_not_counted():
    put("t.csv", "a,b\n" + "".join(f"{i % 5},{i % 7}\n" for i in range(60)))
    run("som", "fit", "t.csv", "--rows", 3, "--cols", 3, "-o", "m")
    for clusters, said in ((3, "3 clusters of neurons\n"), (1, "1 cluster of neurons\n")):
        for command in (("report", "m.json"), ("report", "m.json", "t.csv"), ("fit", "t.csv", "--rows", 3, "--cols", 3)):
            assert said in run("som", *command, "--clusters", clusters, "-o", "n").stdout, (clusters, command)
    assert "of neurons" not in run("som", "report", "m.json", "--clusters", "none", "-o", "n").stdout
    assert answer("som", "report", "m.json", "--clusters", 3, "-o", "n")["clusters"] == 3


def help_of_apply_spoke_of_true_labels():
    for family in ("tree", "forest"):
        said = " ".join(run(family, "apply", "--help").stdout.split())
        assert "true labels" not in said and "--label TEXT a column of labels, which is no feature" in said
        assert "the column of true labels" in " ".join(run(family, "predict", "--help").stdout.split())


def gaps_without_cost_left_targets_unaligned_in_silence():
    put("g.fa", ">c\n" + "ACGTTGCAAC" * 60 + "\n")
    put("t.fa", ">t\n" + "ACGTTGCAAC" * 6 + "\n")
    align = ("splice", "--genome", "g.fa", "--target", "t.fa", "--exons", "auto", "-o", "o")
    said = [line for line in notes(*align, "--gap-open", 0, "--gap-extend", 0) if "gaps that cost nothing" in line]
    assert len(said) == 1 and "may be unaligned for that alone" in said[0], said
    for costs in (("--gap-open", 0), ()):
        assert not any("cost nothing" in line for line in notes(*align, *costs)), costs


def a_packed_table_was_text_without_a_header():
    """Of Zstandard, which lists of variants and columns of numbers were read of."""
    put("t.csv", "a,b,y\n" + "".join(f"{i % 7},{i % 5},{'pq'[i % 2]}\n" for i in range(60)))
    run("tree", "fit", "t.csv", "--label", "y", "-o", "plain")
    pathlib.Path("t.csv.zst").write_bytes(stored_frame(pathlib.Path("t.csv").read_bytes()))
    run("tree", "fit", "t.csv.zst", "--label", "y", "-o", "packed")
    assert pathlib.Path("packed.json").read_bytes() == pathlib.Path("plain.json").read_bytes()
    pathlib.Path("cut.zst").write_bytes(pathlib.Path("t.csv.zst").read_bytes()[:-5])
    refuse("tree", "fit", "cut.zst", "--label", "y", "-o", "m", says="cut.zst: ")


@helper
def stored_frame(content):
    """A frame of Zstandard (RFC 8878) of one block that is stored as it is."""
    assert len(content) < 1 << 16
    head = b"\x28\xb5\x2f\xfd" + b"\x60" + (len(content) - 256).to_bytes(2, "little")
    return head + (len(content) << 3 | 1).to_bytes(3, "little") + content


def rows_out_of_bag_that_are_none_were_not_mentioned():
    put("t.csv", "a,y\n1,p\n")
    said = "note: --oob: every row is in every tree, so that none is held out to measure by"
    assert said in notes("forest", "fit", "t.csv", "--label", "y", "--trees", 3, "--oob", "-o", "m")


def a_name_commanded_the_terminal():
    """Errors and notes were escaped, results were not: a class could clear the screen."""
    put("t.csv", "a,y\n1,p\x1b[2Jq\n2,r\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    assert "p\x1b[2Jq" in run("tree", "show", "m.json").stdout  # to a pipe, the bytes
    ours, terminal = pty.openpty()
    subprocess.run([PROGRAM, "tree", "show", "m.json"], stdout=terminal, check=True)
    os.close(terminal)
    said = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "\x1b" not in said and "p\\x1b[2Jq" in said and len(said.splitlines()) == 3, said


def a_fam_that_lacked_a_line_was_taken_in_silence():
    """Up to three lines are as many bytes a site: the first one missing gives every sample the next one's calls."""
    run("simulate", "--samples", 8, "--sites", 40, "-o", "c")
    assert not any(".fam" in line for line in notes("dist", "c.bed", "-o", "r"))
    people = pathlib.Path("c.fam").read_text().splitlines(keepends=True)
    for lines in (people[1:], people[3:]):
        put("c.fam", "".join(lines))
        told = [line for line in notes("dist", "c.bed", "-o", "r") if "are lines of it missing?" in line]
        assert told == [f"note: c.bed: has calls, or rubbish, of more than the {len(lines)} samples of its .fam; are lines "
                        "of it missing? They would give samples the calls of others"], told


def rounding_was_advised_where_it_is_refused():
    import numpy as np
    for value, options, says in ((0.4, (), "got 0.4; --round takes the nearest genotype"), (2.5, (), "got 2.5; write"),
                                 (3, (), "got 3; write missing calls as -1"), (9.0, ("--round",), "got 9; write"),
                                 (np.inf, ("--round",), "got inf; write")):
        np.save("x.npy", np.array([[0, 1, 2], [2, value, 0]]))
        assert "--round" not in refuse("dist", "x.npy", *options, "-o", "o", says=says).stderr or value == 0.4
    np.save("x.npy", np.array([[0, 1, 2], [2, 255, 0]], np.uint8))
    refuse("dist", "x.npy", "-o", "o", says="got 255; write missing calls as -1")


def rounding_of_integers_was_taken_in_silence():
    import numpy as np
    for kind in (np.int8, np.uint16, np.int64, bool):
        np.save("x.npy", np.array([[0, 1, 1], [1, 0, 1]], kind))
        refuse("dist", "x.npy", "--round", "-o", "o", status=2, says="--round has no effect on 'x.npy', which holds whole numbers")


def the_power_of_two_individuals_was_scaled_in_silence():
    run("simulate", "--samples", 2, "--sites", 1000, "-o", "two")
    told = run("fermat", "two.bed", "--alpha", 300, "-o", "o").stdout
    assert "Notice: At α = 300 lengths of d^300 would leave the range of float64: a length is a sum of (d / 32)^300." in told, told


def an_alpha_that_changes_half_of_one_edge_was_advised():
    for samples in (1, 2):
        run("simulate", "--samples", samples, "--sites", 100, "-o", "few")
        told = run("fermat", "few.bed", "--alpha", 3, "--root", "-o", "o").stdout
        assert "--alpha auto" not in told and "its own shortest path" not in told and "(--root)" in told, told


def similarities_of_one_sample_were_said_to_be_distances():
    run("simulate", "--samples", 1, "--sites", 100, "-o", "one")
    for metric, word in (("king", "kinship"), ("ibs", "identity by state"), ("1-ibs", "distance")):
        told = notes("dist", "one.bed", "--metric", metric, "-o", metric)
        assert told == [f"note: one sample: its {word} to itself is all there is"], told
    assert "there is 1 individual, so" in notes("fermat", "one.bed", "--landmarks", 3, "-o", "o")[0]


def one_sample_was_advised_to_have_no_parents():
    run("simulate", "--samples", 1, "--sites", 100, "-o", "one")
    told = refuse("filter", "one.bed", "--indep-pairwise", 50, 5, 0.2, "-o", "o.bed",
                  says="--indep-pairwise: expected at least 2 samples, got 1; keep more").stderr
    assert "parents" not in told, told


def five_rows_were_expected_and_five_had_come():
    import numpy as np
    put("L.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 5\n" + "".join(f"{i} {i} 1\n" for i in range(1, 6)))
    np.save("b.npy", np.zeros((5, 0)))
    refuse("trisolve", "L.mtx", "b.npy", "-o", "x.npy", says="expected 5 rows of at least one number, one for each of the matrix, got 5 rows of 0")
