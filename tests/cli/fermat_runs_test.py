"""yupana fermat and yupana path: shares, units and files say what is so, for every kind of run."""
import itertools
import json
import pathlib

import numpy as np

from program import answer, run


def points(n, seed=1):
    p = np.random.default_rng(seed).random((n, 2))
    d = np.sqrt(((p[:, None] - p[None]) ** 2).sum(-1))
    return (d + d.T) / 2


def two_halves(whole=False):
    d = points(40)
    if whole:
        d = np.round(100 * d)
    d[:20, 20:] = d[20:, :20] = np.inf
    return d


def equal_alphas_are_computed_once():
    np.save("D.npy", points(20))
    done = run("fermat", "--from-distances", "D.npy", "--alpha", "2,2.0,3", "-o", "a")
    assert "alpha 2 was given more than once" in done.stderr, done.stderr
    found = sorted(p.name for p in pathlib.Path(".").glob("a.*.fermat.npy"))
    assert found == ["a.alpha2.fermat.npy", "a.alpha3.fermat.npy"], found
    run("fermat", "--from-distances", "D.npy", "--alpha", "2,2.0000000001", "-o", "b")
    assert pathlib.Path("b.alpha2.0000000001.fermat.npy").exists()
    shown = answer("path", "b", "1", "2", "--alpha", "2.0000000001")
    assert shown["alpha"] == 2.0000000001, shown
    wrong = run("path", "b", "1", "2", "--alpha", "2.1", status=3).stderr
    assert "2 2.0000000001" in wrong, wrong


def labels_of_one_class_show_before_the_work():
    run("simulate", "--samples", 30, "--sites", 300, "-o", "c")
    names = [line.split()[1] for line in pathlib.Path("c.fam").read_text().splitlines()]
    pathlib.Path("one.tsv").write_text("".join(f"{name}\tA\n" for name in names))
    told = run("fermat", "c.bed", "--labels", "one.tsv", "-o", "x", status=3).stderr
    assert told.count("\n") == 1 and "one.tsv: expected labels of at least 2 classes" in told, told
    assert not list(pathlib.Path(".").glob("x*"))


def counts_below_one_and_two_approximations_are_refused():
    np.save("D.npy", points(20))
    for options, words in ((("--knn", 0), ("--knn", "at least 1, got '0'")),
                           (("--landmarks", "x"), ("--landmarks", "at least 1, got 'x'")),
                           (("--knn", 3, "--landmarks", 3), ("--knn", "--landmarks"))):
        told = run("fermat", "--from-distances", "D.npy", *options, "-o", "x", status=2).stderr
        assert all(word in told for word in words) and len(told) < 200, told


def absent_edges_are_not_kept():
    np.save("D.npy", two_halves())
    told = answer("fermat", "--from-distances", "D.npy", "-o", "a")
    one = told["runs"][0]
    assert one["components"] == 2 and abs(one["unreachable_pairs"] - 400 / 780) < 1e-12, one
    lengths, direct = np.load("a.fermat.npy"), two_halves() ** 2
    upper = np.triu_indices(40, 1)
    with np.errstate(invalid="ignore"):
        kept = np.isclose(lengths, direct, rtol=1e-6)[upper] & np.isfinite(lengths[upper])
    assert abs(one["kept_edges"] - kept.mean()) < 1e-12, (one, kept.mean())
    assert abs(one["replaced_edges"] + one["kept_edges"] + one["unreachable_pairs"] - 1) < 1e-12
    assert any("2 components" in notice for notice in told["notices"]), told["notices"]
    assert any("no embedding" in notice for notice in told["notices"]), told["notices"]


def integers_of_unreachable_pairs_are_written_as_infinity():
    d = two_halves(whole=True)
    np.save("D.npy", d)
    for options in ((), ("--matrix-only",), ("--knn", 4)):
        one = answer("fermat", "--from-distances", "D.npy", *options, "-o", "a")["runs"][0]
        lengths = np.load("a.fermat.npy")
        assert one["precision"] == "int32" and lengths.dtype == np.float64, (one, lengths.dtype)
        assert np.isinf(lengths[:20, 20:]).all() and lengths[np.isfinite(lengths)].max() < 1e6
    np.save("E.npy", d[:20, :20])
    run("fermat", "--from-distances", "E.npy", "-o", "b")
    assert np.load("b.fermat.npy").dtype == np.int32
    assert np.array_equal(np.load("b.fermat.npy"), np.load("b.fermat.npy").T)


