"""Refusals for memory that named too little: the figure of the first one was refused again."""
import gzip
import pathlib
import re

from program import helper, put, run


def follow(*arguments, memory="1k"):
    """Runs a command with too little memory, then with what the refusal says, which must do."""
    told = run(*arguments, "--memory", memory, status=4).stderr
    figure = re.search(r"--memory \(?([\d.]+[kMG])\b", told)
    assert figure, told
    run(*arguments, "--memory", figure[1])


@helper
def table(rows=3000):
    text = "a,b,city,y\n" + "".join(
        f"{i * 7919 % 1009},{i * 31 % 97},c{i % 13},{'pqr'[i * 5 % 7 % 3]}\n" for i in range(rows))
    put("t.csv", text)
    put("t.csv.gz", gzip.compress(text.encode()))


def a_prediction_was_refused_for_its_model_and_then_for_its_trees():
    table()
    run("tree", "fit", "t.csv", "--label", "y", "--ignore", "city", "--binary", "-o", "m")
    run("tree", "fit", "t.csv", "--label", "y", "--categorical", "city", "--categories", "one-hot", "--binary", "-o", "h")
    run("tree", "fit", "t.csv", "--label", "y", "--categorical", "city", "--categories", "native", "--binary", "-o", "n")
    run("tree", "fit", "t.csv", "--label", "a", "--ignore", "city,y", "--regression", "--binary", "-o", "r")
    run("forest", "fit", "t.csv", "--label", "y", "--ignore", "city", "--trees", 40, "--binary", "-o", "f")
    for family, prefix in (("tree", "m"), ("tree", "h"), ("tree", "n"), ("tree", "r"), ("forest", "f")):
        for model in (f"{prefix}.json", f"{prefix}.model"):
            for command in ("predict", "apply"):
                for memory in ("1k", "300k"):
                    follow(family, command, model, "t.csv.gz", "-o", "p", memory=memory)


def a_packed_table_was_refused_for_its_text_and_then_for_its_lists():
    table(20_000)
    for family, options in (("tree", ()), ("tree", ("--cv", 3)), ("forest", ("--trees", 4, "--oob"))):
        for memory in ("1k", "400k", "1M"):
            follow(family, "fit", "t.csv.gz", "--label", "y", "--ignore", "city", *options, "-o", "m", memory=memory)
    # One column of many: the text takes more than what is made of it.
    follow("tree", "fit", "t.csv.gz", "--label", "y", "--columns", "b", "--max-depth", 2, "--float32", "-o", "m")


def importances_were_refused_for_the_model_then_for_the_text_and_then_for_the_rows():
    table(20_000)
    run("tree", "fit", "t.csv", "--label", "y", "--ignore", "city", "--max-depth", 3, "--binary", "-o", "m")
    for model in ("m.json", "m.model"):
        for name in ("t.csv", "t.csv.gz"):
            for memory in ("1k", "100k", "300k"):
                follow("tree", "importances", model, name, "--label", "y", "-o", "i.tsv", memory=memory)
    told = run("tree", "importances", "m.json", "t.csv", "--label", "y", "--memory", "100k", status=4).stderr
    assert "fewer columns" not in told, told  # the model has these


def points_were_refused_without_the_queries():
    put("p.csv", "".join(f"{i * 7919 % 1009},{i * 31 % 97}\n" for i in range(2000)))
    put("q.csv", "".join(f"{i * 7919 % 1009},{i * 31 % 97}\n" for i in range(9000)))
    for first, second in (("p.csv", "q.csv"), ("q.csv", "p.csv"), ("p.csv", "p.csv")):
        for options in ((), ("--neighbors", 3), ("--radius", 0.5)):
            for memory in ("1k", "150k"):
                follow("closest", first, "--queries", second, *options, "-o", "o.tsv", memory=memory)
    told = run("closest", "p.csv", "--queries", "q.csv", "--memory", "1k", status=4).stderr
    assert "p.csv: 2000 points with those of q.csv need " in told, told


def the_table_that_prunes_was_in_no_figure():
    table(1000)
    put("small.csv", pathlib.Path("t.csv").read_text())
    table(60_000)
    fit = ("fit", "small.csv", "--label", "y", "--ignore", "city", "--prune-with", "t.csv", "--max-depth", 4, "-o", "m")
    for family in ("tree", "forest"):
        for memory in ("1k", "900k"):
            follow(family, *fit, memory=memory)
    told = run("tree", *fit, "--memory", "900k", status=4).stderr
    assert "t.csv: pruning with the table, next to that of the training, needs 1.9" in told, told
    run("tree", "fit", "small.csv", "--label", "y", "--ignore", "city", "-o", "m")
    assert "take 1.69 MB" in run("tree", "prune", "m.json", "--validation", "t.csv", "--label", "y", "-o", "p",
                                 "--memory", "1M", status=4).stderr


