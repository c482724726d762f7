"""What models say of themselves: categories by name, faults in words, indices of libsvm files."""
import copy
import json
import pathlib
import random
import re
import subprocess

from program import PROGRAM, put, refuse, run

COLOURS = ["red", "green", "blue", "a b", "x<y", "pale, blue"]
LIBSVM = "0 1:1 2:0 3:5\n1 1:0 2:3 3:1\n0 1:2 3:5\n1 2:4\n"


def notes(done):
    return [line for line in done.stderr.splitlines() if line.startswith("note: ")]


def colours(classes):
    """A table whose class follows from colour and size; its rows."""
    draw = random.Random(1)
    rows = [(draw.choice(COLOURS), draw.randint(1, 9)) for _ in range(300)]
    label = {2: lambda c, s: "AB"[(c in ("red", "x<y")) == (s > 5)],
             3: lambda c, s: "A" if c == "red" else "BC"[s > 5]}[classes]
    put("t.csv", "colour,size,class\n" + "".join(
        f'"{c}",{s},{label(c, s)}\n' for c, s in rows))
    return [(c, s, label(c, s)) for c, s in rows]


def holds(rule, colour, size):
    """Whether a condition of the rules is true, in the words that a reader has."""
    known = re.fullmatch(r"if (.*?)( or missing)?", rule).group(1)
    if found := re.fullmatch(r"size (<=|>) (\S+)", known):
        return (size <= float(found.group(2))) == (found.group(1) == "<=")
    if found := re.fullmatch(r"colour (not )?in \{(.*)\}", known):
        names = re.findall(r'"[^"]*"|[^,]+', found.group(2))
        return (colour in [n.strip().strip('"') for n in names]) != bool(found.group(1))
    found = re.fullmatch(r"colour is (not )?(.*)", known)
    return (colour == found.group(2)) != bool(found.group(1))


def predicted(rules, colour, size):
    """Follows the rules down."""
    depth = 0
    for line in rules.splitlines():
        if line.startswith("missing values go to"):
            continue
        indent = (len(line) - len(line.lstrip())) // 2
        rule, _, leaf = line.strip().partition(": ")
        if indent != depth or not holds(rule, colour, size):
            continue
        if leaf:
            return leaf.split(" (")[0]
        depth += 1
    raise AssertionError("no leaf")


def categories_were_thresholds_of_unknown_numbers():
    for classes, categories in [(2, "ordered"), (2, "by-name"), (3, "by-name"), (3, "one-hot")]:
        rows = colours(classes)
        run("tree", "fit", "t.csv", "--label", "class", "--categorical", "colour",
            "--categories", categories, "-o", "m")
        rules = run("tree", "show", "m.json").stdout
        assert "colour <=" not in rules and "colour=" not in rules, rules
        assert all(predicted(rules, c, s) == label for c, s, label in rows), rules
    assert "if colour is red" in rules and "if colour is not red" in rules, rules
    run("tree", "fit", "t.csv", "--label", "class", "--categorical", "colour",
        "--categories", "by-name", "-o", "m")
    for format in ["dot", "svg"]:
        text = run("tree", "show", "m.json", "--as", format).stdout
        assert "colour in {" in text or "colour not in {" in text, text
    done = run("tree", "export", "m.json", "-o", "m")
    assert "metadata 'yupana' says which number is which category" in notes(done)[0], done
    about = pathlib.Path("m.onnx").read_bytes()
    for word in [b'"features":', b'"encodings":', b'"pale, blue"', b"size"]:
        assert word in about, word
    put("n.csv", "x,class\n1,a\n2,b\n")
    run("tree", "fit", "n.csv", "--label", "class", "-o", "n")
    assert notes(run("tree", "export", "n.json", "-o", "n")) == []


def many_categories_filled_a_rule():
    put("many.csv", "name,class\n" + "".join(f"n{i:04},{i % 2}\n" for i in range(1000)))
    run("tree", "fit", "many.csv", "--label", "class", "--categorical", "name", "-o", "m")
    rules = run("tree", "show", "m.json").stdout
    assert re.search(r"if name in \{n0000, .* and \d+ more\}: 0", rules), rules[:400]
    assert max(map(len, rules.splitlines())) < 400


