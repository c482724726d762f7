"""yupana closest on files of every form, against SciPy's k-d tree and known answers."""
import gzip
import json
import pathlib
import re

import numpy as np
from scipy.spatial import cKDTree
from program import ROOT, refuse, run

POINTS = ROOT.parent / "shared" / "data" / "points"
RNG = np.random.default_rng(1)


def closest(*arguments):
    said = json.loads(run("closest", *arguments, "--json", "--quiet").stdout)
    del said["stages"]
    return said


def tree_distance(x):
    return cKDTree(x.astype(float)).query(x.astype(float), k=2)[0][:, 1].min()


def check(answer, x):
    i, j = answer["i"], answer["j"]
    assert i < j
    assert answer["points"] == x.shape[0] and answer["dimensions"] == x.shape[1]
    assert answer["coordinates"] == x[[i, j]].astype(float).tolist()
    want = tree_distance(x)
    assert abs(answer["distance"] - want) <= 1e-12 * want, (answer, want)


def reads_every_npy():
    for kind in ["f2", ">f2", "f4", "f8", ">f4", ">f8", "i4", ">i2", "u8"]:
        for order in "CF":
            for d in [1, 2, 3, 8]:
                # 300 x 100 values leave few ties of distance 0 to hide behind.
                x = RNG.uniform(0, 30000, (300, d)).astype(kind)
                np.save("x.npy", np.asarray(x, order=order))
                answers = [closest("x.npy", "--device", device, *method)
                           for device, method in [("cpu", []), ("cpu", ["--method", "divide"]),
                                                  ("reference", [])]]
                assert answers[0] == answers[1] == answers[2], answers
                check(answers[0], x)
    np.save("x.npy", np.array([3.0, 9.0, 4.5]))
    assert closest("x.npy")["distance"] == 1.5


def reads_every_text():
    x = RNG.normal(size=(200, 3))
    for separator in [",", "\t", " ", "   "]:
        for names in ["", separator.join("xyz") + "\n"]:
            text = names + "".join(separator.join(map(repr, row)) + "\n" for row in x.tolist())
            pathlib.Path("x.csv").write_text("# remark\n\n" + text)
            check(closest("x.csv"), x)
            with gzip.open("x.csv.gz", "wt") as file:
                file.write(text.replace("\n", "\r\n"))
            check(closest("x.csv.gz"), x)
            check(closest("x.csv", "--columns", "1,3"), x[:, [0, 2]])
    pathlib.Path("x.csv").write_text("id,x,y,note\na,1,2,far\nb,8,2,off\nc,1,5,near\n")
    answer = closest("x.csv", "--columns", "x,y")
    assert (answer["i"], answer["j"], answer["distance"]) == (0, 2, 3), answer
    assert run("closest", "x.csv", "--columns", "x,y", "--quiet").stdout == "0 2 3\n"


def reads_tsplib():
    pathlib.Path("x.tsp").write_text(
        "NAME : x\nTYPE : TSP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
        "1 0 0\n2 1e1 0\n 3 4.5 6\n4 10 2.5\nEOF\n")
    answer = closest("x.tsp")
    assert (answer["i"], answer["j"], answer["distance"]) == (1, 3, 2.5), answer


def knows_the_published_sets():
    if not POINTS.is_dir():
        print(f"        left out: {POINTS} is not there")
        return
    known = {"eil51": 2.236067977, "berlin52": 15, "pr2392": 1, "pla7397": 930.3897033,
             "d15112": 12.04159458, "usa13509": 2.777, "fl1577": 8.350934079}
    for name, distance in known.items():
        answers = [closest(POINTS / f"{name}.tsp.gz", "--method", method)
                   for method in ["grid", "divide"]]
        assert answers[0] == answers[1], answers
        assert abs(answers[0]["distance"] - distance) < 1e-8 * distance, (name, answers[0])
    answer = closest(POINTS / "stars_mag6.csv.gz", "--columns", "lon_deg,lat_deg")
    assert abs(answer["distance"] - 0.0027073973) < 1e-10, answer


def refuses(text, words, *arguments, name="x.csv", status=3):
    if isinstance(text, str):
        pathlib.Path(name).write_text(text)
    refuse("closest", name, *arguments, status=status, says=words)


