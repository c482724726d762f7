"""Tables and models that were read wrongly, in silence or to an abort: each is read or named."""
import json
import pathlib
import random
import resource

from program import answer, put, refuse, run


def predictions(prefix):
    return pathlib.Path(prefix + ".predicted.tsv").read_text().split()[1:]


def bytes_that_are_no_utf8_are_named():
    put("column.csv", b"x,caf\xe9,class\n1,2,a\n3,4,b\n")
    put("label.csv", b"x,y,class\n1,2,a\n3,4,caf\xe9\n")
    put("text.csv", b"x,color,class\n1,red,a\n3,r\xf6tlich,b\n")
    put("l.libsvm", b"a 1:1\ncaf\xe9 1:2\n")
    for command in (("tree", "fit"), ("forest", "fit", "--trees", 2)):
        refuse(*command, "column.csv", "--label", "class", "-o", "m",
               says=["column.csv:1: column 2", "'caf\\xe9'", "iconv"])
        refuse(*command, "label.csv", "--label", "class", "-o", "m",
               says=["label.csv:3: column 3", "'caf\\xe9'", "iconv"])
        refuse(*command, "text.csv", "--label", "class", "--categorical", "color", "-o", "m",
               says=["text.csv:3: column 2", "'r\\xf6tlich'"])
        refuse(*command, "l.libsvm", "--label", "label", "-o", "m", says=["l.libsvm:2", "UTF-8"])
    for table in ("column.csv", "label.csv"):
        refuse("som", "fit", table, "--label", "class", "--rows", 1, "--cols", 2, "-o", "m",
               says=[table, "'caf\\xe9'"])
    # A column that is left out may be named as it likes; so may a file.
    run("tree", "fit", "column.csv", "--label", "class", "--ignore", "2", "-o", "m")
    done = run("tree", "fit", "column.csv", "--label", "class", "--ignore", "2", "-o", b"caf\xe9".decode(
        errors="surrogateescape"), "--json")
    assert json.loads(done.stdout)["files"] == ["caf\ufffd.json"]
    put("utf8.csv", "größe,class\n1,ä\n3,ß\n")
    assert answer("tree", "fit", "utf8.csv", "--label", "class", "-o", "m")["classes"] == ["ß", "ä"]


def infinite_thresholds_stay_after_a_reload():
    put("low.csv", "x,class\n-inf,a\n-inf,a\n5,b\n7,b\n")
    put("high.csv", "x,class\ninf,a\ninf,a\n5,b\n7,b\n")
    put("gap.csv", "x,class\n1,a\n7,a\nNA,b\n,b\n")
    for table in ("low.csv", "high.csv", "gap.csv"):
        for family, more in (("tree", []), ("forest", ["--trees", 3, "--all-rows"])):
            told = answer(family, "fit", table, "--label", "class", "-o", "m", "--binary", *more)
            assert told["train_accuracy"] == 1
            for model in ("m.json", "m.model"):
                again = answer(family, "predict", model, table, "--label", "class", "-o", "p")
                assert again["score"] == 1, (table, family, model)
            assert "null" not in pathlib.Path("m.json").read_text()
    run("tree", "fit", "low.csv", "--label", "class", "-o", "m")
    text = pathlib.Path("m.json").read_text()
    assert '"threshold":["-inf",0.0,0.0]' in text and '"version": 3' in text
    assert "if x <= -inf: a" in run("tree", "show", "m.json").stdout
    assert "x &lt;= -inf" in run("tree", "show", "m.json", "--as", "svg").stdout
    put("m.json", text.replace('"-inf"', "null"))
    refuse("tree", "predict", "m.json", "low.csv", "-o", "p", says=["m.json", "null", "either infinity"])


def one_hot_features_are_counted_before_they_are_made():
    random.seed(3)
    rows = [f"w{i},{random.random()},{'abc'[i % 3]}" for i in range(3000)]
    put("t.csv", "word,x,class\n" + "\n".join(rows) + "\n")
    fit = ("tree", "fit", "t.csv", "--label", "class", "--categorical", "word", "--memory", "20M")
    for made in ("--report", "-o", "m"), ("--report", "-o", "m", "--cv", 3), ("--device", "reference"):
        refuse(*fit, *made, status=4, says=["3000 rows x 3001 features (one a category)", "by-name"])
    # The processor makes none.
    run(*fit, "--cv", 3)
    run("tree", "fit", "t.csv", "--label", "class", "--categorical", "word", "--categories", "by-name",
        "--memory", "20M", "-o", "m")
    put("few.csv", "word,x,class\n" + "\n".join(rows[:400]) + "\n")
    run("tree", "fit", "few.csv", "--label", "class", "--categorical", "word", "-o", "m")
    written = {}
    for memory in ("4G", "8M"):
        run("tree", "predict", "m.json", "t.csv", "--memory", memory, "-o", "p")
        written[memory] = pathlib.Path("p.predicted.tsv").read_bytes()
    assert written["4G"] == written["8M"]
    refuse("tree", "importances", "m.json", "few.csv", "--label", "class", "--memory", "1M", status=4,
           says=["400 rows x 2 features, read together, with what is held next to them, take 2.5", "; give --memory 2.5"])


