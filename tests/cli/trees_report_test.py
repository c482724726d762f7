"""Pages of trees and forests: what they say is what --json says, and nothing is loaded."""
import csv
import html
import html.parser
import json
import pathlib
import re

from program import refuse, run
from tree_tables import fit, table


class Page(html.parser.HTMLParser):
    """Rows of cells of each table by the id of what holds it; elements opened and not closed."""

    def __init__(self, path):
        super().__init__()
        self.tables, self.open, self.text, self.place = {}, [], "", None
        self.feed(pathlib.Path(path).read_text())

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        assert not any(name in ("src", "href") for name in names), names
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.place = names.get("id", self.place)
        if tag == "tr":
            self.tables.setdefault(self.place, []).append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[self.place][-1].append(data)
        self.text += data


def page_of(path):
    page = Page(path)
    assert not page.open, page.open
    return page


def same_figures(page, measures):
    rows = page.tables["curves"][1:]
    for own, (name, *values) in zip(measures["classes"], rows, strict=True):
        assert name == own["class"] and int(values[0]) == own["rows"]
        for key, text in zip(("precision", "recall", "f1", "roc_auc", "pr_auc"), values[1:], strict=True):
            assert float(text) == round(own[key], 4), (key, text, own)
    counts = [[int(cell) for cell in row[1:]] for row in page.tables["confusion-table"][1:]]
    assert counts == measures["confusion"]
    for name, text in page.tables["measures-table"]:
        assert abs(float(text.split()[0]) - measures[name]) <= 6e-4 * abs(measures[name]), (name, text)