def damaged_models_were_refused_in_the_parsers_words():
    put("t.csv", "c,x,class\n" + "".join(f"{'pqr'[i % 3]},{i},{i % 2}\n" for i in range(40)))
    run("tree", "fit", "t.csv", "--label", "class", "--categorical", "c", "-o", "m")
    model = json.loads(pathlib.Path("m.json").read_text())
    nodes = len(model["trees"][0]["left"])

    def damaged(change, says):
        own = copy.deepcopy(model)
        change(own)
        put("bad.json", json.dumps(own))
        done = refuse("tree", "show", "bad.json", says=["bad.json: is a damaged model: ", says])
        for word in ["json", "type must", "array index", "out of range", "at()", "key '"]:
            assert word not in done.stderr.replace("bad.json", ""), done.stderr

    damaged(lambda m: m["trees"][0].pop("left"), "tree 1: left: expected a value")
    damaged(lambda m: m["trees"][0]["left"].pop(), f"tree 1: left: expected a list of {nodes}")
    damaged(lambda m: m["trees"][0].update(feature=5), "tree 1: feature: expected a list")
    damaged(lambda m: m["trees"][0].update(threshold=["a"] * nodes), "threshold: expected numbers")
    damaged(lambda m: m["trees"][0]["missing_left"].__setitem__(0, 3), "expected true or false")
    damaged(lambda m: m["trees"][0]["rows"].__setitem__(0, 1.5), "rows: expected a list of integers")
    damaged(lambda m: m["trees"][0].update(values=[{}]), "values: expected a list of numbers")
    damaged(lambda m: m.update(features={}), "features: expected a list")
    damaged(lambda m: m.update(classes=[1, 2]), "classes: expected a list of texts")
    damaged(lambda m: m.update(voting=5), "voting: expected a text")
    damaged(lambda m: m.update(version="x"), "version: expected an integer")
    damaged(lambda m: m.update(label=None), "label: expected a text")
    damaged(lambda m: m.update(zero_based=1), "zero_based: expected true or false")
    damaged(lambda m: m.update(encodings=5), "encodings: expected a list")
    damaged(lambda m: m["encodings"][0].pop("column"), "encodings 1: column: expected a value")
    damaged(lambda m: m["encodings"][0]["values"].pop(), "encodings 1: values: expected a list of 3")
    damaged(lambda m: m.pop("trees"), "trees: expected a value")
    damaged(lambda m: m.update(trees=[5]), "trees: expected a list of objects")
    for text in ["{}", "[]", "null", '{"format":5}', '"x"', "x,y\n1,2\n", "", "1\n"]:
        put("bad.json", text)
        refuse("tree", "show", "bad.json", says="is no model of trees; give a file that yupana tree")


def models_predicted_no_number_of_values_that_are_none():
    """Of a model without a checksum, as an earlier version wrote it."""
    put("t.csv", "x,class,y\n" + "".join(f"{i},{i % 2},{i}\n" for i in range(40)))
    for options in [["--label", "class", "--ignore", "y"],
                    ["--label", "y", "--ignore", "class", "--regression"]]:
        run("tree", "fit", "t.csv", *options, "-o", "m")
        model = json.loads(pathlib.Path("m.json").read_text())
        del model["checksum"]

        def refused(name, place, value):
            own = copy.deepcopy(model)
            own["trees"][0][name][place] = value
            put("bad.json", json.dumps(own))
            refuse("tree", "predict", "bad.json", "t.csv", "-o", "p",
                   says="bad.json: tree 1: node 0 has a value or weight that is none")
            assert not list(pathlib.Path(".").glob("p.*"))

        refused("weight", 0, -2)
        if "--regression" not in options:
            for weights in [[-1, 5], [0, 0], [1e308, 1e308]]:
                refused("values", slice(0, 2), weights)


def libsvm_values_beyond_the_model_vanished_without_a_note():
    put("t.libsvm", LIBSVM)
    put("more.libsvm", "0 1:1 3:5 7:9\n1 2:3 4:0 5:1\n")
    run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    want = ["note: more.libsvm: 2 values at indices beyond 3, the model's last, left out"]
    assert notes(run("tree", "predict", "m.json", "more.libsvm", "-o", "p")) == want
    assert notes(run("tree", "predict", "m.json", "t.libsvm", "-o", "p")) == []
    chosen = run("tree", "predict", "m.json", "more.libsvm", "--columns", "1,2,3", "-o", "p")
    assert notes(chosen) == []
    run("som", "fit", "t.libsvm", "--rows", 2, "--cols", 2, "-o", "s")
    refuse("som", "apply", "s.json", "more.libsvm", "-o", "a",
           says="has indices up to 7, of which the model knows those up to 3")


