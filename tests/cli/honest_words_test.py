"""Messages that did not say what was got, named what would not do, or ended with another status."""
import bz2
import pathlib
import re
import resource
import subprocess

from program import PROGRAM, answer, files, put, refuse, run


def faults_of_a_vcf_did_not_quote_what_they_found():
    run("simulate", "--samples", 3, "--sites", 5, "--format", "vcf", "-o", "c")
    lines = pathlib.Path("c.vcf").read_text().splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith("#CHROM")) + 1
    for column, text, says in ((1, "abc", "POS: expected a whole number"), (1, "9" * 19, "18 digits at most"), (1, "-1", "POS"),
                               (3, "A,C", "REF has several alleles"), (4, "A,", "ALT has an empty allele"),
                               (2, "rs 1", "has a space"), (5, "high", "QUAL: expected a number or '.'")):
        cells = lines[number].split("\t")
        cells[column] = text
        put("bad.vcf", "\n".join(lines[:number] + ["\t".join(cells)]) + "\n")
        options = ("--var-min-qual", 1) if column == 5 else ()
        refuse("dist", "bad.vcf", "-o", "x", *options, says=[f"bad.vcf:{number + 1}: ", says, f", got '{text}'"])


def options_that_contradict_were_found_in_the_data():
    run("simulate", "--samples", 9, "--sites", 50, "-o", "c")
    put("g.fa", ">g\n" + "ACGTTGCA" * 60 + "\n")
    for command in ("dist", "fermat", "grm", "pca", "filter"):
        for cohort in ("c.bed", "missing.bed"):
            refuse(command, cohort, "--maf", 0.3, "--max-maf", 0.2, "-o", "x.bed", status=2,
                   says=["--maf 0.3", "--max-maf 0.2", "exchange them"])
    run("filter", "c.bed", "--maf", 0.1, "--max-maf", 0.5, "-o", "same.bed")
    spliced = ("splice", "--genome", "g.fa", "--target", "g.fa", "-o", "x")
    refuse(*spliced, "--min-intron", 500, "--max-intron", 100, status=2, says=["--min-intron 500", "--max-intron 100"])
    refuse(*spliced, "--max-intron", 10, status=2, says="--min-intron 20")
    refuse(*spliced, "--min-exon", 50, "--max-exon", 20, status=2, says="--min-exon <= --max-exon")


def follow(*arguments, memory="1k"):
    """Runs a command with too little memory, then with the one figure that the refusal names."""
    told = run(*arguments, "--memory", memory, status=4).stderr.splitlines()[-1]
    figure = re.search(r"([\d.]+[kMG]) will do", told)
    assert figure, told
    run(*arguments, "--memory", figure[1])


def a_tree_was_refused_for_its_table_and_then_for_its_growth():
    put("t.csv", "a,b,city,fold,y\n" + "".join(
        f"{i * 7919 % 1009},{i * 31 % 97},{'abcdefgh'[i % 8]},{i % 4},{'pqr'[i * 5 % 7 % 3]}\n" for i in range(3000)))
    fit = ("fit", "t.csv", "--label", "y", "-o", "m")
    numbers = ("--ignore", "city")
    for options in (numbers, (*numbers, "--report"), (*numbers, "--cv", 3), (*numbers, "--cv-column", "fold"),
                    (*numbers, "--float32"), ("--categorical", "city"),
                    ("--categorical", "city", "--categories", "native")):
        follow("tree", *fit, *options)
    for options in (("--oob",), ("--partition",)):
        follow("forest", *fit, *numbers, "--trees", 4, *options)


def a_model_was_refused_for_its_text_before_its_trees():
    put("t.csv", "a,b,y\n" + "".join(f"{i * 7919 % 1009},{i * 31 % 97},{'pqr'[i * 5 % 7 % 3]}\n" for i in range(3000)))
    run("tree", "fit", "t.csv", "--label", "y", "--binary", "-o", "m")
    run("forest", "fit", "t.csv", "--label", "y", "--trees", 5, "--binary", "-o", "f")
    for model in ("m.json", "m.model", "f.json", "f.model"):
        told = run("tree", "show", model, "--memory", "1k", status=4).stderr
        figure = re.search(r"give --memory ([\d.]+[kM])", told)
        run("tree", "show", model, "--memory", figure[1])