def a_large_model_is_counted():
    random.seed(4)
    rows = [f"{random.random()},{random.random()},{random.choice('ab')}" for _ in range(4000)]
    put("t.csv", "x,y,class\n" + "\n".join(rows) + "\n")
    run("forest", "fit", "t.csv", "--label", "class", "--trees", 8, "--binary", "-o", "m")
    put("few.csv", "x,y\n1,2\n")
    for model in ("m.json", "m.model"):
        refuse("forest", "predict", model, "few.csv", "--memory", "1500K", "-o", "p", status=4,
               says=[model, "memory is limited to 1."])
        run("forest", "predict", model, "few.csv", "--memory", "32M", "-o", "p")


def a_first_row_of_the_models_names_is_a_header():
    put("t.csv", "2001,2002,2003,class\n5,1,9,a\n7,3,2,b\n7,4,1,a\n")
    run("tree", "fit", "t.csv", "--header", "yes", "--label", "class", "-o", "m")
    put("new.csv", "2001,2002,2003\n5,1,9\n7,3,2\n")
    run("tree", "predict", "m.json", "new.csv", "-o", "p")
    assert predictions("p") == ["a", "b"]
    run("som", "fit", "t.csv", "--header", "yes", "--ignore", "class", "--rows", 1, "--cols", 2, "-o", "s")
    assert answer("som", "apply", "s.json", "new.csv", "-o", "p")["samples"] == 2
    # Where nothing tells, the first line is a row and a note says so.
    for command in (("som", "fit", "--rows", 1, "--cols", 2), ("tree", "fit", "--label", "3")):
        done = run(*command, "new.csv", "-o", command[0])
        assert done.stderr.count("note: ") == 1 and "--header yes" in done.stderr, done.stderr
        assert "--header yes" not in run(*command, "new.csv", "--header", "yes", "-o", command[0]).stderr
    put("grown.csv", "1,2,3\n4,5,6\n5,7,8\n")
    assert "--header" not in run("som", "fit", "grown.csv", "--rows", 1, "--cols", 2, "-o", "n").stderr


def a_model_without_names_refuses_other_columns():
    random.seed(5)
    rows = [[f"{random.random():.3f}" for _ in range(4)] for _ in range(40)]
    data = [",".join(row + ["ab"[float(row[0]) > 0.5]]) for row in rows]
    put("t.csv", "\n".join(data) + "\n")
    run("tree", "fit", "t.csv", "--label", "5", "-o", "m")
    run("tree", "predict", "m.json", "t.csv", "--label", "5", "-o", "whole")
    put("bare.csv", "\n".join(",".join(row) for row in rows) + "\n")
    done = run("tree", "predict", "m.json", "bare.csv", "-o", "bare")
    assert predictions("bare") == predictions("whole") and "note" not in done.stderr
    # As wide as the training's table: by number, and said so.
    done = run("tree", "predict", "m.json", "t.csv", "-o", "p")
    assert predictions("p") == predictions("whole") and "by number" in done.stderr
    put("six.csv", "\n".join(f"{i},{line}" for i, line in enumerate(data)) + "\n")
    refuse("tree", "predict", "m.json", "six.csv", "-o", "p", says=["4 features, the table 6 columns"])
    refuse("tree", "predict", "m.json", "six.csv", "--label", "6", "-o", "p",
           says=["4 features, the table 5 columns", "--ignore"])
    run("tree", "predict", "m.json", "six.csv", "--label", "6", "--ignore", "1", "-o", "p")
    assert predictions("p") == predictions("whole")
    run("tree", "predict", "m.json", "six.csv", "--columns", "2,3,4,5", "-o", "p")
    assert predictions("p") == predictions("whole")
    put("named.csv", "id,p,q,r,s\n" + "\n".join(f"{i}," + ",".join(r) for i, r in enumerate(rows)) + "\n")
    refuse("tree", "predict", "m.json", "named.csv", "-o", "p", says=["4 features, the table 5 columns"])
    run("tree", "predict", "m.json", "named.csv", "--ignore", "id", "-o", "p")
    assert predictions("p") == predictions("whole")
    run("som", "fit", "t.csv", "--label", "5", "--rows", 1, "--cols", 2, "-o", "s")
    refuse("som", "apply", "s.json", "six.csv", "-o", "p", says=["4 features, the table 6 columns"])
    assert "accuracy" in answer("som", "apply", "s.json", "t.csv", "-o", "p")
    assert "accuracy" not in answer("som", "apply", "s.json", "bare.csv", "-o", "p")
    # A feature by name is never taken by number.
    put("n.csv", "1,2,class\n1,2,a\n3,4,b\n")
    run("tree", "fit", "n.csv", "--header", "yes", "--label", "class", "-o", "n")
    put("other.csv", "id,1,size\n7,1,2\n")
    refuse("tree", "predict", "n.json", "other.csv", "-o", "p", says=["other.csv"])