def zero_based_was_forgotten_by_the_model():
    put("one.libsvm", LIBSVM)
    put("zero.libsvm", re.sub(r"(\d):", lambda m: f"{int(m[1]) - 1}:", LIBSVM))
    put("more.libsvm", "0 0:1 3:5\n")
    for family in ["tree", "forest"]:
        run(family, "fit", "one.libsvm", "--label", "label", "-o", "one")
        run(family, "fit", "zero.libsvm", "--label", "label", "--zero-based", "--binary", "-o",
            "zero")
        run(family, "predict", "one.json", "one.libsvm", "-o", "p1")
        for name in ["zero.json", "zero.model"]:
            run(family, "predict", name, "zero.libsvm", "-o", "p0")
            assert (pathlib.Path("p0.predicted.tsv").read_text()
                    == pathlib.Path("p1.predicted.tsv").read_text())
            run(family, "predict", name, "zero.libsvm", "--zero-based", "-o", "p0")
            said = notes(run(family, "predict", name, "more.libsvm", "-o", "p0"))
            assert len(said) == 1 and "1 value at indices beyond 2, the" in said[0], said
    run("som", "fit", "zero.libsvm", "--zero-based", "--rows", 2, "--cols", 2, "-o", "s")
    run("som", "apply", "s.json", "zero.libsvm", "-o", "a")
    refuse("som", "apply", "s.json", "more.libsvm", "-o", "b", says="up to 3, of which the model "
           "knows those up to 2")


def a_column_that_a_libsvm_file_has_not_was_the_one_before():
    put("t.libsvm", LIBSVM)
    refuse("tree", "fit", "t.libsvm", "--label", "label", "--ignore", 4, "-o", "m",
           says="ignored column '4' is not there; columns go from 1 to 3, and the label's is 'label'")
    told = run("tree", "fit", "t.libsvm", "--label", "label", "--ignore", 3, "--json").stdout
    assert json.loads(told)["features"] == 2, told


def a_file_given_as_o_was_written_under_twice_its_ending():
    put("t.csv", "x,class\n1,a\n2,b\n3,a\n")
    pathlib.Path("out").mkdir()
    for arguments, out, written in [
            (("tree", "fit", "t.csv", "--label", "class"), "out/m.json", ["m.json"]),
            (("forest", "fit", "t.csv", "--label", "class", "--binary"), "out/f.json",
             ["f.json", "f.model"]),
            (("tree", "prune", "out/m.json", "--ccp-alpha", 1), "out/p.json", ["p.json"]),
            (("tree", "export", "out/m.json"), "out/m.onnx", ["m.onnx"]),
            (("tree", "show", "out/m.json", "--as", "svg"), "out/m.svg", ["m.svg"]),
            (("tree", "show", "out/m.json"), "out/m.txt", ["m.txt"]),
            (("som", "fit", "t.csv", "--label", "class", "--rows", 2, "--cols", 2), "out/s.json",
             ["s.json", "s.codebook.npy"]),
            (("tree", "fit", "t.csv", "--label", "class"), "out/b.model", ["b.json", "b.model"]),
            (("tree", "fit", "t.csv", "--label", "class", "--report"), "out/h.html", ["h.json", "h.html"]),
            (("tree", "predict", "out/m.json", "t.csv"), "out/p.tsv", ["p.tsv"]),
            (("tree", "predict", "out/m.json", "t.csv"), "out/q.predicted.tsv", ["q.predicted.tsv"]),
            (("forest", "predict", "out/f.json", "t.csv", "--label", "class", "--report"), "out/r.html",
             ["r.predicted.tsv", "r.html"]),
            (("forest", "predict", "out/f.json", "t.csv", "--label", "class", "--report"), "out/u.tsv",
             ["u.tsv", "u.html"]),
            (("forest", "apply", "out/f.json", "t.csv"), "out/n.tsv", ["n.tsv"]),
            (("tree", "importances", "out/m.json"), "out/i.tsv", ["i.tsv", "i.svg"]),
            (("tree", "importances", "out/m.json"), "out/j.svg", ["j.importances.tsv", "j.svg"]),
            (("tree", "importances", "out/m.json"), "out/k.importances.svg", ["k.importances.tsv", "k.importances.svg"]),
            (("som", "apply", "out/s.json", "t.csv"), "out/a.tsv", ["a.tsv"]),
            (("som", "report", "out/s.json"), "out/o.png", ["o.html", "o.svg", "o.png"])]:
        before = {p.name for p in pathlib.Path("out").iterdir()}
        run(*arguments, "-o", out)
        made = {p.name for p in pathlib.Path("out").iterdir()} - before
        exact = arguments[1] in ("predict", "apply", "importances", "report") or "--report" in arguments
        assert set(written) == made if exact else set(written) <= made, made
        assert not [n for n in made if n.count(".json") > 1], made
    assert pathlib.Path("out/p.tsv").read_bytes() == pathlib.Path("out/q.predicted.tsv").read_bytes()
    run("tree", "predict", "out/m.json", "t.csv", "-o", "t.tsv")
    put("t.tsv", "x\n1\n2\n")
    refuse("tree", "predict", "out/m.json", "t.tsv", "-o", "t.tsv", status=2, says="t.tsv")
    refuse("tree", "show", "out/m.json", "-o", "m.svg", status=2,
           says="-o m.svg: --as rules writes .txt; give --as svg, or another name")


