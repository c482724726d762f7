"""Sentences that were false, broken or named nothing to do."""
import json
import pathlib
import re

from program import put, refuse, run


def page(name):
    """The words of a page, without those of its scripts."""
    text = re.sub(r"<script.*?</script>|<style.*?</style>", " ", pathlib.Path(name).read_text(), flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def a_decimal_comma_was_taken_for_a_separator_or_a_name():
    advice = "write 1.5 for 1,5 (tr , .)"
    put("matrix.tsv", "0,0\t1,5\n1,5\t0,0\n")
    put("named.tsv", "\ta\tb\na\t0,0\t1,5\nb\t1,5\t0,0\n")
    put("blanks.txt", "0,0 1,5\n1,5 0,0\n")
    put("semicolons.csv", "0;1,5\n1,5;0\n")
    put("triangle.txt", "1,5\n2,5\t3,5\n")
    for matrix in ("matrix.tsv", "named.tsv", "blanks.txt", "semicolons.csv", "triangle.txt"):
        refuse("nj", matrix, "-o", "t.nwk", says=[matrix, advice])
        refuse("fermat", "--from-distances", matrix, "-o", "r", says=advice)
    put("commas.txt", "0,1\n1,0\n")  # commas that separate do so still
    run("nj", "commas.txt", "-o", "t.nwk")
    put("rows.csv", "a;b\n1,5;2\n3;4\n")
    put("points.tsv", "1,5\t2,0\n2,5\t3,1\n")
    put("column.txt", "1,5\n2,5\n")
    refuse("closest", "rows.csv", says=advice)
    refuse("closest", "points.tsv", says=advice)
    refuse("fft", "points.tsv", "-o", "f.txt", says=advice)
    refuse("sort", "rows.csv", "--key", "a:n", "-o", "s.csv", says=advice)
    for command in ("sort", "scan", "reduce"):
        refuse(command, "column.txt", "-o", "x.txt", says=["decimal comma as a point", "cut -d, -f1"])


def lines_that_are_no_number_named_nothing_to_do():
    put("named.txt", "value\n3\n1\n")
    put("two.txt", "1 2\n3 4\n")
    put("points.csv", "name,x,y\na,1,2\nb,3,4\n")
    refuse("sort", "named.txt", "-o", "s.txt", says="leave a line of names out (tail -n +2)")
    refuse("sort", "two.txt", "-o", "s.txt", says="keep one column")
    refuse("closest", "points.csv", says="--columns")
    refuse("closest", "points.csv", "--columns", "z", says="no column 'z': 3 columns")
    put("one.csv", "x\n1\n2\n")
    refuse("closest", "one.csv", "--columns", "z", says="no column 'z': 1 column:")


def maps_named_columns_otherwise_than_trees():
    put("rows.csv", "".join(f"{i * 7 % 11},{i * 5 % 13},4\n" for i in range(40)))
    run("tree", "fit", "rows.csv", "--label", "2", "--regression", "--report", "-o", "tree")
    said = run("som", "fit", "rows.csv", "--rows", 3, "--cols", 3, "--standardize", "-o", "map").stderr
    assert "kept at 0: column 3" in said, said
    assert '"name":"column 1"' in pathlib.Path("map.html").read_text()
    assert "column 1" in page("tree.html")


def pages_of_maps_told_of_panels_that_they_had_not():
    put("rows.csv", "a,b,y\n" + "".join(f"{i * 7 % 11},{i * 5 % 13},{i % 2}\n" for i in range(40)))
    fit = ("som", "fit", "rows.csv", "--rows", 3, "--cols", 3, "-o", "map")
    run(*fit, "--label", "y")
    for words in ("U-matrix: ", "Hits: ", "P-matrix: ", "Classes: ", "Clusters: ", "one feature each"):
        assert words in page("map.html"), words
    run(*fit, "--ignore", "y", "--no-p-matrix", "--clusters", "none", "--image", "1x2")
    text = page("map.html")
    assert "U-matrix: " in text and "Hits: " in text
    for words in ("P-matrix: ", "Classes: ", "Clusters: ", "one feature each"):
        assert words not in text, words


def pages_of_rows_with_missing_values_were_silent_of_them():
    put("rows.csv", "city,size,price\n" + "".join(
        f"{'abc'[i % 3]},{'' if i % 7 == 0 else i * 31 % 97},{i % 3 * 50 + i % 10}\n" for i in range(200)))
    put("whole.csv", "city,size,price\na,3,4\nb,50,70\n")
    put("holes.csv", "city,size,price\na,,4\nb,50,70\n")
    put("unknown.csv", "city,size,price\nz,3,4\nb,50,70\n")
    for categories in ("native", "ordered", "one-hot"):
        run("tree", "fit", "rows.csv", "--label", "price", "--regression", "--categorical", "city",
            "--categories", categories, "-o", "m")
        for table, has in (("whole.csv", False), ("holes.csv", True), ("unknown.csv", True)):
            run("tree", "predict", "m.json", table, "--label", "price", "--report", "-o", "p")
            assert ("or missing" in page("p.html")) == has, (categories, table)


def r2_was_put_in_words_that_it_does_not_bear():
    put("one.csv", "a,y\n1,5\n")
    put("same.csv", "a,y\n1,5\n2,5\n3,5\n")
    put("far.csv", "a,y\n1,-7\n2,9\n")
    fit = ("--label", "y", "--regression", "--report", "-o", "m")
    run("tree", "fit", "one.csv", *fit)
    assert "One row has no variance, so there is no R2." in page("m.html")
    run("tree", "fit", "same.csv", *fit)
    assert "leave nothing of the labels unexplained (R2 = 1)" in page("m.html")
    run("tree", "predict", "m.json", "far.csv", "--label", "y", "--report", "-o", "p")
    assert "To predict the mean label for every row would be better (R2 = -0.25)" in page("p.html")


def one_was_counted_as_several_and_several_twice():
    put("one.csv", "a,y\n1,5\n")
    refuse("tree", "fit", "one.csv", "--label", "y", "--regression", "--cv", 2, "-o", "m",
           says="1 row is fewer than 2 folds; take a table of more rows")
    put("rows.csv", "a,y\n1,p\n2,q\n")
    put("new.csv", "a,y\n1,p\n2,r\n")
    run("tree", "fit", "rows.csv", "--label", "y", "-o", "m")
    run("tree", "predict", "m.json", "new.csv", "--label", "y", "--report", "-o", "p")
    assert "1 row of classes that the model does not know counts as wrong." in page("p.html")
    put("numbers.txt", "1\ninf\n2\n")
    assert "2 products are infinite or NaN" in run("scan", "numbers.txt", "--op", "product", "-o", "s.txt").stderr


def a_label_that_the_model_does_not_know_was_lost():
    put("rows.csv", "a,b,y\n" + "".join(f"{i * 7 % 11},{i * 5 % 13},{'pq'[i % 2]}\n" for i in range(40)))
    put("new.csv", "a,b,y\n1,2,zebra\n3,4,p\n5,6,ant\n7,8,zebra\n")
    run("som", "fit", "rows.csv", "--label", "y", "--rows", 3, "--cols", 3, "-o", "map")
    done = run("som", "apply", "map.json", "new.csv", "-o", "new.tsv")
    header, *rows = [line.split("\t") for line in pathlib.Path("new.tsv").read_text().splitlines()]
    assert [row[header.index("label")] for row in rows] == ["zebra", "p", "ant", "zebra"]
    assert {row[header.index("class")] for row in rows} <= {"p", "q"}
    assert "3 of them, of classes that the model does not know, count as wrong" in done.stdout
    put("new.csv", "a,b,y\n1,2,zebra\n3,4,p\n")
    done = run("som", "apply", "map.json", "new.csv", "-o", "new.tsv")
    assert "1 of them, of a class that the model does not know, counts as wrong" in done.stdout
    assert "'zebra' for one" in done.stderr


def apply_of_a_map_named_options_that_it_had_not():
    put("bare.csv", "".join(f"{i * 7 % 11},{i * 5 % 13}\n" for i in range(40)))
    put("wide.csv", "".join(f"{i},{i * 7 % 11},{i * 5 % 13}\n" for i in range(40)))
    run("som", "fit", "bare.csv", "--rows", 3, "--cols", 3, "-o", "map")
    run("som", "apply", "map.json", "bare.csv", "-o", "all.tsv")
    for said in (("apply", "-o", "x"), ("report", "-o", "x")):
        refuse("som", said[0], "map.json", "wide.csv", *said[1:], says=["--ignore", "--columns"])
    for options in (("--ignore", "1"), ("--columns", "2,3")):
        run("som", "apply", "map.json", "wide.csv", *options, "-o", "some.tsv")
        assert pathlib.Path("some.tsv").read_bytes() == pathlib.Path("all.tsv").read_bytes()
        run("som", "report", "map.json", "wide.csv", *options, "-o", "report")
    refuse("som", "report", "map.json", "--ignore", "1", "-o", "x", status=2, says="no effect without 'table'")


def text_in_a_feature_of_a_model_was_to_be_left_out():
    put("rows.csv", "a,b,y\n" + "".join(f"{i * 7 % 11},{i * 5 % 13},{'pq'[i % 2]}\n" for i in range(40)))
    put("new.csv", "a,b,y\n1,two,p\n")
    run("tree", "fit", "rows.csv", "--label", "y", "-o", "tree")
    run("som", "fit", "rows.csv", "--label", "y", "--rows", 3, "--cols", 3, "-o", "map")
    for use in (("tree", "predict", "tree.json"), ("tree", "apply", "tree.json"), ("som", "apply", "map.json")):
        said = refuse(*use, "new.csv", "-o", "x", says=["'two' is no number", "write one, or leave the row out"])
        assert "--categorical" not in said.stderr and "--ignore" not in said.stderr
    refuse("som", "fit", "new.csv", "--label", "y", "-o", "x", says="--ignore")


def columns_in_another_order_swapped_features_in_silence():
    put("rows.csv", "a,b,y\n" + "".join(f"{i * 7 % 11},{i * 5 % 13},{'pq'[i * 7 % 11 > 5]}\n" for i in range(40)))
    run("tree", "fit", "rows.csv", "--label", "y", "-o", "tree")
    run("som", "fit", "rows.csv", "--label", "y", "--rows", 3, "--cols", 3, "-o", "map")
    for use in (("tree", "predict", "tree.json"), ("tree", "apply", "tree.json"), ("som", "apply", "map.json")):
        for swapped in (("b", "a"), ("2", "1")):
            refuse(*use, "rows.csv", "--columns", *swapped, "-o", "x",
                   says=["'b' for the model's feature 'a'", "leave --columns out"])
        run(*use, "rows.csv", "--columns", "a", "b", "-o", "x")
        put("other.csv", "c,d\n1,2\n3,4\n")
        run(*use, "other.csv", "--columns", "d", "c", "-o", "x")


def totals_by_key_had_tabs_under_names_of_other_formats():
    put("keys.txt", "1\n1\n2\n")
    put("numbers.txt", "5\n6\n7\n")
    fold = ("reduce", "numbers.txt", "--by", "keys.txt", "-o")
    run(*fold, "totals.csv")
    assert pathlib.Path("totals.csv").read_text() == "1,11\n2,7\n"
    run(*fold, "totals.tsv")
    assert pathlib.Path("totals.tsv").read_text() == "1\t11\n2\t7\n"
    for other in ("json", "parquet", "xlsx", "npy"):
        refuse(*fold, f"totals.{other}", status=2, says="expected -o FILE.tsv")


def endings_of_genomic_files_were_repeated():
    run("simulate", "--samples", 30, "--sites", 200, "-o", "c")
    for command, endings in (("dist", (".dist.npy", ".npy", ".nwk", ".kin0", ".tsv")), ("grm", (".grm.bin", ".grm", ".npy")),
                             ("pca", (".eigenvec", ".html")), ("fermat", (".html", ".fermat.npy", ".json", ".nwk"))):
        written = json.loads(run(command, "c.bed", "-o", "run", "--json").stdout)["files"]
        for ending in endings:
            assert json.loads(run(command, "c.bed", "-o", "run" + ending, "--json").stdout)["files"] == written, ending
    refuse("fermat", "--from-distances", "run.dist.npy", "-o", "run.npy", status=2, says="run.dist.npy")


def a_list_of_names_was_not_square_without_advice():
    put("c.ids", "".join(f"s{i}\n" for i in range(4)))
    refuse("nj", "c.ids", "-o", "t.nwk",
           says=["3 rows of 1 field after a line taken for names", "a row and a column for each sample"])


def help_promised_what_is_refused():
    for command in (("tree", "fit"), ("forest", "fit"), ("som", "fit"), ("closest",)):
        assert ".npy; also gzip" not in run(*command, "--help").stdout.replace("\n", " "), command
    assert "=all" not in run("sort", "--help").stdout
    put("rows.csv", "a,y\n1,p\n2,q\n")
    run("tree", "fit", "rows.csv", "--label", "y", "-o", "m")
    said = refuse("tree", "predict", "m.json", "rows.csv", "-o", "/dev/stdout", status=2,
                  says="endings as .json are added").stderr
    assert "several files" not in said
