"""yupana nj, and --tree and --bootstrap of dist and fermat: the trees, and the words of their faults."""
import json
import pathlib
import random
import re

from program import refuse, run


def read(name):
    return pathlib.Path(name).read_text()


def parse(text):
    """The splits of a Newick tree, each with its support; and its leaves' names."""
    stack, names, splits, done, label = [[]], [], {}, None, ""
    for token in re.findall(r"[(),;]|'(?:[^']|'')*'|[^(),;:']+|:[^(),;]+", text.strip()):
        if token == "(":
            stack.append([])
        elif token in "),;":
            if done is not None:
                if label:
                    splits[frozenset(done)] = float(label)
                else:
                    splits.setdefault(frozenset(done), None)
                stack[-1].extend(done)
            done, label = (stack.pop(), "") if token == ")" else (None, "")
        elif token[0] == ":":
            continue
        elif done is not None:
            label = token
        else:
            name = token[1:-1].replace("''", "'") if token[0] == "'" else token
            names.append(name)
            stack[-1].append(name)
    return names, splits


def both_sides(splits, names):
    """As sets without the first leaf; one leaf against all others left out."""
    everyone = frozenset(names)
    sides = {(everyone - s if min(everyone) in s else s): support for s, support in splits.items()}
    return {s: support for s, support in sides.items() if 1 < len(s) < len(everyone) - 1}


def additive(path):
    """PHYLIP: ((a b) c) against (d (e f))."""
    rows = {"a": "0 3 6 12 13 14", "b": "3 0 7 13 14 15", "c": "6 7 0 12 13 14", "d": "12 13 12 0 7 8",
            "e": "13 14 13 7 0 7", "f": "14 15 14 8 7 0"}
    pathlib.Path(path).write_text("6\n" + "".join(f"{name}         {row}\n" for name, row in rows.items()))


def nj_reads_a_matrix_and_writes_newick():
    additive("d.phy")
    run("nj", "d.phy", "-o", "t.nwk")
    names, splits = parse(read("t.nwk"))
    assert sorted(names) == list("abcdef"), names
    assert set(both_sides(splits, names)) == {frozenset("def"), frozenset("cdef"), frozenset("ef")}, splits
    shown = run("nj", "d.phy", "--quiet").stdout
    assert shown == read("t.nwk"), shown
    for device in ("cpu", "reference"):
        for threads in (1, 2, 7):
            run("nj", "d.phy", "--device", device, "--threads", threads, "-o", "o.nwk")
            assert read("o.nwk") == read("t.nwk")
    answer = json.loads(run("nj", "d.phy", "--tree", "bionj", "-o", "b.nwk", "--json").stdout)
    assert answer["leaves"] == 6 and answer["negative_branches"] == 0, answer
    assert parse(read("b.nwk"))[1].keys() == splits.keys()
    run("nj", "d.phy", "--tree", "upgma", "-o", "u.nwk")
    run("nj", "d.phy", "--tree", "average", "-o", "a.nwk")
    assert read("u.nwk") == read("a.nwk") != read("t.nwk")


def small_matrices():
    for n, want in ((1, "x1;"), (2, "(x1:0.5,x2:0.5);"), (3, "(x1:0.5,x2:0.5,x3:0.5);")):
        lines = [f"x{i + 1}\t" + "\t".join(str(int(i != j)) for j in range(n)) for i in range(n)]
        pathlib.Path("s.tsv").write_text("\t" + "\t".join(f"x{i + 1}" for i in range(n)) + "\n" + "\n".join(lines) + "\n")
        run("nj", "s.tsv", "-o", "s.nwk")
        assert read("s.nwk") == want + "\n", (n, read("s.nwk"))


def cohort(name="c", populations=3):
    run("simulate", "--samples", 30, "--sites", 3000, "--populations", populations, "--fst", 0.2, "--missing", 0.01,
        "-o", name)


def the_tree_of_dist_is_that_of_its_matrix():
    cohort()
    run("dist", "c.bed", "--metric", "1-ibs", "--tree", "nj", "-o", "r")
    run("nj", "r.dist.npy", "-o", "t.nwk")
    assert read("t.nwk") == read("r.nwk")
    run("dist", "c.bed", "--tree", "complete", "--format", "tsv", "-o", "q")
    assert read("q.nwk").endswith(";\n") and read("q.nwk") != read("r.nwk")