def rows_of_unknown_classes_count_as_wrong():
    rows = [f"{i},{'abc'[i % 3]}" for i in range(9)]
    put("t.csv", "x,class\n" + "\n".join(r for r in rows if not r.endswith("c")) + "\n")
    put("all.csv", "x,class\n" + "\n".join(rows) + "\n")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    told = answer("tree", "predict", "m.json", "all.csv", "--label", "class", "-o", "p")
    assert told["scored_rows"] == 9 and told["unknown_class_rows"] == 3, told
    assert abs(told["score"] - 6 / 9) < 1e-12
    done = run("tree", "predict", "m.json", "all.csv", "--label", "class", "-o", "p")
    assert "accuracy 0.6667 on 9 rows, 3 of them of unknown classes" in done.stdout
    assert "note: 3 of 9 rows have a class that the model does not know" in done.stderr
    put("one.csv", "x,class\n2,c\n")
    done = run("tree", "predict", "m.json", "one.csv", "--label", "class", "-o", "p")
    assert "1 row in" in done.stdout and "1 row, 1 of them of an unknown class" in done.stdout
    assert "note: 1 of 1 row has a class that the model does not know" in done.stderr
    run("som", "fit", "t.csv", "--label", "class", "--rows", 6, "--cols", 1, "-o", "s")
    told = answer("som", "apply", "s.json", "all.csv", "-o", "p")
    assert told["unknown_class_samples"] == 3 and told["accuracy"] <= 6 / 9


def lines_left_out_as_comments_are_counted():
    put("t.csv", "x,class\n1,a\n#2,a\n3,b\n#,b\n")
    done = run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    assert "note: t.csv: 2 lines with # at the front" in done.stderr, done.stderr
    put("t.libsvm", "# by hand\n1 1:2\n2 1:3\n")
    done = run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    assert "1 line with #" in done.stderr
    put("names.csv", "class,x\n#1,5\n#2,6\n")
    assert answer("tree", "fit", "names.csv", "--label", "class", "--comment", "none")["rows"] == 2


def libsvm_rows_may_end_before_the_last_feature():
    put("t.libsvm", "a 1:1 5:2\nb 2:3 5:7\na 1:2 5:1\nb 2:1\n")
    run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    run("forest", "fit", "t.libsvm", "--label", "label", "--trees", 3, "-o", "f")
    put("new.libsvm", "b 2:3\na 1:9\n")
    for model, family in (("m.json", "tree"), ("f.json", "forest")):
        told = answer(family, "predict", model, "new.libsvm", "--label", "label", "-o", "p")
        assert told["rows"] == told["scored_rows"] == 2
    run("tree", "predict", "m.json", "new.libsvm", "-o", "p")
    assert predictions("p") == ["b", "a"]
    for command in (("tree", "fit"), ("som", "fit"), ("tree", "predict")):
        assert "of a libsvm file: label" in " ".join(run(*command, "--help").stdout.split())
    refuse("tree", "fit", "t.libsvm", status=2, says=["of a libsvm file: label"])