def nearest_neighbours_say_what_they_found():
    np.save("D.npy", points(60))
    exact = answer("fermat", "--from-distances", "D.npy", "--alpha", 4, "-o", "a")["runs"][0]
    for k in (2, 8, 59):
        told = answer("fermat", "--from-distances", "D.npy", "--alpha", 4, "--knn", k, "-o", "b")
        near = told["runs"][0]
        shares = [near[s] for s in ("kept_edges", "replaced_edges", "longer_edges",
                                    "unreachable_pairs")]
        assert abs(sum(shares) - 1) < 1e-12, near
        assert near["replaced_edges"] <= exact["replaced_edges"] and near["certified"] > 0, near
        said = ("at least" in told["findings"][0]) if near["certified"] < 1 else (
            told["findings"] == json.loads(run("fermat", "--from-distances", "D.npy", "--alpha", 4,
                                               "-o", "a", "--json").stdout)["findings"])
        assert said, told["findings"]
    assert near["certified"] == 1 and near["kept_edges"] == exact["kept_edges"], near


def more_neighbours_and_landmarks_were_named_than_there_are():
    np.save("D.npy", points(12))
    told = answer("fermat", "--from-distances", "D.npy", "--knn", 1000, "-o", "b")
    assert told["runs"][0]["method"] == "Dijkstra on 11 nearest neighbours", told["runs"]
    assert any("the 11 nearest neighbours" in notice for notice in told["notices"]), told["notices"]
    assert "1000" not in json.dumps([told["notices"], told["findings"]]), told
    told = answer("fermat", "--from-distances", "D.npy", "--landmarks", 1000, "-o", "b")
    assert not told["notices"], told["notices"]


def as_many_landmarks_as_individuals_were_called_an_estimate():
    np.save("D.npy", points(12))
    for estimator in ("upper", "lower", "mean"):
        done = run("fermat", "--from-distances", "D.npy", "--alpha", 4, "--landmarks", 12,
                   "--estimator", estimator, "-o", "b")
        assert "estimate" not in done.stdout + pathlib.Path("b.html").read_text().split("<script>")[0]
        assert "there are 12 individuals, so lengths are those over all edges" in done.stderr
        assert json.loads(pathlib.Path("b.json").read_text())["landmarks"] == 0
        run("fermat", "--from-distances", "D.npy", "--alpha", 4, "-o", "a")
        for ending in (".fermat.npy", ".nwk", ".mds.tsv"):
            assert pathlib.Path("a" + ending).read_bytes() == pathlib.Path("b" + ending).read_bytes()
        run("path", "b", 1, 12)


def absent_edges_were_called_a_complete_graph_and_a_minority_most_of_it():
    np.save("D.npy", two_halves())
    told = answer("fermat", "--from-distances", "D.npy", "--alpha", 4, "-o", "b")
    shares = told["runs"][0]
    assert shares["kept_edges"] < shares["replaced_edges"] < 0.5, shares
    assert "most of the matrix" not in told["findings"][0], told["findings"]
    assert "every pair has its direct edge" not in pathlib.Path("b.html").read_text()


def a_run_was_lost_where_eigenvalues_about_zero_do_not_converge():
    x = np.random.default_rng(0).normal(size=(400, 3))
    np.save("D.npy", np.sqrt(((x[:, None] - x) ** 2).sum(2)))
    done = run("fermat", "--from-distances", "D.npy", "--alpha", 1.2, "-o", "b")
    assert "3 of 10 coordinates are given" in done.stderr, done.stderr
    head = [line for line in pathlib.Path("b.mds.tsv").read_text().splitlines()
            if line.startswith("# d^1.2 ")]
    assert len(head[0].split("share ")[1].split()) == 3, head


def a_note_was_printed_once_for_the_lengths_and_once_for_the_curve():
    np.save("D.npy", points(12))
    done = run("fermat", "--from-distances", "D.npy", "--alpha", 700, "-o", "b")
    assert done.stderr.count("below the floating-point range") == 1, done.stderr