def the_tree_of_fermat_is_that_of_its_lengths():
    cohort()
    for tree in ("nj", "bionj"):
        run("fermat", "c.bed", "--alpha", 2, "--tree", tree, "-o", "r")
        run("nj", "r.fermat.npy", "--tree", tree, "-o", "t.nwk")
        names, ids = parse(read("t.nwk"))[0], read("r.ids").split()
        number = {str(i + 1): name.split("\t")[-1] for i, name in enumerate(ids)}
        mine = both_sides(parse(read("r.nwk"))[1], ids)
        theirs = {frozenset(number.get(n, n) for n in s): None for s in parse(read("t.nwk"))[1]}
        assert set(mine) == set(both_sides(theirs, ids)), (names[:3], ids[:3])
    assert json.loads(read("r.json"))["tree"] == "bionj"


def support_is_the_same_for_any_threads_and_memory():
    cohort()
    options = ("c.bed", "--tree", "nj", "--bootstrap", 40, "--block", 50, "--seed", 3)
    run("dist", *options, "-o", "r")
    for more in (("--threads", 1), ("--threads", 7), ("--memory", "40M"), ("--device", "reference")):
        run("dist", *options, *more, "-o", "s")
        assert read("s.nwk") == read("r.nwk"), more
    run("dist", *options[:-1], 4, "-o", "s")
    assert read("s.nwk") != read("r.nwk")
    run("dist", "c.bed", "--tree", "nj", "-o", "bare")
    names, splits = parse(read("r.nwk"))
    assert parse(read("bare.nwk"))[1].keys() == splits.keys()
    support = both_sides(splits, names)
    assert len(support) == 27 and all(0 <= s <= 100 for s in support.values()), support
    # The three populations part in every replicate; inside of them nothing is sure.
    assert max(support.values()) == 100 and min(support.values()) < 60, support


def support_of_fermat_is_that_of_every_alpha():
    cohort()
    run("fermat", "c.bed", "--alpha", "1,3", "--tree", "nj", "--bootstrap", 10, "--block", 100, "-o", "f")
    for name in ("f.alpha1.nwk", "f.alpha3.nwk"):
        support = both_sides(*reversed(parse(read(name))))
        assert len(support) == 27 and all(s is not None and s % 10 == 0 for s in support.values()), (name, support)
    assert "percent of 10 replicates, 44 blocks of up to 100 sites, seed 0" in read("f.html")
    run("fermat", "c.bed", "--bootstrap", 10, "--block", 100, "-o", "f")
    names, splits = parse(read("f.nwk"))
    assert all(s is not None for s in both_sides(splits, names).values())


def false_support_of_sites_out_of_order():
    """Each change of window began a new block, without a word: support of single sites."""
    cohort()
    lines = read("c.bim").splitlines()
    fields = [line.split() for line in lines]
    for i, field in enumerate(fields):
        field[0], field[3] = "1", str(1 + i % 2 * 1_000_000 + i)
    pathlib.Path("c.bim").write_text("\n".join("\t".join(field) for field in fields) + "\n")
    for command in (("dist", "c.bed", "--tree", "nj"), ("fermat", "c.bed")):
        refuse(*command, "--bootstrap", 5, "-o", "x", says=["--bootstrap", "in order", "1:3 after 1:1000002", "sort"])
    refuse("dist", "c.bed", "--indep-pairwise", 50, 5, 0.2, "-o", "x", says=["--indep-pairwise", "in order"])


def support_says_how_many_blocks_were_drawn_from():
    cohort()
    for command in (("dist", "c.bed", "--tree", "nj"), ("fermat", "c.bed")):
        options = (*command, "--bootstrap", 5, "-o", "r")
        many = run(*options, "--block", 100)
        assert "support  percent of 5 replicates, 44 blocks of up to 100 sites, seed 0\n" in many.stdout, many.stdout
        assert "few draws" not in many.stderr, many.stderr
        few = run(*options, "--block", 1000, "--chr", "1-19", "--json")
        assert json.loads(few.stdout)["bootstrap_blocks"] == 19, few.stdout
        assert "19 blocks to draw from" in few.stderr, few.stderr
        enough = run(*options, "--block", 1000, "--chr", "1-20", "--json")
        assert json.loads(enough.stdout)["bootstrap_blocks"] == 20 and "few draws" not in enough.stderr


def plans_without_the_sums_of_replicates():
    """--plan promised a run that was refused after it had counted."""
    run("simulate", "--samples", 1200, "--sites", 2000, "--missing", 0.01, "-o", "m")
    for command in (("dist", "m.bed", "--tree", "nj"), ("fermat", "m.bed", "--tree", "nj", "--alpha", 2)):
        options = (*command, "--bootstrap", 3, "--block", 50)
        refuse(*options, "--memory", "70M", "--plan", status=4, says=["1200 samples need"])
        refuse(*options, "--memory", "70M", "-o", "x", status=4, says=["1200 samples need"])
        plan = json.loads(run(*options, "--memory", "1G", "--plan", "--json").stdout)["memory"]
        bare = json.loads(run(*command, "--memory", "1G", "--plan", "--json").stdout)["memory"]
        # 18 sums of 12 bytes a pair, and those of three replicates.
        assert plan > bare + 20 * 12 * 1200 * 1199 / 2, (plan, bare)
        run(*options, "--memory", plan + 1000, "--plan")
        least = (*options[:-3], 1, *options[-2:])
        run(*least, "--memory", plan, "-o", "r")


