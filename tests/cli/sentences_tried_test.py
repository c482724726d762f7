#!/usr/bin/env python3
"""tree, forest, som and the building blocks, used with other data: what they said that was not so."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, refuse, run


def put(name, text):
    pathlib.Path(name).write_text(text)


def importances_of_a_model_alone_took_threads_in_silence():
    put("t.csv", "x,y\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    for option in (("--threads", 2), ("--device", "cpu")):
        refuse("tree", "importances", "m.json", *option, status=2, says=f"{option[0]} has no effect without 'table'")
        run("tree", "importances", "m.json", "t.csv", "--label", "y", *option)


def a_map_rounded_a_column_of_one_whole_number_in_silence():
    put("t.csv", "t,b\n" + "".join(f"{i},{i % 7}\n" for i in range(60)))
    run("som", "fit", "t.csv", "--rows", 3, "--cols", 3, "-o", "m")
    for value, rounded in ((16777217, True), (-16777219, True), (16777216, False), (0.1, False)):
        for rows in (1, 3):
            put("new.csv", "t,b\n" + f"{value},2\n" * rows)
            said = run("som", "apply", "m.json", "new.csv", "-o", "n").stderr
            assert (f"column 't': the value {value} is rounded by up to 1, to float32" in said) == rounded, said


def identifiers_beyond_doubles_became_one_number_in_silence():
    put("t.csv", "id,b\n" + "".join(f"{10**17 + i},{i % 7}\n" for i in range(60)))
    said = run("som", "fit", "t.csv", "--rows", 3, "--cols", 3, "-o", "m").stderr
    assert "column 'id'" in said and "to float32" in said, said


def a_mistyped_column_of_a_libsvm_table_was_all_zeros_in_silence():
    put("t.libsvm", "".join(f"{i % 2} 1:{i % 5 + 1} 3:{i % 7}\n" for i in range(40)))
    for fit in (("tree", "fit", "t.libsvm", "--label", "label"), ("som", "fit", "t.libsvm", "--rows", 2, "--cols", 2)):
        said = run(*fit, "--columns", "1", "9", "-o", "m").stderr
        assert "note: t.libsvm: no row has a value in a column beyond 3: those are zeros" in said, said
        assert "beyond" not in run(*fit, "--columns", "1", "3", "-o", "m").stderr
    # What a model was trained on may be beyond a file that it predicts.
    run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    put("new.libsvm", "0 1:3\n1 1:4\n")
    assert "beyond" not in run("tree", "predict", "m.json", "new.libsvm", "-o", "p").stderr


def one_number_written_in_two_ways_was_two_classes_in_silence():
    put("t.csv", "a,y\n1,1.0\n2,1\n3,2\n4,x\n")
    said = "note: t.csv: '1' and '1.0' are two classes: names are compared, not numbers"
    assert said in run("tree", "fit", "t.csv", "--label", "y", "-o", "m").stderr
    assert said in run("forest", "fit", "t.csv", "--label", "y", "--trees", 2, "--partition", "-o", "m").stderr
    assert said in run("som", "fit", "t.csv", "--label", "y", "--rows", 2, "--cols", 2, "-o", "m").stderr
    put("t.csv", "a,y\n1,1\n2,1\n3,2\n4,x\n")
    assert "two classes" not in run("tree", "fit", "t.csv", "--label", "y", "-o", "m").stderr


def clusters_beyond_the_neurons_named_no_option():
    put("t.csv", "a,b\n" + "".join(f"{i % 5},{i % 7}\n" for i in range(40)))
    run("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "-o", "m")
    for use in (("fit", "t.csv", "--rows", 2, "--cols", 2), ("report", "m.json")):
        refuse("som", *use, "--clusters", 5, "-o", "n", status=2, says="--clusters 5: the map has 4 neurons")


def numbers_that_are_not_whole_were_taken_for_a_line_of_names():
    put("x.txt", "-1.5\n2\n")
    refuse("sort", "x.txt", "--type", "i8", "-o", "o.txt", says=["expected one whole number", "'-1.5'; give --type f8"])
    put("x.txt", "-1\n2\n")
    refuse("sort", "x.txt", "--type", "u8", "-o", "o.txt", says="'-1'; give --type i8")
    put("x.txt", "name\n2\n")
    refuse("sort", "x.txt", "--type", "i8", "-o", "o.txt", says="leave a line of names out")


def products_were_told_of_types_that_no_option_of_theirs_gives():
    for kind, number, says in (("--exact", "-1.5", "'-1.5'; pass --real"),
                               ("--exact", 2**63, "type i8 holds; write it with a point and pass --real"),
                               ("--real", 2**53 + 1, "; pass --exact, or write it with a point"),
                               ("--real", 2**63 + 1, "to 9223372036854775808; write it with a point")):
        put("x.txt", f"{number}\n2\n")
        said = refuse("polymul", "x.txt", "x.txt", kind, "-o", "o.txt", says=says).stderr
        assert "read it as" not in said, said


def plans_for_programs_did_not_say_of_which_command_nor_that_they_are_bounds():
    run("simulate", "--samples", 600, "--sites", 3000, "--missing", 0.01, "-o", "c")
    for command in ("dist", "fermat", "grm", "pca"):
        plan = json.loads(run(command, "c.bed", "--plan", "--json").stdout)
        text = run(command, "c.bed", "--plan").stdout
        assert list(plan)[0] == "command" and plan["command"] == command, plan
        assert plan["memory_at_most"] == (command in ("grm", "pca")) == (" at the most" in text), (plan, text)
    assert json.loads(run("filter", "c.bed", "--plan", "-o", "d.bed", "--json").stdout)["command"] == "filter"
    for command in ("dist", "fermat"):
        for more in ((), ("--gpus", 8)):
            plan = json.loads(run("plan", command, "--samples", 1000, "--sites", 1000, *more, "--json").stdout)
            assert plan["command"] == command, plan
    assert json.loads(run("info", "--json").stdout)["command"] == "info"


def plans_said_of_files_of_text_that_they_take_no_bytes_and_of_calls_that_they_are_all():
    run("simulate", "--samples", 30, "--sites", 400, "-o", "c")
    for plan in (("filter", "c.bed", "-o", "d.vcf"), ("filter", "c.bed", "-o", "d.pgen"),
                 ("dist", "c.bed", "--tree", "nj", "--no-matrix", "-o", "d")):
        assert json.loads(run(*plan, "--plan", "--json").stdout)["output"] is None, plan
        assert "output       not known before" in run(*plan, "--plan").stdout, plan
    said = run("filter", "c.bed", "-o", "d.bed", "--plan").stdout
    assert "output       3.21 kB of calls" in said and "names of samples and sites take more" in said, said
    run("filter", "c.bed", "-o", "d.bed")
    assert sum(pathlib.Path(f"d.{name}").stat().st_size for name in ("bed", "bim", "fam")) > 3210


def a_tree_that_was_shown_had_another_command_than_its_own():
    put("t.csv", "x,y\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    for command in ("tree", "forest"):
        said = json.loads(run(command, "show", "m.json", "--json").stdout)
        assert said["command"] == f"{command} show", said


def a_type_of_keys_was_refused_by_the_name_of_another_option():
    put("keys.txt", "1\n1\n2\n")
    put("x.txt", "1\n2\n3\n")
    run("sort", "keys.txt", "--type", "i8", "-o", "keys.npy")
    said = refuse("scan", "x.txt", "--by", "keys.npy", "--key-type", "f8", "-o", "o.txt", status=2,
                  says=["--key-type f8: keys.npy is a .npy of i8", "leave --key-type out"]).stderr
    assert "--type" not in said.replace("--key-type", ""), said


def plain_text_had_names_of_other_formats():
    put("x.txt", "1\n2\n")
    put("z.txt", "1 2\n3 4\n")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n")
    for out in ("o.json", "o.parquet", "o.mtx", "o.JSON"):
        for command in (("sort", "x.txt"), ("scan", "x.txt"), ("reduce", "x.txt"), ("merge", "x.txt"), ("fft", "x.txt"),
                        ("polymul", "x.txt", "x.txt"), ("trisolve", "m.mtx", "x.txt"), ("sort", "x.txt", "--key", 1)):
            refuse(*command, "-o", out, status=2, says=[f"-o {out}", "which is not written"])
    # Two parts of a complex number, a blank between them, are no cells.
    for command in (("fft", "x.txt"), ("trisolve", "m.mtx", "z.txt")):
        refuse(*command, "-o", "o.csv", status=2, says="got one for .csv, which is not written")
        run(*command, "-o", "o.txt")
    run("fft", "o.txt", "--real", "--inverse", "--odd", "-o", "o.csv")
    run("sort", "x.txt", "-o", "o.tsv")


def what_followed_a_mean_of_folds_had_no_name():
    put("t.csv", "a,y\n" + "".join(f"{i * 7 % 11},{'pq'[i % 2]}\n" for i in range(40)))
    said = run("tree", "fit", "t.csv", "--label", "y", "--cv", 4, "--report", "-o", "m").stdout
    assert "accuracy of 4 folds: mean 0." in said and ", standard deviation 0." in said, said
    assert "(folds: mean 0." in pathlib.Path("m.html").read_text()


def help_of_predictions_spoke_of_training():
    for command in ("predict", "apply", "importances", "prune"):
        said = " ".join(run("tree", command, "--help").stdout.split())
        assert "the column to predict" not in said and "learn the better side" not in said, command
        assert "--missing TEXT=learn they go where the trees learned to send them, or error" in said, command
    assert "learn the better side" in " ".join(run("tree", "fit", "--help").stdout.split())


def names_of_a_table_of_text_alone_were_a_row_in_silence():
    put("t.csv", "color,shape,y\nred,round,a\nblue,square,b\n")
    fit = ("tree", "fit", "t.csv", "--label", "last", "-o", "m", "--categorical")
    said = "note: t.csv: the first line is taken as a row, for no number tells names from rows; --header yes if it is names"
    assert said in run(*fit, 1, 2).stderr
    for more in ((1, 2, "--header", "yes"), (1, 2, "--header", "no"), ("color", "shape")):
        assert "taken as a row" not in run(*fit, *more).stderr, more


def options_that_clash_ended_as_bad_input_would():
    put("t.csv", "x,z,y\n1,2,a\n2,3,b\n3,1,a\n")
    for fit in (("tree", "fit"), ("forest", "fit"), ("som", "fit")):
        for options, says in ((("--label", "y", "--columns", "x,y"), "'y' cannot be a feature and the label"),
                              (("--columns", "x,x"), "'x' is named twice"),
                              (("--label", "y", "--columns", "x,z", "--id", "z"), "'z' cannot be a feature and an id")):
            label = () if "--label" in options or fit[0] == "som" else ("--label", "y")
            refuse(*fit, "t.csv", *label, *options, "-o", "m", status=2, says=says)
    refuse("tree", "fit", "t.csv", "--label", "y", "--weight", "y", "-o", "m", status=2, says="cannot be the label and the")


def columns_whose_names_hold_commas_could_not_be_named():
    put("t.csv", '"size, cm",z,"a ""b""",y\n' + "".join(f"{i % 7},{i % 5},{i % 3},{'pq'[i % 2]}\n" for i in range(40)))
    fit = ("tree", "fit", "t.csv", "--label", "y", "-o", "m", "--columns")
    for columns in (('"size, cm",z',), ('"size, cm"', "z"), ('z,"size, cm"',), ('"a ""b""",z',), ("size, cm",)):
        if columns == ("size, cm",):
            refuse(*fit, *columns, says=["'size' is not there", "in quotes"])
        else:
            run(*fit, *columns)
            assert len(json.loads(pathlib.Path("m.json").read_text())["features"]) == 2, columns
    run("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "--label", "y", "--ignore", '"size, cm"', "-o", "map")
    run("sort", "t.csv", "--key", '"size, cm":nd', "-o", "s.csv")
    assert pathlib.Path("s.csv").read_text().splitlines()[1].startswith("6,")
    run("closest", "t.csv", "--columns", 'z,"size, cm"')
    put("b.csv", "[x],b,y\n" + "".join(f"{i % 7},{i % 5},{'pq'[i % 2]}\n" for i in range(40)))
    refuse("tree", "fit", "b.csv", "--label", "y", "-o", "m", "--columns", "[x]", says=["'x' is not there", "in quotes"])
    run("tree", "fit", "b.csv", "--label", "y", "-o", "m", "--columns", '"[x]"')
    put("c.csv", 'x,y\n1,"a,b"\n2,c\n')
    run("tree", "fit", "c.csv", "--label", "y", "--class-weight", '"a,b=2",c=3', "-o", "m")


def a_column_of_measurements_was_a_label_in_silence():
    put("t.csv", "a,b,size\n" + "".join(f"{i % 7},{i % 5},{i * 0.37:.2f}\n" for i in range(300)))
    put("whole.csv", "a,b,size\n" + "".join(f"{i % 7},{i % 5},{i * 3}\n" for i in range(300)))
    grid = ("--rows", 3, "--cols", 3, "-o", "m")
    for table in ("t.csv", "whole.csv"):
        said = run("som", "fit", table, "--label", "size", *grid).stderr
        assert f"note: {table}: the label has 300 different numbers, and each is a class" in said, said
        assert "each is a class" not in run("som", "fit", table, "--label", "a", *grid).stderr
    put("few.csv", "a,size\n" + "".join(f"{i % 7},{i * 0.37:.2f}\n" for i in range(30)))
    assert "few.csv: the label has 30 different numbers" in run("tree", "fit", "few.csv", "--label", "size", "-o", "m").stderr
    said = run("tree", "fit", "whole.csv", "--label", "size", "-o", "m").stderr
    assert "each is a class; --regression predicts numbers" in said, said


def areas_of_many_classes_were_nan_without_a_reason():
    put("t.csv", "a,y\n" + "".join(f"{i},c{i % 120}\n" for i in range(480)))
    done = run("tree", "fit", "t.csv", "--label", "y", "--max-depth", 3, "-o", "m")
    assert "nan" not in done.stdout and "roc_auc" not in done.stdout, done.stdout
    assert "note: 120 classes: ROC and PR areas and the confusion are measured of 100 and fewer" in done.stderr


def a_long_row_was_refused_without_a_figure():
    put("t.csv", "b,1\n" + "a" * 900_000 + ",2\n")
    said = refuse("sort", "t.csv", "--key", "2:n", "-o", "s.csv", "--memory", "2M", status=4,
                  says=["t.csv:2: begins a row of at least 900002 bytes", "give --memory 7."]).stderr
    memory = re.search(r"give --memory ([\w.]+)", said).group(1)
    run("sort", "t.csv", "--key", "2:n", "-o", "s.csv", "--memory", memory)
    said = refuse("sort", "t.csv", "--key", "1", "-o", "s.csv", "--memory", "2M", status=4, says="give --memory").stderr


def empty_lists_of_variants_and_samples_gave_no_advice():
    put("none.txt", "")
    cohort = ("filter", "simulate:9x50", "-o", "o.bed")
    refuse(*cohort, "--keep", "none.txt", says=["names one of the 9 samples", "write one sample a line"])
    run("simulate", "--samples", 9, "--sites", 50, "-o", "c")
    for option in ("--extract", "--exclude"):
        refuse("filter", "c.bed", "-o", "o.bed", option, "none.txt", says="names no variant; expected names")
        refuse("filter", "c.bed", "-o", "o.bed", option, "bed0", "none.txt", says="holds no interval; expected contig")
    for option in ("--keep-fam",):
        refuse("filter", "c.bed", "-o", "o.bed", option, "none.txt", says="write one family a line")


def a_replicate_without_an_allele_named_a_number():
    rows = ["1\t%d\tv%d\tG\tA\t.\t.\t.\tGT\t0/0\t%s\t1/1\t0/1\n" % (k + 1, k, "0/1" if k < 2 else "0/0") for k in range(40)]
    put("c.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tann\tbo\tcy\tdi\n" + "".join(rows))
    tree = ("dist", "c.vcf", "--metric", "normalized", "--tree", "nj", "-o", "o")
    refuse(*tree, says="normalized: sample ann has genotype 0 at every site")
    put("ann.txt", "ann\n")
    refuse(*tree, "--remove", "ann.txt", "--bootstrap", 40, "--block", 1,
           says=["--bootstrap: among the sites of a replicate: c.vcf: normalized: sample bo has genotype 0"])


def components_had_more_than_all_of_the_trace_in_silence():
    calls = [("0/1", "1|1", "."), ("0/1", "1|1", "0/0")]
    rows = ["1\t%d\t.\tA\tC\t.\t.\t.\tGT\t%s\n" % (k + 1, "\t".join(site)) for k, site in enumerate(calls)]
    put("c.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tann\tbo\tcy\n" + "".join(rows))
    said = "note: the components have more than 100 % of the trace"
    assert said in run("pca", "c.vcf", "--components", 2, "-o", "p").stderr
    assert said not in run("pca", "c.vcf", "--components", 2, "--missing", "mode", "-o", "p").stderr


def numbers_were_taken_for_the_count_of_phylip():
    put("t.txt", "36.5\n61.9\n1.4\n2.5\n")
    said = refuse("nj", "t.txt", says="not square").stderr
    assert "36.5 lines" not in said, said


def columns_of_npy_were_advised_a_delimiter():
    import numpy as np
    np.save("c.npy", np.arange(4.).reshape(4, 1))
    said = refuse("tree", "fit", "c.npy", "--label", "last", "-o", "m", says="there is one column").stderr
    assert "--delimiter" not in said, said


def missing_numbers_named_nothing_to_do():
    put("x.txt", "1\nNA\n3\n")
    for command in (("reduce",), ("sort", "-o", "o.txt")):
        refuse(*command, "x.txt", says="got 'NA'; write nan for a missing number, or leave its line out")


def other_columns_than_those_of_training_were_features_in_silence():
    import numpy as np
    np.save("x.npy", np.random.default_rng(0).random((30, 4)))
    run("tree", "fit", "x.npy", "--label", 1, "--regression", "-o", "m")
    said = run("tree", "predict", "m.json", "x.npy", "--label", 2, "-o", "p").stderr
    assert "the table's 3 columns are its features in order, '1' the first" in said, said
    assert run("tree", "predict", "m.json", "x.npy", "--label", 1, "-o", "p").stderr == ""


sys.exit(main())