def memory_counts_what_the_search_holds():
    np.save("x.npy", RNG.normal(size=(100_000, 2)))
    for method in ("grid", "divide"):
        done = run("closest", "x.npy", "--method", method, "--memory", "2M", status=4)
        assert re.search(r"x.npy: 100000 points need ([\d.]+ MB) of memory.*; give --memory [\d.]+M\n", done.stderr), done.stderr
        run("closest", "x.npy", "--method", method, "--memory", "7M")


def a_hint_about_memory_had_no_number():
    pathlib.Path("x.csv").write_text("".join(f"{a},{b}\n" for a, b in RNG.normal(size=(30_000, 2)).tolist()))
    np.save("x.npy", RNG.normal(size=(30_000, 2)))
    for name in ("x.csv", "x.npy"):
        for method in ("grid", "divide"):
            told = run("closest", name, "--method", method, "--memory", "1k", status=4).stderr
            needed = float(re.search(r"give --memory ([\d.]+)M\n", told)[1])
            run("closest", name, "--method", method, "--memory", f"{needed}M")
            run("closest", name, "--method", method, "--memory", f"{0.98 * needed}M", status=4)


def lines_of_carriage_returns_crashed():
    refuses("\r\r\n", "holds no points")
    refuses("\r\r\n1\n", "expected at least 2 points, got 1")
    refuses("NAME : x\nNODE_COORD_SECTION\n\r\r\nEOF\n", "x.tsp", name="x.tsp")
    pathlib.Path("x.csv").write_bytes(b"\r\r\n1 2\n\t\r\r\n4 6\n")
    assert run("closest", "x.csv").stdout.split() == ["0", "1", "5"]


def nodes_without_coordinates_were_points_of_unset_memory():
    for nodes in ["1\n2 5\n3 9\n", "1\n2\n"]:
        refuses(f"NAME : x\nNODE_COORD_SECTION\n{nodes}EOF\n",
                "x.tsp:3: expected a node and its coordinates, got '1' alone", name="x.tsp")


def refuses_bad_input_in_one_line():
    refuses("1,2\n", "x.csv: closest pair: expected at least 2 points, got 1")
    refuses("", "holds no points")
    refuses("x,y\n", "holds no points")
    refuses("1,2\n3\n", "x.csv:2: expected 2 fields, got 1")
    refuses("1,2\n3,x\n", "x.csv:2: expected a finite number, got 'x'")
    refuses("1,2\n3,nan\n", "x.csv:2: expected a finite number, got 'nan'")
    refuses("a,b\n1,2\n3,4\n", "no column 'c': 2 columns: a, b", "--columns", "c")
    refuses("1 2 3 4 5 6 7 8 9\n" * 2, "expected 1 to 8 coordinates, got 9")
    refuses("NAME : x\nDIMENSION : 3\nNODE_COORD_SECTION\n1 0 0\n2 1 1\nEOF\n",
            "DIMENSION announces 3 nodes, 2 have coordinates", name="x.tsp")
    refuses("NAME : x\nEDGE_WEIGHT_TYPE : EXPLICIT\n", "no NODE_COORD_SECTION", name="x.tsp")
    refuses("NAME : x\nEDGE_WEIGHT_TYPE : EXPLICIT\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n", "EXPLICIT", name="x.tsp")
    refuses(None, "x.none", name="x.none")
    x = RNG.normal(size=(5, 2))
    x[3, 1] = np.inf
    np.save("x.npy", x)
    refuses(None, "x.npy: closest pair: a coordinate of row 4 (from 1) is NaN or infinite",
            name="x.npy")
    np.save("x.npy", np.zeros((4, 2, 2)))
    refuses(None, "expected points in rows (n x d), got an array of 3 dimensions", name="x.npy")
    np.save("x.npy", np.array([[2**53 + 1, 1], [3, 4]]))
    refuses(None, "beyond 2^53", name="x.npy")
    np.save("x.npy", np.zeros((4, 2)))
    whole = pathlib.Path("x.npy").read_bytes()
    pathlib.Path("x.npy").write_bytes(whole[:-1])
    refuses(None, "copy it again", name="x.npy")
    pathlib.Path("x.npy").write_bytes(whole)
    refuses(None, "is a .npy, which is taken whole", "--columns", "1", name="x.npy", status=2)