def queries_were_not_counted_with_the_points():
    put("p.csv", "".join(f"{i * 7919 % 1009},{i * 31 % 97}\n" for i in range(2000)))
    alone, both = [re.search(r"need ([\d.]+) kB", run("closest", "p.csv", "--queries", "p.csv", "--memory", memory,
                                                     status=4).stderr)[1] for memory in ("1k", "100k")]
    assert alone == both == "168", (alone, both)  # both to search


def the_last_rows_and_blocks_of_a_stage_were_not_counted():
    def work(stage, *arguments):
        return [own["work"] for own in answer(*arguments)["stages"] if own["stage"] == stage]
    put("r.csv", "".join(f"{i * 7919 % 1009},{i}\n" for i in range(70_000)))
    assert work("sort", "sort", "r.csv", "--key", "1:n", "-o", "s.csv") == [70_000]
    run("simulate", "--samples", 70, "--sites", 300, "--missing", 0.01, "-o", "c")
    for device in ("cpu", "reference"):
        assert work("pair counts", "dist", "c.bed", "--device", device, "-o", "d") == [70 * 69 / 2 * 300], device
        (found,) = work("relationships", "grm", "c.bed", "--device", device, "-o", "g")
        assert abs(found - 70 * 71 / 2 * 300) < 1, found
    put("l.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 1\n2 2 1\n")
    assert work("read matrix", "trisolve", "l.mtx") == [3]
    for n in (60, 200, 333):  # n^3 / 2 sums
        assert work("shortest paths", "fermat", f"simulate:{n}x100", "--matrix-only", "-o", "f") == [n**3 / 2], n


def a_cohort_without_samples_or_differences_was_not_named():
    run("simulate", "--samples", 5, "--sites", 50, "-o", "c")
    put("k", "s1\n")
    refuse("dist", "c.bed", "--keep", "k", "--remove", "k", "-o", "o", says="c.bed: no sample left of 5 read")
    for options in ((), ("--approx",)):
        refuse("pca", "c.bed", "--keep", "k", *options, "-o", "o", says="c.bed: pca: expected individuals that differ")
    put("e.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n")
    refuse("dist", "e.vcf", "-o", "o", says=["e.vcf: expected at least one site, got 0", "--region, --from-bp and --to-bp"])


def pairs_without_sites_and_samples_without_alleles_were_refused_without_their_file():
    import numpy as np
    np.save("m.npy", np.array([[0, -1, 1], [-1, 2, -1]], np.int8))
    pair = "m.npy: 1 pair of samples without a called site in common"
    for command in (("pca",), ("fermat",), ("dist", "--tree", "nj")):
        refuse(*command, "m.npy", "-o", "o", says=pair)
    np.save("n.npy", np.array([[0, 0, 0], [1, 2, 1]], np.int8))
    refuse("dist", "n.npy", "--metric", "normalized", "-o", "o", says="n.npy: normalized: sample 1 has genotype 0")


def one_of_several_things_was_counted_as_many():
    put("x.txt", "1e308\n1e308\n")
    said = run("fft", "x.txt", "--real", "-o", "y.txt").stderr
    assert "1 of 4 real numbers is inf or nan" in said, said
    columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts"
    put("v.vcf", f"##fileformat=VCFv4.2\n{columns}\n1\t1\t.\tA\tC\t.\t.\t.\tGT\n")
    refuse("dist", "v.vcf", "-o", "o", says="expected 10 columns, 9 and one for each of 1 sample, got 9")


def a_table_that_cannot_be_learnt_was_not_named():
    put("my w.csv", "x,w,class\n1,0,a\n3,0,b\n")
    fit = ("tree", "fit", "my w.csv", "--label", "class")
    refuse(*fit, "--weight", "w", "-o", "m", says="yupana: my w.csv: every weight is 0")
    refuse(*fit, "--cv", 3, "-o", "m", says="yupana: my w.csv: 2 rows are fewer than 3 folds")
    refuse(*fit, "--class-weight", "c=2", "-o", "m", says="yupana: --class-weight c: no row has that class")
    put("my w.csv", "x,y\n1,1e308\n2,-1e308\n3,1e308\n")
    refuse("tree", "fit", "my w.csv", "--label", "y", "--regression", "-o", "m", says="yupana: my w.csv: the squares of the")
    refuse("tree", "fit", "my w.csv", "--label", "z", "-o", "m", says="yupana: my w.csv: label column 'z' is not there")