def a_record_that_is_none_is_one_clear_line():
    np.save("D.npy", points(20))
    run("fermat", "--from-distances", "D.npy", "-o", "a")
    record = json.loads(pathlib.Path("a.json").read_text())
    del record["runs"][0]["weight_scale"]
    pathlib.Path("a.json").write_text(json.dumps(record))
    told = run("path", "a", 1, 2, status=3).stderr
    assert "a.json: expected the unit of the lengths" in told, told
    record["runs"][0]["alpha"] = "two"
    pathlib.Path("a.json").write_text(json.dumps(record))
    told = run("path", "a", 1, 2, status=3).stderr
    assert "a.json: 'alpha'" in told and told.count("\n") == 1, told


def landmarks_are_an_upper_bound_and_called_an_estimate():
    np.save("D.npy", points(60))
    run("fermat", "--from-distances", "D.npy", "--alpha", 4, "-o", "a")
    exact = np.load("a.fermat.npy")
    told = answer("fermat", "--from-distances", "D.npy", "--alpha", 4, "--landmarks", 9, "-o", "b")
    assert (np.load("b.fermat.npy") >= exact * (1 - 1e-6)).all()
    assert "estimate" in told["findings"][0] and "estimate" in told["runs"][0]["method"]
    assert all("estimate" in m["matrix"] for m in told["matrices"] if "Fermat" in m["matrix"])
    assert "upper bound" in pathlib.Path("b.graphml").read_text()


def shares_of_an_estimate_were_recorded_as_known():
    np.save("D.npy", points(60))
    for estimator in ("upper", "lower", "mean"):
        told = answer("fermat", "--from-distances", "D.npy", "--alpha", 4, "--landmarks", 9,
                      "--estimator", estimator, "-o", "b")
        for one in (told["runs"][0], json.loads(pathlib.Path("b.json").read_text())["runs"][0]):
            assert one["kept_edges"] is one["replaced_edges"] is one["longer_edges"] is None, one
        page = pathlib.Path("b.html").read_text()
        assert "of the edges kept" not in page and "not known from an estimate" in page


def one_vanished_weight_was_not_said_to_be_one():
    for close, told in ((1, "the weight of 1 pair is"), (3, "the weights of 3 pairs are")):
        # Landmarks and roots leave nothing to compare.
        d = points(40)
        for k in range(close):
            d[2 * k, 2 * k + 1] = d[2 * k + 1, 2 * k] = 1e-9
        np.save("D.npy", d)
        for option in (("--landmarks", 5), ("--root",)):
            said = answer("fermat", "--from-distances", "D.npy", "--alpha", 100, *option, "-o", "r")["findings"][0]
            assert said.startswith(f"At α = 100 {told} below the range of float64 or next to its end, so which"), said


def one_vanished_weight_hid_the_shares_of_all_others():
    d = points(40)
    for close in (1, 2):
        d[2 * close - 2, 2 * close - 1] = d[2 * close - 1, 2 * close - 2] = 1e-30
        np.save("D.npy", d)
        done = answer("fermat", "--from-distances", "D.npy", "--alpha", 20, "--precision", "float64", "-o", "r")
        assert done["runs"][0]["kept_edges"] is None, done
        # Weights that vanish cost nothing, as zero does.
        weights = np.where(d < 1e-20, 0, d**20)
        lengths = weights.copy()
        for via in range(40):
            lengths = np.minimum(lengths, lengths[:, [via]] + lengths[[via]])
        known = np.triu(d > 1e-20, 1)
        kept = np.isclose(lengths, weights, rtol=1e-9, atol=0)[known].mean()
        pairs = done["runs"][0]["known_pairs"]
        assert pairs == json.loads(pathlib.Path("r.json").read_text())["runs"][0]["known_pairs"], pairs
        assert pairs["left_out"] == close and sum(pairs.values()) == 780, pairs
        assert abs(pairs["kept"] / (780 - close) - kept) < 1e-9 and pairs["kept"] + pairs["replaced"] == 780 - close, pairs
        said = done["findings"][0]
        assert f"of the other {780 - close} pairs, {100 * kept:.1f} % keep" in said, (said, kept)
        assert f"without {close} pair{'s' * (close > 1)} whose weight vanishes" in pathlib.Path("r.html").read_text()


def the_only_pair_that_is_known_was_100_percent_of_1_pair():
    np.save("D.npy", np.array([[0, 1e-30, np.inf], [1e-30, 0, 1], [np.inf, 1, 0]]))
    done = answer("fermat", "--from-distances", "D.npy", "--alpha", 20, "--precision", "float64", "-o", "r")
    pairs = done["runs"][0]["known_pairs"]
    assert (pairs["left_out"], pairs["kept"], pairs["replaced"]) == (1, 1, 1), pairs
    d = np.array([[0, 1e-30, 1e-30], [1e-30, 0, 1], [1e-30, 1, 0]])
    np.save("D.npy", d)
    said = answer("fermat", "--from-distances", "D.npy", "--alpha", 20, "--precision", "float64", "-o", "r")["findings"][0]
    assert "left out here: the only other pair has a shorter path than its direct edge. A" in said, said