def dependence_is_the_mean_of_what_is_predicted():
    table(gap=0.1)
    answer = fit("--report", "--max-depth", 5)
    lines = list(csv.reader(pathlib.Path("t.csv").read_text().splitlines()))
    assert answer["partial_dependence"], answer
    for name, own in answer["partial_dependence"].items():
        at = lines[0].index(name)
        for value, means in list(zip(own["values"], own["means"], strict=True))[::7]:
            rows = [line[:at] + [repr(value)] + line[at + 1:] for line in lines[1:]]
            with open("same.csv", "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([lines[0], *rows])
            run("tree", "predict", "m.json", "same.csv", "--proba", "-o", "p")
            head, *told = [line.split("\t") for line in pathlib.Path("p.predicted.tsv").read_text().splitlines()]
            for c, mean in enumerate(means):
                assert abs(sum(float(row[1 + c]) for row in told) / len(told) - mean) < 1e-9, (name, value)
    page = pathlib.Path("m.html").read_text()
    assert page.count("<svg ") == 3 + len(answer["partial_dependence"])
    assert "partial_dependence" not in fit("--max-depth", 5)


def dependence_is_the_same_for_any_memory_and_says_its_rows():
    for rows, says in ((300, "over all 300 rows of the training"), (1300, "over 1000 of 1300 rows, evenly apart,")):
        table(rows=rows, gap=0)
        whole = fit("--report", "--max-depth", 3, "--threads", 1)["partial_dependence"]
        assert all((own["rows"], own["of_rows"]) == (min(rows, 1000), rows) for own in whole.values())
        assert says in pathlib.Path("m.html").read_text()
        for memory in ("200k", "400k", "1M"):
            assert fit("--report", "--max-depth", 3, "--threads", 1, "--memory", memory)["partial_dependence"] == whole


def a_page_shows_what_json_says():
    table(gap=0.1)
    for options, key, says in ((["--cv", 4, "--oob"], "cv", "300 rows predicted by trees of other folds"),
                               (["--oob"], "oob", "predicted by the trees that did not see them"),
                               ([], "train", "The trees have seen these rows")):
        answer = fit("--trees", 8, "--report", *options, family="forest")
        assert "m.html" in answer["files"]
        page = page_of("m.html")
        same_figures(page, answer[key])
        assert says in page.text and ("folds: " in page.text) == (key == "cv")
        share = max(own["rows"] for own in answer[key]["classes"]) / answer[key]["rows"]
        assert f"would be right for {100 * share:.1f} %" in page.text
    table("new.csv", seed=7)
    done = json.loads(run("forest", "predict", "m.json", "new.csv", "--label", "class", "--report",
                          "-o", "p", "--json").stdout)
    same_figures(page_of("p.html"), done["measures"])


def a_page_had_no_command_no_dark_colours_and_an_axis_without_a_name():
    table(gap=0)
    for said, options in (("mean share", ()), ("mean prediction", ("--regression", "--ignore", "class"))):
        label = "length" if options else "class"
        run("tree", "fit", "t.csv", "--label", label, "--report", "-o", "m", *options)
        page = pathlib.Path("m.html").read_text()
        assert page.count(">" + said + "</text>") == page.count('aria-label="Prediction by') > 0, options
        assert "<button" in page and 'id="scheme"' in page and 'getElementById("scheme")' in page
        told = page_of("m.html").text
        assert "yupana tree fit t.csv --label" in told and "--report" in told, told
    run("tree", "predict", "m.json", "t.csv", "--label", "length", "--report", "-o", "p")
    assert "yupana tree predict m.json t.csv --label length --report -o p" in page_of("p.html").text


def a_page_has_its_tree_in_lists_that_open():
    for gap in (0, 0.1):
        table(gap=gap, rows=900)
        for options in ([], ["--max-depth", 4]):
            fit("--report", *options)
            model = json.loads(pathlib.Path("m.json").read_text())["trees"][0]
            page = pathlib.Path("m.html").read_text()
            own = page[page.index('<figure id="tree">'):page.index("</figure>", page.index('<figure id="tree">'))]
            inner = sum(f >= 0 for f in model["feature"])
            assert own.count("<details") == own.count("</details>") == inner
            assert own.count('<li class="leaf">') == inner + 1
            assert own.count("<ul>") == own.count("</ul>") == inner + 1
            rules = run("tree", "show", "m.json").stdout
            lines = [line.strip() for line in rules.splitlines()]
            assert lines.pop().startswith("missing values go to") if gap == 0 else "or missing" in rules, rules
            conditions = [line[3:].split(": ")[0].split(" (")[0] for line in lines]
            shown = [html.unescape(text) for text in re.findall(r'(?:<summary>|<span>)(.*?) <b>', own)]
            assert shown[0] == "all rows"
            # A page shortens numbers of many digits; every other word is that of the rules.
            number = re.compile(r"(?<=[<>=] )-?[0-9.e+-]+")
            assert [number.sub("#", text) for text in shown[1:]] == [number.sub("#", text) for text in conditions]
            for whole, short in zip(number.findall("\n".join(conditions)), number.findall("\n".join(shown[1:]))):
                assert len(short) <= 12 and abs(float(whole) - float(short)) <= 1e-5 * abs(float(whole)), (whole, short)
            assert ("missing" in own) == (gap > 0)
            depths, open_at = [], {True: 0, False: 0}
            for tag in re.findall(r"<details( open)?>|(</details>)", own):
                if tag[1]:
                    depths.pop()
                    continue
                assert bool(tag[0]) == (len(depths) < 6)
                open_at[bool(tag[0])] += 1
                depths.append(tag)
            assert (open_at[False] > 0) == (options == []), "below depth 6 lists are closed"
    table()
    run("forest", "fit", "t.csv", "--label", "class", "--trees", 3, "--report", "-o", "m")
    assert 'id="tree"' not in pathlib.Path("m.html").read_text()


def a_class_that_no_row_is_taken_for_and_that_is_as_rare_as_another_was_told_otherwise():
    rows = [(0, "a")] * 60 + [(1, "b")] * 3 + [(1, "d")] * 9 + [(2, "c")] * 3
    pathlib.Path("t.csv").write_text("x,class\n" + "".join(f"{x},{name}\n" for x, name in rows))
    fit("--report")
    text = page_of("m.html").text
    assert "No class is rarer than 'b': of its 3 rows 0.0 % are found, and no row is taken for it." in text
    assert "rarest" not in text and "of the rows taken for it" not in text


def a_page_of_numbers_has_their_errors():
    pathlib.Path("t.csv").write_text("x,class\n" + "".join(f"{i},{i * i % 17}\n" for i in range(90)))
    answer = fit("--regression", "--max-depth", 3, "--report")
    page = page_of("m.html")
    told = dict(page.tables["measures-table"])
    assert len(told) == 4 + 7 and "curves" not in page.tables
    assert abs(float(told["rmse"]) - answer["train"]["rmse"]) < 1e-3
    number = r"-?[0-9.e-]+"
    assert re.search(rf"Half of the errors \(predicted less true\) are from {number} to {number}, nine of ten from {number} to {number}\.",
                     page.text), page.text[:600]


def a_page_needs_a_name_and_labels():
    table()
    refuse("tree", "fit", "t.csv", "--label", "class", "--report", status=2, says=["--report", "-o"])
    refuse("tree", "fit", "t.csv", "--label", "class", "--predictions", "-o", "out", status=2,
           says=["--predictions", "--cv"])
    fit()
    refuse("tree", "predict", "m.json", "t.csv", "--report", "-o", "out", status=2,
           says=["--report", "--label"])