def positions_that_plink_refuses_were_written_for_it():
    run("simulate", "--samples", 3, "--sites", 5, "--format", "vcf", "-o", "c")
    text = pathlib.Path("c.vcf").read_text()
    for position, fits in ((2**31 - 2, True), (2**31 - 1, False), (3 * 10**9, False)):
        put("far.vcf", re.sub(r"\t\d+\tsnp5\t", f"\t{position}\tsnp5\t", text))
        assert f"\t{position}\t" in pathlib.Path("far.vcf").read_text()
        for name in ("far.bed", "far.pgen"):
            if fits:
                run("filter", "far.vcf", "-o", name)
            else:
                refuse("filter", "far.vcf", "-o", name, says=[f"position {position}", "site snp5", "--exclude"])
        for name in files():
            if name.startswith("far.") and name != "far.vcf":
                pathlib.Path(name).unlink()
        run("filter", "far.vcf", "-o", "kept.vcf")
        run("filter", "far.vcf", "-o", "kept.npy")
        assert f"\t{position}\tsnp5\t" in pathlib.Path("kept.vcf").read_text()


def a_file_of_a_run_did_not_stand_for_the_run():
    run("fermat", "simulate:12x100", "-o", "one")
    run("fermat", "simulate:12x100", "--alpha", "2,3", "-o", "two")
    whole = run("path", "one", "s1", "s2").stdout
    for name in ("one.json", "one.fermat.npy", "one.dist.npy", "one.ids", "one.html"):
        assert run("path", name, "s1", "s2").stdout == whole, name
    of_three = run("path", "two", "s1", "s2", "--alpha", 3).stdout
    assert run("path", "two.alpha3.fermat.npy", "s1", "s2").stdout == of_three
    assert answer("path", "two.alpha3.fermat.npy", "s1", "s2", "--alpha", 3)["alpha"] == 3
    refuse("path", "two.alpha3.fermat.npy", "s1", "s2", "--alpha", 2, status=2, says=["--alpha 2", "the prefix two"])
    refuse("path", "none.fermat.npy", "s1", "s2", says="none.json: not found")


def short_options_were_taken_for_others():
    for word, meant in (("--hlep", "--help"), ("--metrc", "--metric"), ("--chr-se", "--chr-set"), ("--from", "--from-bp"),
                        ("--comp", None), ("--cov", None), ("--fad", None)):
        line = refuse("dist", "simulate:9x9", word, 3, "-o", "x", status=2, says=f"unknown option '{word}'").stderr
        assert (f"did you mean '{meant}'?" in line) if meant else "did you mean" not in line, line
    refuse("dist", "simulate:9x9", "--king", "-o", "x", status=2,
           says="did you mean '--king-cutoff' or '--king-table-filter' or '--king-table-ibd'?")


def a_limit_on_processor_time_left_half_of_the_files():
    done = subprocess.run([PROGRAM, "simulate", "--samples", "5000", "--sites", "10M", "-o", "c"], capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 60)))
    assert (done.returncode, done.stderr, files()) == (130, "yupana: interrupted; no output file was written\n", [])


def a_pipe_was_called_a_dash_that_bcftools_should_index():
    run("simulate", "--samples", 3, "--sites", 100, "--format", "vcf", "-o", "c")
    text = pathlib.Path("c.vcf").read_text()
    packed = subprocess.run([PROGRAM, "dist", "-", "-o", "x"], input=bz2.compress(text.encode()), capture_output=True)
    assert packed.returncode == 3 and b"yupana: standard input: not VCF or BCF" in packed.stderr, packed.stderr
    assert "index" not in run("dist", "-", "--region", "1", "-o", "x", input=text).stderr
    assert "'bcftools index' makes one" in run("dist", "c.vcf", "--region", "1", "-o", "x").stderr


def contigs_of_a_header_were_called_those_of_the_file():
    run("simulate", "--samples", 3, "--sites", 5, "--format", "vcf", "-o", "c")
    put("x.vcf", re.sub(r"^\d+\t", "chrX\t", pathlib.Path("c.vcf").read_text(), flags=re.M))
    refuse("dist", "x.vcf", "--region", "X", "-o", "x", says="no contig 'X'; the header names 1, 2")