def lower_triangles_of_phylip_were_refused():
    """mash triangle, FastME and RapidNJ write and read them."""
    square = "4\na 0 1 2 3\nb 1 0 3 4\nc 2 3 0 5\nd 3 4 5 0\n"
    trees = set()
    for rows in (square, "4\na\nb 1\nc 2 3\nd 3 4 5\n", "\t4\na\nb\t1\nc\t2\t3\nd\t3\t4\t5\n",
                 "4\na 0\nb 1 0\nc 2 3 0\nd 3 4 5 0\n"):
        pathlib.Path("t.phy").write_text(rows)
        trees.add(run("nj", "t.phy").stdout)
    assert len(trees) == 1 and "a:" in trees.pop()
    pathlib.Path("t.phy").write_text("4\na\nb 1\nc 2\nd 3 4 5\n")
    refuse("nj", "t.phy", says=["t.phy:4", "expected 2 values, got 1"])
    for rows in ("3\na 1 2\nb 3\nc\n", "4\na 0 1 2\nb 1 0 3\nc 2 3 0\n"):
        pathlib.Path("t.phy").write_text(rows)
        count = rows[0]
        refuse("nj", "t.phy", says=[f"lower triangle, '{count}' and then {count} lines", "got 3 lines"])


def names_are_quoted():
    random.seed(4)
    names = ["a b", "it's", "x(1)", "y_2", "z:3"]
    rows = ["\t".join([name] + [str(abs(i - j)) for j in range(5)]) for i, name in enumerate(names)]
    pathlib.Path("n.tsv").write_text("\t" + "\t".join(names) + "\n" + "\n".join(rows) + "\n")
    run("nj", "n.tsv", "-o", "n.nwk")
    assert sorted(parse(read("n.nwk"))[0]) == sorted(names), read("n.nwk")
    assert "'it''s'" in read("n.nwk") and "'y_2'" in read("n.nwk")


def faults():
    cohort()
    pathlib.Path("inf.tsv").write_text("0 1 inf\n1 0 1\ninf 1 0\n")
    refuse("nj", "inf.tsv", "-o", "x.nwk", says=["expected a distance between every two"])
    refuse("nj", "nothing.npy", "-o", "x.nwk", says="nothing.npy")
    refuse("nj", "-o", "x.nwk", status=2, says="input")
    refuse("nj", "inf.tsv", "--tree", "ward", status=2, says=["--tree", "nj, bionj", "'ward'"])
    refuse("dist", "c.bed", "--tree", "nj", "--metric", "king", "-o", "x", status=2, says=["--tree", "1-ibs"])
    refuse("dist", "c.bed", "--bootstrap", 10, "-o", "x", status=2, says=["--bootstrap", "--tree"])
    refuse("dist", "c.bed", "--tree", "nj", "--block", 10, "-o", "x", status=2, says=["--block", "--bootstrap"])
    refuse("dist", "c.bed", "--tree", "nj", "--seed", 10, "-o", "x", status=2, says=["--seed", "--bootstrap"])
    refuse("dist", "c.bed", "--tree", "nj", "--bootstrap", 0, "-o", "x", status=2, says="--bootstrap")
    refuse("dist", "c.bed", "--tree", "nj", "--bootstrap", 5, "--block", "1mb", "-o", "x", status=2,
           says=["--block", "100kb", "'1mb'"])
    refuse("dist", "c.bed", "--tree", "nj", "--bootstrap", 5, "--block", 5000, "--chr", 1, "-o", "x",
           says=["at least 2 blocks", "1 block"])
    refuse("dist", "c.bed", "--tree", "nj", "--distance", "square", "-o", "x", status=2, says="--tree")
    refuse("fermat", "--from-distances", "inf.tsv", "--bootstrap", 5, "-o", "x", status=2, says="--bootstrap")
    refuse("fermat", "c.bed", "--matrix-only", "--bootstrap", 5, "-o", "x", status=2, says="--bootstrap")


def blocks_were_said_to_have_more_sites_than_there_are():
    run("simulate", "--samples", 12, "--sites", 400, "-o", "c")  # 22 chromosomes, which no block leaves
    for block, said in ((400, "22 blocks of up to 400 sites"), (1, "400 blocks of 1 site,"), ("100kb", "22 blocks of 100 kb")):
        done = run("dist", "c.bed", "--tree", "nj", "--bootstrap", 2, "--block", block, "-o", "t")
        assert said in done.stdout, done.stdout