def a_model_to_prune_was_refused_without_the_table_that_prunes_it():
    table(20_000)
    run("tree", "fit", "t.csv", "--label", "y", "--ignore", "city", "--max-depth", 3, "--binary", "-o", "m")
    for model in ("m.json", "m.model"):
        for validation in ("t.csv", "t.csv.gz"):
            for memory in ("1k", "100k"):
                follow("tree", "prune", model, "--validation", validation, "--label", "y", "-o", "p", memory=memory)


def what_importances_shuffle_was_in_no_figure():
    table(60_000)
    run("tree", "fit", "t.csv", "--label", "y", "--ignore", "city", "--max-depth", 3, "-o", "m")
    told = run("tree", "importances", "m.json", "t.csv", "--label", "y", "--memory", "1M", status=4).stderr
    assert "60000 rows x 2 features, read together, with what is held next to them, take 2.40 MB" in told, told
    follow("tree", "importances", "m.json", "t.csv", "--label", "y", "-o", "i.tsv", memory="1M")


def pairs_within_a_radius_were_refused_as_more_than_so_many():
    put("p.csv", "".join(f"{i * 7919 % 10007},{i * 31 % 997}\n" for i in range(10_000)))
    for memory, queries in (("2M", ()), ("4M", ("--queries", "p.csv"))):
        search = ("closest", "p.csv", *queries, "--radius", 60, "-o", "o.tsv")
        told = run(*search, "--memory", memory, status=4).stderr
        pairs, needed = re.search(r"radius: (\d+), which need ([\d.]+) MB with the points", told).groups()
        assert float(needed) * 1e6 > 48 * int(pairs) + 56 * 10_000, told
        follow(*search, memory=memory)
        assert len(pathlib.Path("o.tsv").read_text().splitlines()) == int(pairs) + 1
    told = run("closest", "p.csv", "--radius", 3000, "--memory", "2M", "-o", "o.tsv", status=4).stderr
    assert re.search(r"more than \d+, which need more than [\d.]+ MB.* take a smaller radius$", told), told
    told = run("closest", "p.csv", "--radius", 60, "--memory", "1k", "-o", "o.tsv", status=4).stderr
    assert told.endswith(" and more for many pairs within the radius\n"), told


def a_model_of_much_text_was_refused_for_its_text_and_then_for_its_trees():
    table()
    run("tree", "fit", "t.csv", "--label", "y", "--ignore", "city", "-o", "m")
    text = pathlib.Path("m.json").read_bytes() + b" " * (70 << 20)
    put("long.json", text)
    put("long.json.gz", gzip.compress(text, 1))
    for name in ("long.json", "long.json.gz"):
        follow("tree", "predict", name, "t.csv", "-o", "p")
    put("no.json", b"x" + text)
    assert "is no model of trees" in run("tree", "predict", "no.json", "t.csv", "-o", "p", "--memory", "1M", status=3).stderr


def a_codebook_did_not_fit_without_a_figure():
    put("w.csv", "".join(",".join(str((i * 37 + c * 11) % 101) for c in range(40)) + "\n" for i in range(50)))
    run("som", "fit", "w.csv", "--rows", 20, "--cols", 20, "--no-p-matrix", "-o", "m")
    text = pathlib.Path("m.json").stat().st_size
    assert text < pathlib.Path("m.codebook.npy").stat().st_size
    for command in (("apply", "m.json", "w.csv"), ("report", "m.json")):
        follow("som", *command, "-o", "o", memory=text)


def names_of_samples_were_held_beyond_the_memory_of_a_map():
    put("t.csv", "name,a,b\n" + "".join(f"individual_number_{i:09d},{i % 97},{i % 89}\n" for i in range(20_000)))
    fit = ("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "--iterations", 1, "--no-p-matrix", "-o", "m")
    run(*fit, "--ignore", "name", "--memory", "100k")
    for command in ((*fit, "--id", "name"), ("som", "apply", "m.json", "t.csv", "--id", "name", "-o", "o")):
        told = run(*command, "--memory", "100k", status=4).stderr
        assert told.startswith("yupana: t.csv: --id of 20000 rows needs 1.") and told.count("\n") == 1, told
        follow(*command, memory="100k")