def a_label_of_its_own_for_everyone_had_an_adjusted_rand_index_of_1():
    run("simulate", "--samples", 30, "--sites", 200, "-o", "c")
    names = [line.split()[1] for line in pathlib.Path("c.fam").read_text().splitlines()]
    pathlib.Path("own.tsv").write_text("".join(f"{name}\tL{name}\n" for name in names))
    done = answer("fermat", "c.bed", "--labels", "own.tsv", "-o", "r")
    assert not any("adjusted_rand" in matrix for matrix in done["matrices"]), done
    assert not any("Rand" in said for said in done["findings"]), done
    assert [said for said in done["notices"] if "label of its own" in said and "are left out" in said], done
    pathlib.Path("own.tsv").write_text("".join(f"{name}\tL{name[:-1]}\n" for name in names))
    assert "adjusted_rand" in answer("fermat", "c.bed", "--labels", "own.tsv", "-o", "r")["matrices"][0]


def an_input_after_alpha_was_called_a_bad_number():
    run("simulate", "--samples", 20, "--sites", 100, "-o", "c")
    run("fermat", "--alpha", 2, "c.bed", "-o", "r")
    assert pathlib.Path("r.ids").read_text().count("\n") == 20
    told = run("fermat", "--bfile", "c", "--alpha", 2, "c.bed", "-o", "r", status=2).stderr
    assert "expected a number from 1 to 1000 or 'auto', got 'c.bed'" in told, told
    for given in ("2,,3", ",2", "2,"):
        told = run("fermat", "c.bed", "--alpha", given, "-o", "r", status=2).stderr
        assert "expected a number from 1 to 1000 or 'auto', got ''" in told, (given, told)
    told = run("fermat", "c.bed", "--alpha", "", "-o", "r", status=2).stderr
    assert "expected a number from 1 to 1000 or 'auto', got ''" in told, told


def paths_between_fewer_than_three_were_called_unchanged_by_fermat():
    for samples, told in ((1, "One individual"), (2, "Two individuals")):
        said = run("fermat", f"simulate:{samples}x30", "-o", "r").stdout
        assert f"Notice: {told}" in said and "changed" not in said and "auto" not in said, said
        assert "changed nothing" not in pathlib.Path("r.html").read_text()


def equal_individuals_were_told_of_an_alpha_that_changes_half_of_their_edges():
    np.save("D.npy", np.zeros((4, 4)))
    for options in ((), ("--alpha", "auto"), ("--matrix-only",)):
        said = run("fermat", "--from-distances", "D.npy", *options, "-o", "r").stdout
        assert "Notice: Every distance is zero, which no power and no path changes." in said, said
        assert "auto" not in said and "edge" not in said, said


def a_header_of_other_words_was_counted_as_the_label_of_a_sample():
    run("simulate", "--samples", 20, "--sites", 100, "-o", "c")
    rows = [f"s{i}\tA{i % 2}\n" for i in range(1, 21)]
    pathlib.Path("l.tsv").write_text("accession\torigin\n" + "".join(rows))
    told = run("fermat", "c.bed", "--labels", "l.tsv", "-o", "r").stderr
    assert "'accession origin', names no sample and is taken for a header" in told, told
    assert "not in the input" not in told, told
    pathlib.Path("l.tsv").write_text("s99\tA1\n" + "".join(rows))  # a sample of another cohort
    told = run("fermat", "c.bed", "--labels", "l.tsv", "-o", "r").stderr
    assert "1 label of samples not in the input" in told and "header" not in told, told


def the_first_of_two_label_columns_of_one_name_was_taken():
    run("simulate", "--samples", 20, "--sites", 100, "-o", "c")
    rows = [f"s{i}\tA{i % 2}\tB{i % 3}\n" for i in range(1, 21)]
    pathlib.Path("l.tsv").write_text("".join(["sample\tpop\tpop\n", *rows]))
    for column, words in (("pop", "several columns 'pop'"), ("0", "number from 1, got '0'")):
        told = run("fermat", "c.bed", "--labels", "l.tsv", "--label-column", column, "-o", "r",
                   status=2).stderr
        assert words in told, told