def compressed_text_of_plink_was_denied():
    run("simulate", "--samples", 3, "--sites", 5, "--format", "vcf", "-o", "c")
    put("c.vcf.bz2", bz2.compress(pathlib.Path("c.vcf").read_bytes()))
    refuse("dist", "c.vcf.bz2", "-o", "x", says=["VCF (by gzip or bgzip)", ".ped and .tped (by gzip or Zstandard)"])


def what_to_do_about_points_and_matrices_was_left_out():
    import numpy as np
    np.save("one.npy", np.zeros((3, 1)))
    np.save("two.npy", np.ones((3, 2)))
    put("two.csv", "x,y\n1,2\n3,4\n")
    refuse("closest", "one.npy", "--queries", "two.npy", says="two.npy: queries: expected 1 coordinate, as the points have, got 2")
    refuse("closest", "two.csv", "--columns", "x,y", "--queries", "two.npy", status=2,
           says="--columns: two.npy is a .npy, which is taken whole; save the chosen columns")
    put("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n")
    refuse("trisolve", "a.mtx", says="a.mtx:1: expected the format coordinate, got 'array'; save the matrix as a sparse one")


def a_fraction_found_in_the_data_was_a_fault_of_the_command_line():
    run("simulate", "--samples", 9, "--sites", 50, "--missing", 0.1, "-o", "c")
    refuse("dist", "c.bed", "--dtype", "int32", "-o", "x", says=["x.dist.npy: row 2, column 1 is", "--missing mode"])
    run("dist", "c.bed", "--dtype", "int32", "--missing", "mode", "-o", "x")


def files_of_a_prefix_were_denied():
    put("t.ped", "f a 0 0 1 -9 A A G G\nf b 0 0 1 -9 A C G G\n")
    put("t.map", "1 x 0 5\n1 y 0 9\n")
    refuse("dist", "t", "-o", "x", says="t: no such file, and no .bed or .pgen of that prefix; name t.ped")
    for options in (("t.ped",), ("--file", "t"), ("--file", "t.ped")):
        run("dist", *options, "-o", "x")
    run("simulate", "--samples", 3, "--sites", 5, "--format", "vcf", "-o", "c")
    refuse("dist", "c", "-o", "x", says="name c.vcf")
    refuse("dist", "none", "-o", "x", says="none: no such file, and no PLINK files of that prefix")


def plans_for_programs_left_out_what_blocks_counts_and_matrices_take():
    plan = ("plan", "fermat", "--samples", 3000, "--sites", "6M")
    told, text = answer(*plan), run(*plan).stdout
    assert told["count_bytes"] == 3000 * 3001 // 2 * 12, told
    for word, name in (("blocks", "block_bytes"), ("counts", "count_bytes"), ("matrices", "matrix_bytes")):
        said = float(re.search(rf"^{word} .*?([\d.]+) MB", text, re.M)[1])
        assert abs(said - told[name] / 1e6) <= 0.5, (text, told)


def a_map_of_standardized_features_gave_a_distance_without_its_unit():
    put("t.csv", "x,y\n" + "".join(f"{i * 7 % 31},{i * 11 % 37}\n" for i in range(60)))
    unit = "(quantization error, in standard deviations of the features)."
    for options, said in ((("--standardize",), unit), ((), "(quantization error).")):
        run("som", "fit", "t.csv", "--rows", 2, "--cols", 2, *options, "-o", "m")
        assert said in pathlib.Path("m.html").read_text()


def a_map_that_was_not_trained_had_a_radius_that_decays():
    put("t.csv", "x,y\n" + "".join(f"{i * 7 % 31},{i * 11 % 37}\n" for i in range(60)))
    for options, said in ((("--iterations", 0), "0 iterations: the first codebook"),
                          (("--iterations", 4, "--smooth", 4), "4 iterations: sigma 0.5"),
                          (("--iterations", 4, "--smooth", 1), "in the last 1")):
        run("som", "fit", "t.csv", "--rows", 2, "--cols", 2, *options, "-o", "m")
        page = pathlib.Path("m.html").read_text()
        assert said in page and (" e^(-t / " in page) == (said == "in the last 1"), options


def a_dash_was_a_file_that_does_not_exist():
    run("simulate", "--samples", 5, "--sites", 20, "-o", "c")
    for option in ("--keep", "--extract"):
        refuse("dist", "c.bed", option, "-", "-o", "d", says=["-: cannot be opened: ", "; standard input is /dev/stdin here"])
