"""Options of genotype inputs: what they leave out is said, and none is ignored without a word."""
import json
import pathlib

from program import answer, refuse as refuse_command, run

BED = bytes([0x6C, 0x1B, 0x01])
HEAD = ("##fileformat=VCFv4.2\n##contig=<ID=1>\n"
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n")


def cohort(prefix="c", samples=5, chromosomes=(1, 1, 1, 2), parents=()):
    """A small .bed/.bim/.fam; samples of `parents` name some."""
    rows = bytes([0b11100011, 0b00000010]) * len(chromosomes)
    pathlib.Path(f"{prefix}.bed").write_bytes(BED + rows)
    pathlib.Path(f"{prefix}.bim").write_text(
        "".join(f"{c}\trs{k}\t0\t{k + 1}\tA\tC\n" for k, c in enumerate(chromosomes)))
    pathlib.Path(f"{prefix}.fam").write_text(
        "".join(f"F{i} I{i} {'I9' if i in parents else 0} 0 0 -9\n" for i in range(samples)))


def vcf(name="c.vcf"):
    calls = "GT\t0/0\t0/1\t1/1\n"
    pathlib.Path(name).write_text(
        HEAD + "".join(f"1\t{k}\t.\t{alleles}\t{qual}\t{mark}\t.\t{calls}" for k, (alleles, qual, mark)
                       in enumerate([("A\tC", 9, "PASS"), ("AC\tA", 9, "low"), ("A\t.", 3, "."),
                                     ("A\tC,G", 9, "PASS")], 1)))


def refuse(*arguments, command="dist", status=2, says=()):
    refuse_command(command, *arguments, "-o", "out", status=status, says=says)


def sites(*arguments):
    return answer("dist", *arguments, "-o", "out")["sites"]


def options_of_another_input_are_refused():
    import numpy as np
    cohort()
    vcf()
    np.save("c.npy", np.array([[0, 1, 2], [2, 1, 0]], np.int8))
    of_vcf = [("--half-call", "missing"), ("--polyploid", "error"), ("--multiallelic", "skip"),
              ("--var-filter",), ("--var-min-qual", 1)]
    of_files = [("--chr", 1), ("--all-chr",), ("--chr-set", 22), ("--dog",), ("--region", 1),
                ("--snps-only",), ("--extract", "c.bim"), ("--exclude", "bed0", "c.bim")]
    of_families = [("--nonfounders", "--mac", 1), ("--keep-fam", "c.fam"), ("--remove-fam", "c.fam")]
    of_plink = [("--bim", "c.bim"), ("--fam", "c.fam")]
    of_plink2 = [("--pvar", "c.bim"), ("--psam", "c.fam")]
    for name, idle in (("c.bed", of_vcf + of_plink2 + [("--round",)]),
                       ("c.pgen", of_vcf[:2] + of_plink + [("--round",)]),
                       ("c.vcf", of_plink + of_plink2 + of_families + [("--round",)]),
                       ("c.npy", of_vcf + of_files + of_plink + of_plink2 + of_families),
                       ("simulate:10x10", of_vcf + of_files + of_plink + of_families + [("--round",)])):
        for option in idle:
            refuse(name, *option, says=[option[0], name])


def options_without_their_partner_are_refused():
    cohort()
    vcf()
    for options, says in ((("--seed", 1), ["--seed", "--thin"]),
                          (("--nonfounders",), ["--nonfounders", "--maf"]),
                          (("--checkpoint-interval", 5), ["--checkpoint-interval", "--checkpoint"]),
                          (("--pair-groups", 1), ["--pair-groups", "mpirun"]),
                          (("--bfile", "c"), ["--bfile"]),
                          (("--vcf", "c.vcf"), ["--vcf"]),
                          (("--dog", "--cow"), ["--dog", "--cow"]),
                          (("--chr", 1, "--all-chr"), ["--chr", "--all-chr"]),
                          (("--region", 1, "--all-chr"), ["--region", "--all-chr"])):
        refuse("c.bed", *options, says=says)
        refuse("c.bed", *options, says=says, command="fermat")
    refuse("--bfile", "c", "--vcf", "c.vcf", says=["--bfile", "--vcf"])


def outputs_that_contradict_each_other_are_refused():
    cohort()
    for option in (("--metric", "king"), ("--format", "npy"), ("--dtype", "int32"),
                   ("--pairs-below", 1), ("--pairs-above", 1)):
        refuse("c.bed", "--distance", "square", *option, says=[option[0], "--distance"])
    refuse("c.bed", "--format", "tsv,phylip", "--dtype", "float32", says=["--dtype", "--format"])
    refuse("c.bed", "--pairs-below", "nan", says=["--pairs-below", "nan"])
    refuse("c.bed", "--pairs-above", "nan", says=["--pairs-above", "nan"])
    refuse("c.bed", "--pairs-below", 0.2, "--pairs-above", 0.3, says=["--pairs-below", "no pair"])
    refuse("c.bed", "--var-min-qual", "nan", says=["--var-min-qual"])
    assert sites("c.bed", "--pairs-above", 0.2, "--pairs-below", 0.3) == 4


def fermat_options_without_effect_are_refused():
    cohort()
    run("dist", "c.bed", "--metric", "euclidean", "-o", "D")
    matrix = ("--from-distances", "D.dist.npy")
    for option in (("--maf", 0.1), ("--missing", "mode"), ("--chr", 1), ("--keep", "c.fam"),
                   ("--seed", 2), ("--checkpoint", "d"), ("c.bed",)):
        words = ["--from-distances"] + ([option[0]] if option[0].startswith("-") else [])
        refuse(*matrix, *option, command="fermat", says=words)
    for options, says in ((("--squared",), ["--squared", "--from-distances"]),
                          (("--label-column", 2), ["--label-column", "--labels"]),
                          (("--estimator", "mean"), ["--estimator", "--landmarks"]),
                          (("--no-prune", "--knn", 2), ["--no-prune", "--knn"]),
                          (("--dimensions", 3, "--matrix-only"), ["--dimensions", "--matrix-only"]),
                          (("--tree", "nj", "--matrix-only"), ["--tree", "drawn"]),
                          (("--no-prune", "--matrix-only"), ["--no-prune", "dense"])):
        refuse("c.bed", *options, command="fermat", says=says)


def words_that_are_no_choice_are_listed():
    cohort()
    for command, option, says in (("dist", "--missing", "pairwise, mode or error"),
                                  ("dist", "--dtype", "float64, float32, int32 or int64"),
                                  ("dist", "--format", "npy, tsv or phylip"),
                                  ("dist", "--polyploid", "error or missing"),
                                  ("dist", "--multiallelic", "skip, split or collapse"),
                                  ("dist", "--snps-only", "just-acgt"),
                                  ("fermat", "--linkage", "average, single or complete"),
                                  ("fermat", "--precision", "auto, int, float32 or float64"),
                                  ("fermat", "--estimator", "upper, lower or mean")):
        refuse("c.bed", option, "foo", command=command, says=[option, says, "'foo'"])
    refuse("--samples", 3, "--sites", 3, "--format", "foo", command="simulate",
           says=["--format", "bed, pgen, vcf or vcf.gz", "'foo'"])


def numbers_out_of_range_are_refused():
    cohort()
    for option, says in (("--maf", "0 to 0.5"), ("--geno", "0 to 1"), ("--mind", "0 to 1"),
                         ("--thin", "0 to 1")):
        for value in ("nan", "foo", "-0.1", "1.5"):
            refuse("c.bed", option, value, says=[option, says, f"'{value}'"])
    refuse("c.bed", "--checkpoint", "d", "--checkpoint-interval", "nan",
           says=["--checkpoint-interval", "'nan'"])


def distance_without_words_is_plinks_triangle():
    cohort()
    run("dist", "c.bed", "--distance", "-o", "bare")
    run("dist", "c.bed", "--distance", "triangle", "allele-ct", "-o", "said")
    assert pathlib.Path("bare.dist").read_text() == pathlib.Path("said.dist").read_text()


def lists_name_whom_they_do_not_find():
    cohort()
    pathlib.Path("empty").write_text("")
    refuse("c.bed", "--keep", "empty", status=3, says=["empty", "--keep"])
    pathlib.Path("nobody").write_text("x y\nz\n")
    refuse("c.bed", "--keep", "nobody", status=3, says=["nobody", "--keep"])
    pathlib.Path("list").write_text("F0 I0\nF1 I1\nx y\nz\n")
    for option, kept in (("--keep", 2), ("--remove", 3)):
        done = run("dist", "c.bed", option, "list", "-o", "out", "--json")
        assert json.loads(done.stdout)["samples"] == kept
        assert "names of no sample of the input are ignored: 2 of 4 lines, the first 'x y' in line 3" in done.stderr
    assert answer("dist", "c.bed", "--remove", "empty", "-o", "out")["samples"] == 5
    pathlib.Path("c.fam").write_bytes(pathlib.Path("c.fam").read_bytes().replace(b"I3", b"I\0"))
    refuse("c.bed", status=3, says=["c.fam:4", "NUL"])


def chromosomes_are_those_of_the_species():
    cohort(chromosomes=(0, 1, 22, 23, 24, 25, 26))
    assert sites("c.bed") == 4  # 0, 1, 22, 25
    assert sites("c.bed", "--chr", "1-22,25") == 3
    cohort(chromosomes=(1, 23, 24, 25, 26, 29, 38, 39, 41))
    done = run("dist", "c.bed", "-o", "out")
    assert "23, 24 and 26 are left out" in done.stderr and "--chr-set" in done.stderr, done.stderr
    assert sites("c.bed", "--dog") == sites("c.bed", "--chr-set", 38) == 8
    assert sites("c.bed", "--autosome-num", 38) == 8
    assert "--chr-set" not in run("dist", "c.bed", "--dog", "-o", "out").stderr
    refuse("c.bed", "--chr-set", -12, says=["--chr-set"])
    for region, count in (("chr1", 1), ("1:1-9", 1), ("23", 1), ("38:7-", 1), ("38:8-", 0)):
        if count:
            assert sites("c.bed", "--region", region) == count, region
        else:
            refuse("c.bed", "--region", region, status=3, says=["no site left"])
    refuse("c.bed", "--region", "chr7", status=3, says=["c.bim", "chr7"])
    refuse("c.bed", "--region", "1:9-3", says=["--region", "1:9-3"])
    # The list read as all that the file has, though it ended after the fifth.
    refuse("c.bed", "--region", "chr7", status=3, says=["the file has 1, 23, 24, 25, 26, ..."])
    cohort(chromosomes=(1, 2))
    refuse("c.bed", "--region", "chr7", status=3, says=["the file has 1, 2"])


def all_chromosomes_were_advised_where_none_was_left_out():
    cohort()
    for option in ("--all-chr", ("--chr", 1)):
        option = (option,) if isinstance(option, str) else option
        done = run("dist", "c.bed", "--thin", 0, *option, "-o", "out", status=3)
        assert "takes every chromosome" not in done.stderr, done.stderr
    pathlib.Path("none.vcf").write_text(HEAD)
    done = run("dist", "none.vcf", "-o", "out", status=3)
    assert "got 0" in done.stderr and "loosen" not in done.stderr, done.stderr


def the_option_that_a_note_named_was_said_to_have_no_effect():
    families = "simulate:20x300,family-size=4,populations=2"
    done = run("dist", families, "--maf", 0.2, "-o", "out", "--json")
    assert "--nonfounders counts all" in done.stderr, done.stderr
    all_counted = run("dist", families, "--maf", 0.2, "--nonfounders", "-o", "out", "--json")
    assert "founders" not in all_counted.stderr
    run("simulate", "--samples", 20, "--sites", 300, "--family-size", 4, "--populations", 2, "-o", "f")
    assert json.loads(all_counted.stdout)["sites"] == sites("f.bed", "--maf", 0.2, "--nonfounders") != \
        json.loads(done.stdout)["sites"] == sites("f.bed", "--maf", 0.2)
    for alone in ("simulate:20x300", "simulate:20x300,family-size=1"):
        refuse(alone, "--maf", 0.2, "--nonfounders", says=["--nonfounders has no effect", "all samples are founders"])


def a_fraction_was_refused_as_an_integer_after_all_was_counted():
    cohort()
    refuse("c.bed", "--metric", "normalized", "--dtype", "int32", says=["--dtype", "--metric normalized, whose values"])
    run("dist", "simulate:9x90", "--metric", "normalized", "--dtype", "float32", "-o", "out")


def populations_without_a_sample_were_counted():
    said = run("simulate", "--samples", 10, "--sites", 4, "--populations", 11, "-o", "s").stdout
    assert said.startswith("simulated 10 samples x 4 sites in 10 populations\n"), said
    assert answer("simulate", "--samples", 10, "--sites", 4, "--populations", 11, "-o", "s")["populations"] == 10
    assert len(set(line.split("\t")[1] for line in pathlib.Path(
        "s.labels.tsv").read_text().splitlines()[1:])) == 10


def founders_alone_count_for_maf():
    cohort(samples=5, parents=(2, 4))
    done = run("dist", "c.bed", "--maf", 0.1, "-o", "out")
    assert "--maf counts founders alone, 3 of 5 samples" in done.stderr, done.stderr
    assert "founders" not in run("dist", "c.bed", "--maf", 0.1, "--nonfounders", "-o", "out").stderr
    assert "founders" not in run("dist", "c.bed", "-o", "out").stderr


def vcf_sites_follow_the_options():
    vcf()
    done = run("dist", "c.vcf", "-o", "out", "--json")
    assert json.loads(done.stdout)["sites"] == 3 and "--multiallelic" in done.stderr, done.stderr
    for options, count in ((("--multiallelic", "split"), 5), (("--multiallelic", "collapse"), 4),
                           (("--snps-only",), 2), (("--var-filter",), 2),
                           (("--var-filter", "low"), 3), (("--var-min-qual", 5), 2),
                           (("--region", "chr1:2-3"), 2)):
        assert sites("c.vcf", *options) == count, options


def labels_that_are_missing_are_no_population():
    run("simulate", "--samples", 60, "--sites", 500, "-o", "s")
    lines = pathlib.Path("s.labels.tsv").read_text().splitlines()
    head, rows = lines[0], [line.split("\t") for line in lines[1:]]
    without = [row for i, row in enumerate(rows) if i % 4]
    codes = ["NA", ".", "-", "-9", "unknown", "nan"]
    marked = [row if i % 4 else [row[0], codes[i // 4 % 6]] for i, row in enumerate(rows)]
    answers = []
    for name, table in (("without", without), ("marked", marked)):
        pathlib.Path(name).write_text(
            "\n".join([head] + ["\t".join(row) for row in table]) + "\n")
        done = run("fermat", "s.bed", "--labels", name, "-o", "out", "--json")
        answers.append(json.loads(done.stdout)["matrices"])
    assert "15 samples without label, where it is missing" in done.stderr, done.stderr
    assert answers[0] == answers[1] and answers[0][0]["classes"] == 3, answers
    pathlib.Path("fid").write_text(
        "FID\tIID\tPOP\n" + "".join(f"s1\t{row[0]}\t{row[1]}\n" for row in rows))
    done = run("fermat", "s.bed", "--labels", "fid", "-o", "out", "--json")
    assert json.loads(done.stdout)["matrices"][0]["labelled"] == 60, done.stderr
    pathlib.Path("wide").write_text("".join(f"{row[0]}\t{row[1]}\tx\n" for row in rows))
    refuse("s.bed", "--labels", "wide", command="fermat", says=["wide", "--label-column", "2, 3"])