def populations_without_a_sample_went_without_a_word():
    told = run("simulate", "--samples", 20, "--sites", 10, "--populations", 30, "-o", "c").stderr
    assert "30 populations for 20 samples: the others have none" in told, told


def alpha_auto_of_a_sample_did_not_say_so():
    np.save("D.npy", points(2060).astype(np.float32))
    for n, said in ((2060, True), (60, False)):
        np.save("D.npy", points(n).astype(np.float32))
        done = run("fermat", "--from-distances", "D.npy", "--alpha", "auto", "--matrix-only",
                   "-o", "a")
        assert ("2048 of the 2060 individuals, drawn at random" in done.stderr) == said, done.stderr


def paths_of_every_kind_of_run_have_the_length_that_was_written():
    """alpha 300 and --root once failed, or compared lengths of different units."""
    d = {"points": points(40), "whole": np.round(100 * points(40)), "halves": two_halves(),
         "whole halves": two_halves(whole=True), "long": 5000 * points(40)}
    options = ((), ("--root",), ("--knn", 6), ("--knn", 6, "--root"), ("--precision", "float64"))
    for name, alpha, more in itertools.product(d, (1, 2, 3.7, 16, 20.57, 300), options):
        np.save("D.npy", d[name])
        run("fermat", "--from-distances", "D.npy", "--alpha", alpha, *more, "--matrix-only", "-o",
            "a", "--quiet")
        lengths = np.load("a.fermat.npy")
        for a, b in ((0, 7), (3, 30), (39, 12)):
            told = answer("path", "a", a + 1, b + 1)
            where = (name, alpha, more, a, b, told)
            if not np.isfinite(lengths[a, b]):
                assert told["length"] is None and told["path"] == [], where
                assert (told["direct"] is None) == np.isinf(d[name][a, b]), where
                continue
            rounding = 1e-12 if lengths.dtype != np.float32 else 1e-5
            tiny = np.finfo(lengths.dtype).tiny if lengths.dtype.kind == "f" else 0
            assert abs(told["length"] - lengths[a, b]) <= rounding * lengths[a, b] + 99 * tiny, where
            steps = np.array(told["distances"])
            chain = [int(v) - 1 for v in told["path"]]
            assert np.array_equal(steps, d[name][chain[:-1], chain[1:]]), where
            total = ((steps / told["weight_scale"]) ** alpha).sum()
            if told["rooted"]:
                total = told["weight_scale"] * total ** (1 / alpha)
            assert np.isclose(told["length"], total, rtol=1e-9, atol=0), where
            if len(chain) == 2:
                assert told["direct"] == told["length"], where
            elif not more or "--knn" not in more:
                assert told["direct"] >= told["length"] * (1 - 1e-5), where


def powers_of_large_whole_distances_have_pictures():
    """d^24 of whole distances is exact in float64 and was infinite in the floats of the pictures."""
    np.save("D.npy", np.round(1000 * points(40)))
    pathlib.Path("two.tsv").write_text("".join(f"{i}\t{'AB'[i > 20]}\n" for i in range(1, 41)))
    for options in ((), ("--root",)):
        told = answer("fermat", "--from-distances", "D.npy", "--labels", "two.tsv", "--alpha", 24,
                      *options, "-o", "a")
        assert all("silhouette" in matrix for matrix in told["matrices"]), told["matrices"]
        assert any("in units of" in notice for notice in told["notices"]), told["notices"]


def printed_lengths_name_their_unit():
    np.save("D.npy", two_halves())
    run("fermat", "--from-distances", "D.npy", "--alpha", "2,4", "-o", "a", "--root")
    shown = run("path", "a", 1, 7).stdout
    assert "(each a 1/2 power of the sum of d^2, in the unit of d)" in shown, shown
    shown = run("path", "a", 1, 30).stdout
    assert shown == "no path joins 1 and 30, alpha 2; there is no direct edge\n", shown
    run("fermat", "--from-distances", "D.npy", "--alpha", "auto", "-o", "b")
    alpha = json.loads(pathlib.Path("b.json").read_text())["runs"][0]["alpha"]
    assert f"alpha {alpha:.15g};" in run("path", "b", 1, 7, "--alpha", f"{alpha:.15g}").stdout