def an_option_without_effect_is_refused():
    put("t.csv", "x,color,class\n" + "".join(f"{i},{'rg'[i % 2]},{'ab'[i // 4 % 2]}\n" for i in range(16)))
    put("y.csv", "x,y\n" + "".join(f"{i},{i * i}\n" for i in range(16)))
    put("t.libsvm", "a 1:1\nb 1:2\n")
    tree = ("tree", "fit", "t.csv", "--label", "class", "--ignore", "color")
    numbers = ("fit", "y.csv", "--label", "y", "--regression")
    run("tree", *numbers, "-o", "n")
    run(*tree, "-o", "m")
    run("som", "fit", "y.csv", "--rows", 2, "--cols", 1, "-o", "s")
    refused = [
        ("tree", *numbers, "--criterion", "entropy"), ("tree", *numbers, "--criterion", "gini"),
        ("tree", *numbers, "--stratified", "--cv", 3), ("forest", *numbers, "--voting", "hard"),
        ("tree", "predict", "n.json", "y.csv", "--proba", "-o", "p"),
        (*tree, "--stratified"), (*tree, "--ccp-sparest"),
        (*tree, "--categories", "by-name"), (*tree, "--max-depth", -1), (*tree, "--binary"),
        (*tree, "--columns", "x"), (*tree, "--zero-based"), (*tree[:-1], "class"), (*tree[:-1], "last"),
        (*tree, "--ccp-alpha", "inf"), ("tree", "predict", "m.json", "t.csv", "--ignore", "x", "-o", "p"),
        ("tree", "fit", "t.libsvm", "--label", "label", "--header", "yes"),
        ("tree", "fit", "t.libsvm", "--label", "label", "--delimiter", ";"),
        ("tree", "prune", "m.json", "--ccp-alpha", 0.1, "--float32", "-o", "p"),
        ("tree", "prune", "m.json", "--ccp-alpha", 0.1, "--label", "class", "-o", "p"),
        ("tree", "prune", "m.json", "--ccp-alpha", -1, "-o", "p"),
        ("tree", "importances", "m.json", "--repeats", 3), ("tree", "importances", "m.json", "--seed", 3),
        ("som", "fit", "y.csv", "--learning-rate", 0.1, "-o", "q"),
        ("som", "fit", "y.csv", "--p-matrix", "--no-p-matrix", "-o", "q"),
        ("som", "fit", "y.csv", "--sigma0", 1, "--sigmaf", 2, "-o", "q"),
        ("som", "report", "s.json", "--p-matrix", "-o", "q"),
        ("som", "report", "s.json", "--delimiter", ";", "-o", "q"),
    ]
    for arguments in refused:
        refuse(*arguments, status=2)
    refuse("tree", *numbers, "--criterion", "entropy", status=2, says=["--criterion", "--regression"])
    for criterion in ("squared-error", "absolute-error", "poisson"):
        refuse(*tree, "--criterion", criterion, status=2, says=["--criterion", "one of numbers"])
        run("forest", *numbers, "--criterion", criterion, "--trees", 2, "-o", "c")
    put("z.csv", "x,y\n1,2\n2,-3\n")
    refuse("tree", "fit", "z.csv", "--label", "y", "--regression", "--criterion", "poisson",
           status=3, says=["row 2", "Poisson", "-3"])
    refuse("tree", "fit", "t.csv", "--label", "x", "--regression", "--criterion", "absolute-error",
           "--categorical", "color,class", "--categories", "native", status=2, says=["--categories native"])
    run(*tree, "--stratified", "--cv", 8)
    put("v.csv", pathlib.Path("t.csv").read_text())
    run("tree", "prune", "m.json", "--validation", "v.csv", "--label", "class", "--float32", "-o", "p")