def standard_output_as_o_was_a_file_beside_it():
    put("t.csv", "x,class\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    run("som", "fit", "t.csv", "--label", "class", "--rows", 2, "--cols", 2, "-o", "s")
    rules = run("tree", "show", "m.json").stdout
    assert run("tree", "show", "m.json", "-o", "/dev/stdout").stdout == rules
    for arguments in [("tree", "fit", "t.csv", "--label", "class"),
                      ("tree", "importances", "m.json"), ("tree", "show", "m.json", "--as", "dot"),
                      ("tree", "export", "m.json"), ("tree", "predict", "m.json", "t.csv"),
                      ("som", "fit", "t.csv", "--ignore", "class"), ("som", "apply", "s.json", "t.csv"),
                      ("som", "report", "s.json")]:
        assert "/dev/null" not in run(*arguments, "-o", "/dev/null").stdout
    assert not list(pathlib.Path("/dev").glob("null.*"))


def gaps_were_told_of_where_no_row_had_one():
    rows = ["0.1,1,a", "0.2,2,a", "0.3,3,b", "0.4000001,9,b", "0.7,5,b", "0.6,4,b"]
    put("t.csv", "x,y,class\n" + "\n".join(rows) + "\n")
    put("gap.csv", "x,y,class\n" + "\n".join(rows + [",1,a"]) + "\n")
    for table, gaps in [("t.csv", False), ("gap.csv", True)]:
        run("tree", "fit", table, "--label", "class", "--columns", "x", "-o", "m")
        rules = run("tree", "show", "m.json").stdout.splitlines()
        assert ("or missing" in "".join(rules)) == gaps, rules
        assert rules[-1].startswith("missing values go to the child of more rows") != gaps, rules
        for format, word in [("svg", "yes, missing"), ("dot", "yes, missing")]:
            picture = run("tree", "show", "m.json", "--as", format).stdout
            assert (word in picture) == gaps and ("to the child of more rows" in picture) != gaps, picture
    for table, gaps in [("t.csv", False), ("gap.csv", True)]:
        run("tree", "predict", "m.json", table, "--label", "class", "--report", "-o", "p")
        assert ("or missing" in pathlib.Path("p.html").read_text()) == gaps, table


def pictures_had_numbers_of_17_digits():
    put("t.csv", "x,class\n0.1,a\n0.2,a\n0.4,b\n0.7,b\n")
    run("tree", "fit", "t.csv", "--label", "class", "--report", "-o", "m")
    assert "if x <= 0.30000000000000004:" in run("tree", "show", "m.json").stdout
    for text in [run("tree", "show", "m.json", "--as", format).stdout for format in ["svg", "dot"]]:
        assert re.search(r"x (<|&lt;)= 0\.3\b", text) and "0000000" not in text, text
    page = pathlib.Path("m.html").read_text()
    assert "x &lt;= 0.3 " in page and "x &gt; 0.3 " in page and "000000000" not in page


def columns_without_names_were_numbers_in_sentences():
    put("t.csv", "".join(f"{i},{i * 7 % 5},{'ab'[i > 4]}\n" for i in range(10)))
    run("tree", "fit", "t.csv", "--label", "last", "--report", "-o", "m")
    page = pathlib.Path("m.html").read_text()
    assert "<h1>Decision tree for column 3</h1>" in page and "for '3'" not in page, page[:900]
    assert '<th scope="row">column 1</th>' in page and '<th scope="row">1</th>' not in page
    run("tree", "importances", "m.json", "-o", "i")
    assert pathlib.Path("i.importances.tsv").read_text().splitlines()[1].startswith("1\t")


def a_learning_rate_of_0_was_in_range_and_refused():
    put("t.csv", "x,y\n1,2\n2,3\n3,1\n")
    fit = ["som", "fit", "t.csv", "--online", "--rows", 2, "--cols", 2, "-o", "m"]
    for rate in ["0", "-1", "1.5", "nan", "x"]:
        refuse(*fit, "--learning-rate", rate, status=2,
               says=f"--learning-rate: expected a number above 0, at most 1, got '{rate}'")
    run(*fit, "--learning-rate", 1)
    assert "above 0, at most 1" in run("som", "fit", "--help").stdout


def a_batch_map_told_of_a_learning_rate():
    put("t.csv", "x,y\n1,2\n2,3\n3,1\n")
    fit = ["som", "fit", "t.csv", "--rows", 2, "--cols", 2, "-o", "m"]
    for online in ([], ["--online"]):
        run(*fit, *online)
        assert ("learning_rate" in json.loads(pathlib.Path("m.json").read_text())["schedule"]) == bool(online)
        run("som", "apply", "m.json", "t.csv", "-o", "a")


def a_damaged_digit_of_a_map_told_another_class():
    put("t.csv", "x,y,class\n" + "".join(f"{i % 7},{i % 5},{'ab'[i % 7 > 3]}\n" for i in range(60)))
    run("som", "fit", "t.csv", "--label", "class", "--rows", 2, "--cols", 2, "-o", "m")
    whole = json.loads(pathlib.Path("m.json").read_text())
    for place in range(4):
        damaged = json.loads(json.dumps(whole))
        damaged["label"]["neurons"][place] = 1 - max(damaged["label"]["neurons"][place], 0)
        put("m.json", json.dumps(damaged))
        refuse("som", "apply", "m.json", "t.csv", "-o", "a", says="m.json: its checksum is another")
        del damaged["checksum"]
        put("m.json", json.dumps(damaged))
        run("som", "apply", "m.json", "t.csv", "-o", "edited")
    put("m.json", json.dumps(whole, indent=4))
    run("som", "apply", "m.json", "t.csv", "-o", "again")


def a_damaged_digit_of_a_json_model_predicted_otherwise():
    rows = colours(3)
    for family, options in (("forest", ("--trees", 4)), ("tree", ())):
        run(family, "fit", "t.csv", "--label", "class", "--categorical", "colour", *options, "-o", "m", "--quiet")
        good = pathlib.Path("m.json").read_text()

        def predicted(text, status=0):
            put("x.json", text)
            run(family, "predict", "x.json", "t.csv", "--proba", "-o", "p", "--quiet", status=status)
            return pathlib.Path("p.predicted.tsv").read_bytes() if status == 0 else None
        wanted = predicted(good)
        assert len(wanted.splitlines()) == len(rows) + 1
        # Another layout is the same model, and so is one without a checksum.
        assert predicted(json.dumps(json.loads(good), indent=3, sort_keys=True)) == wanted
        plain = json.loads(good)
        assert re.fullmatch("[0-9a-f]{8}", plain.pop("checksum"))
        assert predicted(json.dumps(plain)) == wanted
        draw, refused = random.Random(2), 0
        digits = [place for place, letter in enumerate(good) if letter.isdigit()]
        for place in draw.sample(digits, min(100, len(digits))):
            other = draw.choice([digit for digit in "0123456789" if digit != good[place]])
            put("x.json", good[:place] + other + good[place + 1:])
            done = subprocess.run([PROGRAM, family, "predict", "x.json", "t.csv", "--proba", "-o", "p", "--quiet"],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 3 or pathlib.Path("p.predicted.tsv").read_bytes() == wanted, good[place - 9:place + 9]
            refused += done.returncode == 3
        assert refused > 50, refused
