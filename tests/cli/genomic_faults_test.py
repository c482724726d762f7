"""Genomic commands: values that were taken without effect, answers that named something else."""
import pathlib
import re

from program import answer, helper, refuse, run

COHORT = "simulate:12x400"


def write(path, text):
    pathlib.Path(path).write_text(text)
    return path


def empty_words_crashed_or_wrote_no_matrix():
    for command, option, expected in (("dist", "--format", "npy, tsv or phylip, got ''"),
                                      ("grm", "--format", "gcta or npy, got ''"),
                                      ("dist", "--king-cutoff", "a kinship"), ("dist", "--hwe", "a number"),
                                      ("dist", "--indep-pairwise", "WINDOW"), ("dist", "--extract", "a file, got ''"),
                                      ("dist", "--exclude", "a file, got ''")):
        refuse(command, COHORT, option, "", "-o", "o", status=2, says=[f"{option}: expected", expected])


def json_named_the_metric_that_was_not_written():
    for options, metric in (([], "sqeuclidean"), (["--metric", "king"], "king"), (["--make-king-table"], "king"),
                            (["--distance", "square"], "manhattan"), (["--distance", "ibs"], "ibs"),
                            (["--distance", "square", "ibs", "1-ibs"], ["ibs", "1-ibs"])):
        told = answer("dist", COHORT, *options, "-o", "o")["metric"]
        assert told == metric, (options, told)


def alpha_auto_broke_its_promise_without_a_word():
    said = run("fermat", "simulate:10x20000,populations=1", "--alpha", "auto", "-o", "o").stdout
    assert "At α = 64 " in said and "no α up to 64 changes half of the edges" in said, said


@helper
def cohort():
    run("simulate", "--samples", 8, "--sites", 60, "-o", "c")


def families_and_files_that_name_nobody_were_ignored_in_silence():
    cohort()
    family = pathlib.Path("c.fam").read_text().split()[0]
    known, both, empty = write("k", f"{family}\n"), write("b", f"{family}\nzz\n"), write("e", "\n")
    for option in ("--keep-fam", "--remove-fam"):
        assert "families" not in run("dist", "c.bed", option, known, "-o", "o").stderr
        said = run("dist", "c.bed", option, both, "-o", "o").stderr
        assert "families of no sample of the input are ignored: 1 of 2, one is 'zz'" in said, said
    said = run("dist", "c.bed", "--remove", empty, "-o", "o").stderr
    assert "e: --remove: the file names no sample" in said, said


def names_of_no_variant_and_no_contig_were_ignored_in_silence():
    run("simulate", "--samples", 8, "--sites", 440, "-o", "c")
    run("filter", "c.bed", "-o", "v.vcf")
    names = [line.split()[1] for line in pathlib.Path("c.bim").read_text().splitlines()]
    known, mixed = write("k", "\n".join(names)), write("m", "\n".join([*names[:5], "nosuch"]))
    for path in ("c.bed", "v.vcf"):
        for option in ("--extract", "--exclude"):
            said = run("dist", path, option, mixed, "-o", "o").stderr
            assert f"{option}: names of no variant" in said and "1 of 6, one is 'nosuch'" in said, (path, said)
        assert run("dist", path, "--extract", known, "--exclude", write("x", names[0]), "-o", "o").stderr == ""
        assert "--chr: the input has no contig 'foo'" in run("dist", path, "--chr", "1,foo", "-o", "o").stderr
        assert run("dist", path, "--chr", "1,2", "-o", "o").stderr == ""


def a_npy_had_positions():
    run("filter", "simulate:8x60", "-o", "f.npy")
    for words in (("50kb", 1, 0.2), (50, "kb", 0.2)):
        refuse("dist", "f.npy", "--indep-pairwise", *words, "-o", "o", status=2,
               says=["--indep-pairwise", ".npy holds no positions"])
    run("dist", "f.npy", "--indep-pairwise", 50, 5, 0.2, "-o", "o")
    refuse("dist", "f.npy", "--tree", "nj", "--bootstrap", 5, "-o", "p", status=2, says=["--block 500", "no positions"])
    run("dist", "f.npy", "--tree", "nj", "--bootstrap", 5, "--block", 10, "-o", "o")


def sites_outside_from_bp_were_called_outside_region():
    run("simulate", "--samples", 8, "--sites", 440, "-o", "c")
    run("filter", "c.bed", "-o", "v.vcf")
    for path in ("c.bed", "v.vcf"):
        for options, reason in ((("--from-bp", 3), "before --from-bp"), (("--to-bp", 9), "after --to-bp"),
                                (("--from-bp", 3, "--to-bp", 9), "outside --from-bp, --to-bp")):
            account = answer("dist", path, "--chr", 1, *options, "-o", "o")["account"]
            assert account["sites_skipped"].get(reason, 0) > 0, (path, options, account)
            assert "outside --region" not in account["sites_skipped"], account
    refuse("dist", "c.bed", "--chr", "foo", "--from-bp", 3, "-o", "p", says=["--chr: no contig 'foo'"])


def the_plan_of_a_table_of_kinships_wrote_nothing():
    for path in ("simulate:300x2000", "c.bed"):
        run("simulate", "--samples", 300, "--sites", 2000, "-o", "c")
        plan = answer("dist", path, "--make-king-table", "--plan")
        run("dist", path, "--make-king-table", "-o", "o")
        size = pathlib.Path("o.kin0").stat().st_size
        assert plan["output_may_grow"] and 0.4 * size < plan["output"] < size, (plan["output"], size)


def plans_notes_and_help_said_what_was_not_so():
    cohort()
    run("filter", "c.bed", "-o", "v.vcf")
    assert "sites        unknown\n" in run("dist", "v.vcf", "--plan").stdout
    head = "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n" \
           "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
    write("n.vcf", head + "1\t-5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n")
    refuse("dist", "n.vcf", "-o", "o", says="POS: expected a whole number from 0 on")
    write("m.vcf", head + "1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t./.\n")
    for options, word in ((["--make-king-table"], "its kinship is nan"), ([], "its distance is nan")):
        assert word in run("dist", "m.vcf", *options, "-o", "o").stderr, word
    assert "9223372036854775807" not in run("sort", "--help").stdout
    assert "--no-prune{" not in run("fermat", "--help").stdout
    pathlib.Path("c.bed").rename("c.BED")
    run("dist", "--bed", "c.BED", "-o", "o")


def scores_that_differ_were_called_the_same():
    run("simulate", "--samples", 60, "--sites", 3000, "--populations", 3, "--missing", 0.01, "-o", "c")
    seen = set()
    for alpha in ("auto", 2):
        said = run("fermat", "c.bed", "--labels", "c.labels.tsv", "--alpha", alpha, "-o", "run").stdout
        scores = dict(re.findall(r"^(distance d|Fermat F\^\S+) +(\S+)", said, re.M))
        plain, fermat = (scores[name] for name in sorted(scores, key=lambda name: name[0] == "F"))
        sentence = said.split("On the scale of the distances")[1].split("silhouette ")[1].split(",")[0]
        # Scores that differ by less than is printed are one number for both.
        same = sentence.startswith("is the same") or sentence == f"is {plain} for both"
        assert same == (plain == fermat), (sentence, scores)
        assert same or sentence == f"changes by less than 0.01 ({plain} to {fermat})", sentence
        seen.add(same)
    assert seen == {True, False}, "both sentences are tried"
