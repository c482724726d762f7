"""Tables larger than --memory: predicted and grown into forests in parts, to the same bytes."""
import json
import pathlib
import random
import re

from program import refuse, run


def large_table(name="large.csv", rows=60000):
    random.seed(8)
    lines = ["x,y,color,class,size"]
    for i in range(rows):
        x, y = random.random(), random.gauss(0, 1)
        # The first color is rare: most parts of the table do not have it.
        color = "amber" if i % 40000 == 7 else random.choice(["blue", "green"])
        label = "ab"[(x + y / 3 > 0.5) != (color == "blue" and x > 0.8)] if i % 9 else "c"
        lines.append(f"{x},{y if i % 13 else 'NA'},{color},{label},{x * 4 - y:.6f}")
    pathlib.Path(name).write_text("\n".join(lines) + "\n")


def tables_larger_than_the_memory_are_predicted_in_parts():
    large_table()
    assert pathlib.Path("large.csv").stat().st_size > 2.5 * 2**20
    gone = ["--categorical", "color", "--ignore"]
    run("forest", "fit", "large.csv", "--label", "class", *gone, "size", "--trees", 4,
        "--max-depth", 8, "-o", "c")
    run("forest", "fit", "large.csv", "--label", "size", "--regression", *gone, "class", "--trees", 3,
        "--max-depth", 8, "-o", "n")
    for model, label, options in (("c", "class", ["--proba"]), ("n", "size", [])):
        for command in ("predict", "apply"):
            written = {}
            for memory in ("4G", "2M"):
                more = options if command == "predict" else []
                done = run("forest", command, f"{model}.json", "large.csv", "--label", label,
                           "--memory", memory, "-o", "p", "--json", *more)
                answer = json.loads(done.stdout)
                assert answer["rows"] == 60000
                written[memory] = (pathlib.Path(answer["files"][0]).read_bytes(), answer.get("score"))
            assert written["4G"] == written["2M"], (model, command)
    # A fault in the last part leaves nothing.
    with open("large.csv", "a") as file:
        file.write("1,2,blue\n")
    refuse("forest", "predict", "c.json", "large.csv", "--memory", "2M", "-o", "q",
           says=["large.csv:60002", "expected 5 cells, got 3"])


def a_forest_of_parts_grows_from_a_table_larger_than_the_memory():
    """--memory changes no bit of the model and of what is told of it, but for areas that need the
    shares of all rows."""
    large_table()
    common = ["forest", "fit", "large.csv", "--label", "class", "--ignore", "color", "--partition",
              "--trees", 24, "--max-depth", 5, "--json"]
    # Any number of threads parts the lists of three features.
    for more in (["--threads", 2], ["--threads", 32], ["--float32", "--max-features", 0, "--ccp-alpha", 0.001, "--voting", "soft"]):
        told = {}
        for memory in ("4G", "1600K", "1800K"):
            done = run(*common, *more, "--memory", memory, "-o", "m", "--binary")
            assert ("does not fit in memory" in done.stderr) == (memory != "4G")
            answer = json.loads(done.stdout)
            for gone in ("seconds", "stages"):
                del answer[gone]
            if "soft" in more:
                assert ("ROC and PR areas are left out" in done.stderr) == (memory != "4G")
                for own in answer["train"]["classes"]:
                    assert (own.pop("calibration") == []) == (memory != "4G")
                for own in (answer["train"], *answer["train"]["classes"]):
                    for area in ("roc_auc", "pr_auc"):
                        assert (own.pop(area) is None) == (memory != "4G")
            told[memory] = (answer, pathlib.Path("m.json").read_bytes(),
                            pathlib.Path("m.model").read_bytes())
        assert told["1600K"] == told["1800K"] == told["4G"], [t[0] for t in told.values()]
    # What needs all rows at once is refused, and says what does not.
    for options in (["--oob"], ["--balanced"], ["--cv", 3], ["--criterion", "entropy"]):
        refuse(*common, *options, "--memory", "1600K", status=4, says=["memory", "1.6"])
    refuse(*common[:-4], 2, "--memory", "1600K", "-o", "q", status=4,
           says=["60000 rows of 2 parts", "more --trees"])
    # A piece of the file that does not fit is no reason to name less than the run takes.
    words = run(*common, "--memory", "200K", "-o", "q", status=4).stderr
    run(*common, "--memory", re.search(r"([\d.]+[kM]) will do", words)[1], "-o", "q")
    refuse("tree", "fit", "large.csv", "--label", "class", "--ignore", "color", "--memory", "2M",
           status=4, says=["sorted lists", "forest fit --partition"])


def a_table_to_read_was_refused_without_a_figure():
    pathlib.Path("t.csv").write_text("a,b,y\n" + "".join(f"{i},{i * 7 % 11},{i % 2}\n" for i in range(3000)))
    words = run("tree", "fit", "t.csv", "--label", "y", "-o", "m", "--memory", "1k", status=4).stderr
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m", "--memory",
        re.search(r"([\d.]+[kM]) will do", words)[1])
