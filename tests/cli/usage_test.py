"""A command line that cannot mean anything ends with exit status 2 and one line that names the
option, the value it got and the values it takes."""
import pathlib

from program import refuse, run

COHORT = "simulate:10x100"


def refused(*arguments, says=()):
    done = refuse(*arguments, status=2, says=says)
    assert len(done.stderr) < 400, done.stderr


def files_of_a_prefix_were_written_beside_a_device():
    for command in (("dist", COHORT), ("fermat", COHORT), ("simulate", "--samples", 3, "--sites", 9)):
        refused(*command, "-o", "/dev/stdout", says=["-o /dev/stdout", "endings as .json are added"])


def what_is_written_to_dev_null_was_refused():
    pathlib.Path("t.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    pathlib.Path("n.txt").write_text("2\n1\n")
    for command in (("dist", COHORT, "--format", "npy", "tsv", "--tree", "nj"), ("fermat", COHORT), ("sort", "n.txt"),
                    ("simulate", "--samples", 3, "--sites", 9), ("tree", "fit", "t.csv", "--label", "y", "--report"),
                    ("som", "fit", "t.csv", "--label", "y", "--rows", 2, "--cols", 2), ("grm", COHORT),
                    ("pca", COHORT, "--components", 2, "--report"), ("nj", "d.dist.npy"), ("sort", "n.txt", "--key", 1)):
        if command[0] == "nj":
            run("dist", COHORT, "-o", "d")
        assert "/dev/null." not in run(*command, "-o", "/dev/null").stdout
    assert '"files":[]' in run("dist", COHORT, "-o", "/dev/null", "--json").stdout
    run("filter", COHORT, "-o", "/dev/null.vcf")
    refused("filter", COHORT, "-o", "/dev/null", says="a name that ends in .bed")
    assert pathlib.Path("/dev/null").is_char_device() and not list(pathlib.Path("/dev").glob("null.*"))


def a_plan_of_dist_was_one_of_fermat():
    sizes = ("--samples", 9, "--sites", 9)
    refused("plan", "dist", *sizes, "--fermat", says=["--fermat has no effect on a plan of dist"])


def unknown_commands_are_named():
    refused("umap", says=["unknown command 'umap'", "dist", "sort"])
    refused("sord", says=["unknown command 'sord'", "did you mean 'sort'?"])
    refused("tree", "frob", says=["unknown command 'frob'", "fit", "prune"])
    refused("tree", says=["expected a command after 'yupana tree'", "fit"])
    refused(says=["expected a command after 'yupana'", "dist"])


def unknown_options_and_arguments_are_named():
    refused("tree", "fit", "--hlep", says=["unknown option '--hlep'; did you mean '--help'"])
    refused("dist", COHORT, "-o", "x", "--metrc", "king", says=["'--metrc'", "'--metric'", "--help"])
    refused("dist", COHORT, "more", "-o", "x", says=["'more'", "'yupana dist'"])
    refused("dist", COHORT, "-o", says=["--out", "expected a value"])


def values_out_of_range_show_the_range():
    for option, value, says in (
            ("--threads", "abc", "a whole number from 0 to 4096, got 'abc'"),
            ("--threads", "-1", "a whole number from 0 to 4096, got '-1'"),
            ("--thin", "2", "a number from 0 to 1, got '2'"),
            ("--maf", "x", "a number from 0 to 0.5, got 'x'"),
            ("--pair-groups", "0", "a whole number of at least 1, got '0'"),
            ("--checkpoint-interval", "-3", "a number from 0 to 1e+09, got '-3'"),
            ("--memory", "abc", "a size of at least 1 byte, as 16G, 500M or 1000000, got 'abc'"),
            ("--memory", "0", "got '0'"), ("--memory", "nan", "got 'nan'"),
            ("--memory", "1e30", "got '1e30'"), ("--gpu-memory", "4X", "got '4X'"),
            ("--dtype", "f3", "float64, float32, int32 or int64, got 'f3'"),
            ("--chr-set", "022x", "got '022x'"), ("--chr-set", "0x1f", "got '0x1f'"),
            ("--missing", "foo", "got 'foo'")):
        refused("dist", COHORT, "-o", "x", option, value, says=[option, "expected", says])
    refused("fft", "x.npy", "-o", "y.npy", "--library", "mkl",
            says=["--library: expected automatic, own or cufft, got 'mkl'"])
    refused("plan", "--samples", 10, "--sites", 10, "--gpus", 0,
            says=["--gpus: expected a whole number of at least 1, got '0'"])
    for value in ("0", "1.5", "-1", "x"):
        refused("plan", "--samples", value, "--sites", 10, says=["--samples", f"got '{value}'"])


def numbers_beyond_their_type_are_refused():
    # They were taken as the largest number, or as infinity, and told as such.
    fit = ("forest", "fit", "t.csv", "--label", "a")
    for option in ("--trees", "--cv", "--max-depth", "--min-samples-leaf"):
        refused(*fit, option, "99999999999999999999",
                says=[f"{option}: expected a whole number within 64 bits, got '99999999999999999999'"])
    for value in ("inf", "-1"):
        refused("tree", "prune", "t.json", "--ccp-alpha", value,
                says=[f"--ccp-alpha: expected a finite number of at least 0, got '{value}'"])
    for value in ("1e400", "-1e400", "1e-400"):
        refused(*fit, "--min-gain", value,
                says=[f"--min-gain: expected a number within the range of a double, got '{value}'"])


def a_leading_zero_was_read_as_octal():
    done = run("plan", "--samples", "10", "--sites", "10", "--gpus", "010", "--json")
    assert '"gpus":10' in done.stdout, done.stdout


def lists_of_devices_are_checked():
    for device in ("cuda:", "cuda:,", "cuda:0,", "cuda:x", "cuda:-1"):
        refused("dist", COHORT, "-o", "x", "--device", device, says=[f"got '{device}'", "cuda:0,1"])


def an_option_given_twice_is_named():
    refused("tree", "fit", "t.csv", "--label", "a", "--label", "b",
            says=["--label is given 2 times; give it once"])


def options_without_effect_are_refused():
    for command in (("info",), ("bench", "scan"), ("plan", "--samples", 3, "--sites", 3),
                    ("path", "run", "a", "b")):
        refused(*command, "-o", "x", says=["-o has no effect", command[0]])
        assert "--out" not in run(command[0], "--help").stdout
    refused("info", "--memory", "1G", says=["--memory has no effect"])
    for command in ("show", "export"):
        for option in ("--device", "--threads", "--gpu-memory"):
            refused("tree", command, "m.json", option, "1", says=[f"{option} has no effect on 'yupana tree {command}'"])
    refused("tree", "prune", "m.json", "--gpu-memory", "1G", says=["--gpu-memory has no effect"])
    refused("plan", "--samples", 3, "--sites", 3, "--threads", 2, says=["--threads has no effect"])
    refused("plan", "fermat", "--samples", 3, "--sites", 3, "--king", says=["--king has no effect"])
    for option in (("--memory", "1G"), ("--device", "cpu")):
        refused("plan", "--samples", 3, "--sites", 3, "--gpus", 2, *option, says=["--gpus", option[0]])
    refused("dist", COHORT, "-o", "x", "--device", "cpu", "--gpu-memory", "1G",
            says=["--gpu-memory", "--device cpu"])


def memory_of_a_gpu_that_is_not_there_was_accepted_in_silence():
    if '"works":true' in run("info", "--json").stdout:
        return  # it has an effect
    note = "note: --gpu-memory has no effect"
    assert note in run("dist", COHORT, "-o", "x", "--gpu-memory", "1G").stderr
    plan = ("plan", "--samples", 3, "--sites", 3, "--gpu-memory", "1G")
    assert note in run(*plan).stderr
    assert run(*plan, "--gpus", 2).stderr == ""
    for command in (("path", "run", "a", "b"), ("simulate", "--samples", 3, "--sites", 3, "-o", "x")):
        refused(*command, "--gpu-memory", "1G", says=["--gpu-memory has no effect on"])


def a_flag_and_its_opposite_were_taken_together():
    splice = ("splice", "--genome", "g.fa", "--exons", "auto", "--target", "t.fa", "-o", "x")
    for one, other in (("--gc-donors", "--no-gc-donors"), ("--coding", "--any-frame")):
        for both in ((one, other), (other, one)):
            refused(*splice, *both, says=[f"{one} and {other} exclude each other"])


def empty_values_were_taken_for_options_that_were_not_given():
    for option in ("--keep", "--remove", "--region", "--chr", "--checkpoint", "--half-call"):
        refused("dist", COHORT, "-o", "x", option, "", says=[option, "got ''"])
    refused("fermat", COHORT, "-o", "x", "--labels", "", says=["--labels", "got ''"])
    refused("fermat", "--from-distances", "", "-o", "x", says=["--from-distances", "got ''"])
    refused("dist", "", "-o", "x", says=["input", "got ''"])


def a_value_that_begins_an_option_names_the_option_before_it():
    for option in ("--region", "--keep", "--maf", "--memory", "--metric", "--format"):
        refused("dist", COHORT, option, "-o", "x", says=[f"{option}: expected", "got '-o'"])
    refused("tree", "fit", "t.csv", "--label", "--cv", 3, says=["--label: expected", "got '--cv'"])
    refused("tree", "fit", "t.csv", "--ignore", "--cv", 3, says=["--ignore: expected", "got '--cv'"])


def outputs_that_are_no_files_are_refused():
    pathlib.Path("folder").mkdir()
    for out in ("folder/", "none/", "folder/.", "", "-"):
        refused("dist", COHORT, "-o", out, says=["-o"])
        refused("sort", "x.npy", "-o", out, says=["-o"])


def usage_put_what_a_command_needs_in_brackets_or_left_it_out():
    for command, line in (("dist", "dist [OPTIONS] input -o PREFIX"),
                          ("fermat", "fermat [OPTIONS] input -o PREFIX"),
                          ("simulate", "simulate --samples TEXT --sites TEXT [OPTIONS] -o PREFIX"),
                          ("path", "path [OPTIONS] run from to"),
                          ("som", "som [OPTIONS] COMMAND"), ("info", "info [OPTIONS]")):
        said = run(command, "--help").stdout
        assert f"\nUsage: yupana {line}\n" in said, (command, said)
        assert f"Usage: yupana {line}\n" in run("man").stdout.replace("\\-", "-"), command


def sizes_of_a_simulation_were_called_a_missing_option():
    refused("simulate", "60x500", "-o", "x", says=["'60x500'; write --samples 60 --sites 500"])
    refused("dist", "simulate", "60x500", "-o", "x", says=["'60x500'; a cohort to simulate is one word: simulate:60x500"])
    refused("dist", "simulate:60", "-o", "x", says=["as in simulate:2000x1M, got '60'"])
    refused("dist", "simulate:60x", "-o", "x", says=["sites: expected a count such as 2000, 2k or 1.2M, got ''"])
    refused("dist", "simulate:60x9,populations=", "-o", "x", says=["populations: expected a count"])


def an_option_with_all_its_words_took_the_input_for_one_more():
    run("simulate", "--samples", 20, "--sites", 60, "--missing", 0.01, "-o", "c")
    pathlib.Path("places.bed").write_text("1\t0\t100000\n")
    pathlib.Path("names").write_text("snp1\nsnp2\n")
    for option in (("--hwe", "1e-6", "midp"), ("--king-cutoff", 0.4, "largest"), ("--extract", "bed0", "places.bed"),
                   ("--exclude", "names"), ("--snps-only", "just-acgt"), ("--indep-pairwise", 50, "kb", 1, 0.2),
                   ("--indep-pairwise", 50, 5, 0.2), ("--distance", "square", "ibs")):
        assert run("dist", *option, "c.bed", "-o", "a", "--json").stdout.split('"stages"')[0] == \
            run("dist", "c.bed", *option, "-o", "b", "--json").stdout.split('"stages"')[0], option
    # The parser's own words were "At Most 2 required but received 3", and "given 2 times".
    for option in (("--hwe", "1e-6", "midp"), ("--snps-only", "just-acgt"), ("--indep-pairwise", 50, "kb", 1, 0.2)):
        refused("dist", "c.bed", *option, "x", "-o", "a", says="unexpected argument 'x'")
    refused("dist", "c.bed", "--hwe", 0.1, "midp", "--hwe", 0.2, "-o", "a",
            says="--hwe: expected at most 2 words, got 3; give it once")
    refused("dist", "c.bed", "--snps-only", "just-acgt", "--snps-only", "just-acgt", "-o", "a",
            says="--snps-only is given 2 times")