def folds_of_too_few_rows_were_bad_input_and_of_too_few_of_a_class_bad_usage():
    put("t.csv", "x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(16)))
    for command in ("tree", "forest"):
        fit = (command, "fit", "t.csv", "--label", "class", "-o", "m", "--cv")
        refuse(*fit, 17, status=3, says="16 rows are fewer than 17 folds")
        refuse(*fit, 9, "--stratified", status=3, says=["--stratified", "8 rows for 9 folds"])


def a_full_disk_is_not_a_lack_of_memory():
    random.seed(6)
    rows = [f"{random.random()},{random.random()},{random.choice('ab')}" for _ in range(2000)]
    put("t.csv", "x,y,class\n" + "\n".join(rows) + "\n")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    done = refuse("forest", "fit", "t.csv", "--label", "class", "--partition", "--trees", 4, "-o", "m",
                  status=4, says=["m.json", "cannot write"], preexec_fn=limit)
    assert "does not fit in memory" not in done.stderr, done.stderr


def a_damaged_binary_model_never_loads():
    random.seed(7)
    rows = [f"{random.random()},{random.random()},{random.choice('ab')}" for _ in range(40)]
    put("t.csv", "x,y,class\n" + "\n".join(rows) + "\n")
    run("forest", "fit", "t.csv", "--label", "class", "--trees", 3, "--binary", "-o", "m")
    whole = pathlib.Path("m.model").read_bytes()
    assert len(whole) < 0.5 * pathlib.Path("m.json").stat().st_size
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[random.randrange(8, len(whole))] ^= 1 << random.randrange(8)
        put("d.model", bytes(damaged))
        refuse("forest", "show", "d.model", says=["d.model", "damaged"])
    put("d.model", b"YUPTREES" + whole[8:])
    refuse("forest", "show", "d.model", says=["earlier version", "train it again"])


def files_that_are_no_table_of_lines_are_named():
    good = "x,class\n1.5,a\n2.5,b\n"
    put("t.csv", good.replace("\n", "\r"))
    refuse("tree", "fit", "t.csv", "--label", "class", says=["t.csv", "\\r alone", "tr "])
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        put("t.csv", good.encode(encoding))
        refuse("tree", "fit", "t.csv", "--label", "class", says=["t.csv", "UTF-16", "iconv"])
    put("t.csv", b"PK\x03\x04" + bytes(60))
    refuse("som", "fit", "t.csv", "-o", "m", says=["zip archive"])
    put("t.csv", b"PAR1\x15" + bytes(60))
    refuse("som", "fit", "t.csv", "-o", "m", says=["Parquet"])
    put("t.csv", 'x,class\n1,"a\nb"\n2,c\n')
    refuse("tree", "fit", "t.csv", "--label", "class", says=["t.csv:2", "line breaks"])
    put("t.csv", good.replace("\n", "\r\n"))
    run("tree", "fit", "t.csv", "--label", "class")
    for text in ("x;y;class\n1,5;2,5;a\n2,5;3,5;b\n", "1,5;2,5;1\n2,5;3,5;2\n", "1,5\t2,5\n1,6\t2,7\n"):
        put("t.csv", text)
        refuse("tree", "fit", "t.csv", "--label", "last", says=["t.csv:", "decimal point"])


def numbers_that_are_none_are_named():
    put("y.csv", "x,y\n1,2\n3,inf\n")
    refuse("tree", "fit", "y.csv", "--label", "y", "--regression", says=["y.csv:3", "finite number", "inf"])
    put("y.csv", "x,y\n1,2\n3,NaN\n")
    refuse("tree", "fit", "y.csv", "--label", "y", "--regression", says=["y.csv:3", "missing"])
    put("y.libsvm", "1 1:2\nnan 1:3\n")
    for more in ([], ["--regression"]):
        refuse("tree", "fit", "y.libsvm", "--label", "label", *more, says=["y.libsvm:2"])
    put("w.csv", "x,w,class\n1,nan,a\n3,1,b\n")
    refuse("tree", "fit", "w.csv", "--label", "class", "--weight", "w", says=["w.csv:2", "missing"])
    put("w.csv", "x,w,class\n1,1e308,a\n3,1e308,b\n4,1e308,a\n")
    refuse("tree", "fit", "w.csv", "--label", "class", "--weight", "w", says=["weights add up"])
    put("y.csv", "x,y\n1,1e200\n3,2e200\n")
    refuse("tree", "fit", "y.csv", "--label", "y", "--regression", says=["squares of the labels"])
    # A tree of these told an importance of 0 and an r2 of 1.
    put("y.csv", "x,y\n1,1e-170\n2,3e-170\n3,1e-170\n4,2e-170\n")
    refuse("tree", "fit", "y.csv", "--label", "y", "--regression", says=["squares of the labels", "multiply"])
    put("s.csv", "x,y\n1,2\n3,nan\n")
    refuse("som", "fit", "s.csv", "-o", "m", says=["row 2", "'y'", "missing"])


def a_score_of_large_numbers_is_that_of_training():
    put("y.csv", "x,y\n" + "".join(f"{i},{10**9 + i % 7}\n" for i in range(60)))
    told = answer("tree", "fit", "y.csv", "--label", "y", "--regression", "--max-depth", 4, "-o", "m")
    again = answer("tree", "predict", "m.json", "y.csv", "--label", "y", "-o", "p")
    assert abs(again["score"] - told["train_r2"]) < 1e-9, (again["score"], told["train_r2"])


def options_without_effect_or_sense_are_refused():
    put("t.csv", "x,y,class\n" + "".join(f"{i},{i * 7 % 5},{i % 2}\n" for i in range(40)))
    fit = ["fit", "t.csv", "--label", "class"]
    refuse("tree", *fit, "--seed", 1, status=2, says=["--seed has no effect without --cv, --ccp-cv or --random-splits"])
    run("tree", *fit, "--seed", 1, "--cv", 4)
    run("forest", *fit, "--seed", 1, "--trees", 2)
    refuse("tree", *fit, "--comment", "auto", status=2, says=["--comment", "none", "'auto'"])
    refuse("tree", *fit, "--delimiter", "none", status=2, says=["--delimiter", "auto", "'none'"])
    for option, bad in (("--min-samples-split", 1), ("--min-samples-leaf", 0), ("--min-gain", -1),
                        ("--min-impurity-decrease", -1), ("--max-leaf-nodes", -1),
                        ("--min-weight-fraction-leaf", -0.1)):
        refuse("tree", *fit, option, bad, status=2, says=[option])
    refuse("forest", *fit, "--trees", 2, "--max-features", -2, status=2, says=["--max-features", "-1"])
    refuse("forest", *fit, "--trees", 2, "--max-features", 3, status=3, says=["--max-features", "2", "got 3"])
    refuse("tree", *fit, "--max-leaf-nodes", 1, status=2, says=["--max-leaf-nodes", "at least 2", "got '1'"])
    refuse("tree", *fit, "--min-weight-fraction-leaf", 0.6, status=2,
           says=["--min-weight-fraction-leaf", "0 to 0.5", "got '0.6'"])
    for sampling, why in (("--partition", "parts share all rows"), ("--all-rows", "sees every row")):
        refuse("forest", *fit, "--max-samples", 9, sampling, status=2, says=["--max-samples", why])
    refuse("forest", *fit, "--max-samples", 2561, status=3, says=["1 to 2560", "got 2561"])
    few = answer("forest", *fit, "--max-samples", 9, "--trees", 5, "--max-leaf-nodes", 3)
    assert few["leaves"] <= 15, few


def advice_names_what_can_be_done():
    put("t.csv", "x,w,class\n1,a,b\n2,b,a\n")
    done = refuse("tree", "fit", "t.csv", "--label", "class", "--regression", "--ignore", "w",
                  says=["t.csv:2", "column 3", "--label"])
    assert "--categorical" not in done.stderr, done.stderr
    done = refuse("tree", "fit", "t.csv", "--label", "class", "--weight", "w", says=["--weight"])
    assert "--categorical" not in done.stderr, done.stderr
    put("t.csv", "1\n2\n")
    refuse("tree", "fit", "t.csv", "--label", "z", says=["; 1 column '1'"])


def a_score_says_what_it_is():
    put("t.csv", "x,y\n1,2\n3,4\n5,9\n")
    for more, measure in (([], "accuracy"), (["--regression"], "r2")):
        run("tree", "fit", "t.csv", "--label", "y", *more, "-o", "m")
        predict = ["tree", "predict", "m.json", "t.csv", "--label", "y", "-o", "p"]
        assert f"\n{measure} 1.0000 on 3 rows\n" in run(*predict).stdout
        assert answer(*predict)["measure"] == measure


def a_map_counts_against_the_memory():
    # 64 MB of sums and a codebook, with 3 kB allowed.
    put("t.csv", "a,b,c,d\n" + "1,2,3,4\n5,6,7,9\n" * 5)
    fit = ["som", "fit", "t.csv", "--iterations", 1, "--no-p-matrix", "-o", "m"]
    refuse(*fit, "--rows", 500, "--cols", 500, "--memory", "8M", status=4,
           says=["a map of 500 x 500 neurons of 4 features needs", "--memory"])
    run(*fit, "--rows", 20, "--cols", 20, "--memory", "8M")


def the_table_counts_with_its_trees_against_the_memory():
    # Each was held against --memory alone.
    rng = random.Random(3)
    put("t.csv", "a,b,c,d,class\n" + "".join(
        "".join(f"{rng.random():.6f}," for _ in range(4)) + f"{rng.randrange(2)}\n" for _ in range(20000)))
    fit = ["forest", "fit", "t.csv", "--label", "class", "--threads", 1, "-o", "m"]
    trees = ["--trees", 3, "--max-depth", 9]
    refuse(*fit, "--trees", 3, "--memory", "4M", status=4, says=["next to a table and lists of", "--memory"])
    run(*fit, *trees, "--memory", "4M")
