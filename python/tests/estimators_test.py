import io
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import datasets
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as PeerTree
from sklearn.tree import DecisionTreeRegressor as PeerRegressor
from sklearn.tree import export_graphviz
from sklearn.utils.estimator_checks import parametrize_with_checks

import yupana

ESTIMATORS = [
    yupana.ExtraTreeClassifier(),
    yupana.DecisionTreeClassifier(),
    yupana.DecisionTreeRegressor(),
    yupana.RandomForestClassifier(n_estimators=10),
    yupana.RandomForestRegressor(n_estimators=10),
    yupana.ExtraTreesRegressor(n_estimators=10),
    yupana.SOM(rows=3, cols=4),
]


def expected_failures(estimator):
    """What docs/python.md says of these."""
    failures = {}
    if isinstance(estimator, (yupana.RandomForestClassifier, yupana.RandomForestRegressor)):
        # scikit-learn's forests fail this one too.
        for kind in ("dense", "sparse"):
            failures[f"check_sample_weight_equivalence_on_{kind}_data"] = (
                "a row of weight 2 is drawn as often as one of weight 1"
            )
    return failures


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    return datasets.load_wine(return_X_y=True)


def test_one_tree_is_scikit_learns_where_no_gains_are_equal(wine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).astype(np.float32)  # as scikit-learn stores values
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=3000) > 0).astype(int)
    for depth in (1, 2, 4):
        ours = yupana.DecisionTreeClassifier(max_depth=depth).fit(X, y)
        peer = PeerTree(max_depth=depth, random_state=0).fit(X, y)
        assert np.allclose(ours.predict_proba(X), peer.predict_proba(X))
        assert np.array_equal(ours.tree_.feature, peer.tree_.feature)
        assert np.allclose(ours.tree_.threshold, peer.tree_.threshold)
        assert np.allclose(ours.tree_.value, peer.tree_.value)
        assert np.allclose(ours.feature_importances_, peer.feature_importances_)
        assert np.array_equal(ours.apply(X), peer.apply(X))
        assert (ours.decision_path(X) != peer.decision_path(X)).nnz == 0
    X, y = wine
    target = X[:, 0].astype(float)
    ours = yupana.DecisionTreeRegressor(max_depth=3).fit(X[:, 1:], target)
    peer = PeerRegressor(max_depth=3, random_state=0).fit(X[:, 1:], target)
    assert np.isclose(ours.score(X[:, 1:], target), peer.score(X[:, 1:], target), atol=0.02)
    path = yupana.DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas[0] == 0 and (np.diff(path.ccp_alphas) >= 0).all()


def test_forest_is_as_accurate_as_scikit_learns(wine):
    X, y = wine
    ours = cross_val_score(yupana.RandomForestClassifier(random_state=0), X, y, cv=5).mean()
    peer = cross_val_score(PeerForest(random_state=0), X, y, cv=5).mean()
    assert ours > peer - 0.03
    model = yupana.RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ > 0.9 and len(model.estimators_) == len(model) == 100
    mean = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    assert np.allclose(mean, model.predict_proba(X))
    parts = yupana.RandomForestClassifier(5, bootstrap="partition", random_state=0).fit(X, y)
    assert sum(tree.tree_.n_node_samples[0] for tree in parts.estimators_) == len(X)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_same_bits_for_any_threads_and_after_pickling(estimator, wine):
    X, y = wine
    models = [
        clone(estimator).set_params(random_state=3, threads=threads).fit(X, y)
        for threads in (1, 2, 7)
    ]
    models.append(pickle.loads(pickle.dumps(models[0])))
    models.append(type(estimator).from_bytes(models[0].to_bytes()))
    if hasattr(estimator, "transform"):
        results = [model.transform(X) for model in models]
    else:
        results = [model.predict(X) for model in models]
    for result in results[1:]:
        assert result.tobytes() == results[0].tobytes()


def test_classes_come_back_from_bytes_as_they_were(wine):
    X, y = wine
    for labels in (y, np.array(["a", "b", "c"])[y], y * 2.0):
        model = yupana.DecisionTreeClassifier().fit(X, labels)
        again = yupana.DecisionTreeClassifier.from_bytes(model.to_bytes())
        assert np.array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="cut short"):
        yupana.DecisionTreeClassifier.from_bytes(model.to_bytes()[:-5])
    with pytest.raises(ValueError, match="classes"):
        yupana.DecisionTreeRegressor.from_bytes(model.to_bytes())


def test_pandas_and_arrow_tables(wine):
    X, y = wine
    names = [f"feature {i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    table = pa.table({name: X[:, i] for i, name in enumerate(names)})
    wanted = yupana.DecisionTreeClassifier(random_state=0).fit(X, y)
    for tabular in (frame, table):
        model = yupana.DecisionTreeClassifier(random_state=0).fit(tabular, y)
        assert model.tree_.threshold.tobytes() == wanted.tree_.threshold.tobytes()
        assert list(model.feature_names_in_) == names
        assert np.array_equal(model.predict(tabular), wanted.predict(X))
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(table.rename_columns(names[::-1]))
        som = yupana.SOM(2, 2, random_state=0).fit(tabular)
        assert som.weights_.tobytes() == yupana.SOM(2, 2, random_state=0).fit(X).weights_.tobytes()
    holes = pa.table({"x": pa.array([1.0, None, 3.0, 4.0])})
    model = yupana.DecisionTreeClassifier().fit(holes, pa.array([0, 1, 1, 1]))
    assert model.predict(holes).tolist() == [0, 1, 1, 1]


def test_missing_values_and_weights(wine):
    X, y = wine
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert yupana.DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = yupana.DecisionTreeClassifier().fit(X, y, sample_weight=weights)
    repeated = yupana.DecisionTreeClassifier().fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    assert np.array_equal(weighted.tree_.threshold, repeated.tree_.threshold)


def test_trees_equal_the_command_line(wine, program, tmp_path):
    X, y = wine
    names = [f"f{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    frame.assign(kind=y).to_csv(tmp_path / "wine.csv", index=False)
    program("tree", "fit", tmp_path / "wine.csv", "--label", "kind", "--binary", "-o",
            tmp_path / "tree")
    theirs = yupana.DecisionTreeClassifier.from_bytes((tmp_path / "tree.model").read_bytes())
    ours = yupana.DecisionTreeClassifier().fit(frame, y)
    for got, wanted in zip(theirs.tree_.__getstate__().values(), ours.tree_.__getstate__().values()):
        assert np.array_equal(got, wanted)
    program("forest", "fit", tmp_path / "wine.csv", "--label", "kind", "--binary", "--trees", 7,
            "--seed", 5, "-o", tmp_path / "forest")
    theirs = yupana.RandomForestClassifier.from_bytes((tmp_path / "forest.model").read_bytes())
    ours = yupana.RandomForestClassifier(7, random_state=5).fit(frame, y)
    for mine, other in zip(ours.estimators_, theirs.estimators_):
        assert np.array_equal(mine.tree_.threshold, other.tree_.threshold)


def test_som_equals_the_command_line(program, tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 5)).astype(np.float32)
    pd.DataFrame(X.astype(float), columns=list("abcde")).to_csv(tmp_path / "x.csv", index=False, float_format="%.17g")
    program("som", "fit", tmp_path / "x.csv", "--rows", 4, "--cols", 3, "--iterations", 7,
            "--seed", 2, "-o", tmp_path / "map")
    wanted = np.load(tmp_path / "map.codebook.npy")
    som = yupana.SOM(4, 3, iterations=7, random_state=2).fit(X)
    assert som.weights_.tobytes() == wanted.tobytes()
    assert np.array_equal(som.u_matrix(), np.load(tmp_path / "map.umatrix.npy"))
    assert np.array_equal(som.activation_response(X), np.load(tmp_path / "map.hits.npy"))


def test_som_says_what_users_ask_of_a_map():
    X = np.random.default_rng(0).normal(size=(300, 4))
    som = yupana.SOM(5, 6, lattice="hexagonal", random_state=0).fit(X)
    distances = som.transform(X)
    assert np.array_equal(distances.argmin(axis=1), som.predict(X))
    assert np.isclose(som.quantization_error(X), distances.min(axis=1).mean())
    assert 0 <= som.topographic_error(X) <= 1
    assert som.bmu_coords(X).max(axis=0).tolist() <= [4, 5]
    assert som.sigma_[0] == 3 and np.isclose(som.sigma_[-1], 0.5, atol=0.1)
    further = yupana.SOM(5, 6, lattice="hexagonal", iterations=2).fit_from(X, som.weights_)
    assert further.weights_.shape == som.weights_.shape


@pytest.mark.parametrize("estimator", ESTIMATORS[3:], ids=lambda e: type(e).__name__)
def test_progress_is_told_and_is_no_part_of_the_model(estimator):
    X = np.random.default_rng(0).normal(size=(60_000, 12))
    y = np.random.default_rng(1).integers(0, 2, len(X))  # deep trees
    told = []
    model = clone(estimator).set_params(random_state=0, threads=1)
    quiet = clone(model).fit(X, y).to_bytes()
    if hasattr(model, "iterations"):
        model.set_params(iterations=100)
        quiet = clone(model).fit(X, y).to_bytes()
    model.set_params(progress=lambda *report: told.append(report)).fit(X, y)
    assert told and {len(report) for report in told} == {5}
    assert model.to_bytes() == quiet


def test_pipelines_and_searches_take_them(wine):
    from sklearn.model_selection import GridSearchCV

    X, y = wine
    steps = make_pipeline(StandardScaler(), yupana.SOM(4, 4, random_state=0),
                          yupana.DecisionTreeClassifier(max_depth=3))
    assert steps.fit(X, y).score(X, y) > 0.8
    search = GridSearchCV(yupana.DecisionTreeClassifier(), {"max_depth": [1, 3]}, n_jobs=2)
    assert search.fit(X, y).best_params_["max_depth"] == 3


@pytest.mark.parametrize(
    "estimator, words",
    [
        (yupana.DecisionTreeClassifier(criterion="magic"), "gini"),
        (yupana.DecisionTreeClassifier(max_depth=0), "max_depth"),
        (yupana.DecisionTreeClassifier(max_features=0), "max_features"),
        (yupana.DecisionTreeClassifier(min_samples_leaf=0), "min_samples_leaf"),
        (yupana.RandomForestClassifier(n_estimators=0), "n_estimators"),
        (yupana.RandomForestClassifier(bootstrap=False, oob_score=True), "bootstrap=True"),
        (yupana.RandomForestClassifier(bootstrap=False, max_samples=0.5), "max_sample"),
        (yupana.RandomForestClassifier(max_samples=10**9), "max_samples: expected 1 to"),
        (yupana.DecisionTreeRegressor(min_weight_fraction_leaf=0.6), "min_weight_fraction_leaf"),
        (yupana.DecisionTreeRegressor(max_leaf_nodes=1), "max_leaf_nodes"),
        (yupana.DecisionTreeRegressor(splitter="random", device="cuda"), "device: expected"),
        (yupana.DecisionTreeRegressor(monotonic_cst=[1]), "monotonic_cst has shape 1"),
        (yupana.SOM(rows=0), "row"),
        (yupana.SOM(lattice="cubic"), "hexagonal"),
        (yupana.SOM(sigmaf=-1.0), "sigma"),
    ],
)
def test_bad_parameters_are_one_clear_line(estimator, words, wine):
    with pytest.raises(ValueError, match=words) as caught:
        estimator.fit(*wine)
    assert "\n" not in str(caught.value)


def test_tables_of_other_than_numbers_name_the_column(wine):
    X, y = wine
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    text = ["u", "v"] * (len(y) // 2)
    days = pd.date_range("2020-01-01", periods=len(y))
    for column in (text, pd.Categorical(text), days):
        bad = frame.assign(here=column)
        for table in (bad, pa.Table.from_pandas(bad)):
            for estimator in (yupana.DecisionTreeClassifier(), yupana.SOM(2, 2)):
                with pytest.raises(ValueError, match="column .here.: expected numbers") as caught:
                    estimator.fit(table, y)
                assert "\n" not in str(caught.value)


def test_arrow_tables_are_predicted_without_a_warning(wine, recwarn):
    X, y = wine
    table = pa.table({f"f{i}": X[:, i] for i in range(X.shape[1])})
    for estimator in (yupana.DecisionTreeClassifier(), yupana.SOM(2, 2, random_state=0)):
        recwarn.clear()
        assert len(estimator.fit(table, y).predict(table)) == len(y)
        assert not [str(told.message) for told in recwarn]
        with pytest.raises(ValueError, match="contains infinity"):
            estimator.predict(table.set_column(0, "f0", pa.array(np.full(len(y), np.inf))))


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"random_state": -1}, "random_state: expected a whole number from 0"),
        ({"max_depth": 2.5}, "'max_depth' parameter"),
        ({"ccp_alpha": "much"}, "'ccp_alpha' parameter"),
        ({"min_impurity_decrease": None}, "'min_impurity_decrease' parameter"),
        ({"threads": "all"}, "threads: expected a whole number"),
        ({"n_jobs": "all"}, "'n_jobs' parameter"),
        ({"bootstrap": "yes"}, "bootstrap: expected True, False or 'partition'"),
        ({"class_weight": "light"}, "'class_weight' parameter"),
        ({"rows": 3.5}, "rows: expected int, got float"),
        ({"sigma0": 0}, "sigma0: expected a number above 0, or None, got 0"),
        ({"tau": 0.0}, "tau: expected a number above 0, or None, got 0.0"),
        ({"sigmaf": "small"}, "sigmaf: expected float, got str"),
    ],
)
def test_parameters_of_other_types_are_one_clear_line(parameters, words, wine):
    (name,) = parameters
    kinds = [estimator for estimator in ESTIMATORS if name in estimator.get_params()]
    assert kinds
    for estimator in kinds:
        with pytest.raises((TypeError, ValueError), match=words) as caught:
            clone(estimator).set_params(**parameters).fit(*wine)
        assert "\n" not in str(caught.value)


def test_integers_that_no_double_equals_are_refused():
    # Two rows of one value: the tree could not tell them apart, and said nothing.
    ids = np.array([[2**53, 1], [2**53 + 1, 2]] * 5, dtype=np.int64)
    classes = [0, 1] * 5
    frame = pd.DataFrame(ids, columns=["id", "x"])
    tree = yupana.DecisionTreeClassifier().fit(ids[:, 1:], classes)
    for table, name in ((ids, "X"), (frame, "column 'id'"), (pa.table(frame), "column 'id'")):
        with pytest.raises(ValueError, match=f"{name}: expected integers that a double equals"):
            yupana.DecisionTreeClassifier().fit(table, classes)
    with pytest.raises(ValueError, match="X: expected integers that a double equals"):
        tree.predict(ids[:, :1])
    with pytest.raises(ValueError, match="y: expected integers that a double equals"):
        yupana.DecisionTreeRegressor().fit(ids[:, 1:], ids[:, 0])
    tree.fit(ids[:, 1:].astype(float), ids[:, 0])  # classes are exact, as they are names
    np.testing.assert_array_equal(tree.predict(ids[:, 1:]), ids[:, 0])


@pytest.mark.parametrize(
    "numbers", [[2**63 + 1, -1, 5], [2**64 + 1, 2**64 + 3, 5], [1.5, 2**63 + 1, 5], [10**400, 1, 2]]
)
def test_python_integers_beyond_63_bits_were_rounded_as_labels(numbers):
    X = np.arange(6.0).reshape(3, 2)
    for estimator in (yupana.DecisionTreeRegressor(), yupana.RandomForestRegressor(n_estimators=2),
                      yupana.DecisionTreeClassifier()):
        for y in (numbers, tuple(numbers), np.array(numbers, dtype=object)):
            with pytest.raises(ValueError, match=r"beyond 2\*\*53|Unknown label type"):
                estimator.fit(X, y)
    with pytest.raises(ValueError, match=r"X: .* beyond 2\*\*53"):
        yupana.DecisionTreeClassifier().fit([[number, 0] for number in numbers], [0, 1, 1])
    exact = [2**63, 2**64, -1]
    assert yupana.DecisionTreeRegressor().fit(X, exact).predict(X).tolist() == exact


def test_classes_of_python_integers_beyond_63_bits_were_taken_as_one():
    with pytest.raises(ValueError, match=r"y: .* beyond 2\*\*53"):
        yupana.DecisionTreeClassifier().fit(np.arange(3.0)[:, None], [2**63 + 1, 2**63 + 3, 5])


def test_bytes_of_a_forest_make_no_tree(wine):
    forest = yupana.RandomForestClassifier(n_estimators=3).fit(*wine)
    with pytest.raises(ValueError, match="expected a model of one tree, got one of 3"):
        yupana.DecisionTreeClassifier.from_bytes(forest.to_bytes())


def test_bytes_that_are_no_map_are_one_clear_line(wine):
    # NumPy's advice to load a pickle, and a BadZipFile.
    data = yupana.SOM(rows=2, cols=2, iterations=1).fit(wine[0]).to_bytes()
    array = io.BytesIO()
    np.save(array, wine[0])
    for bad in (b"", b"xx", data[:-2], data[5:], array.getvalue()):
        with pytest.raises(ValueError, match="expected the bytes of SOM.to_bytes") as caught:
            yupana.SOM.from_bytes(bad)
        assert "\n" not in str(caught.value)


def test_bytes_of_the_other_kind_of_model_say_which(wine):
    data = yupana.DecisionTreeClassifier().fit(*wine).to_bytes()
    with pytest.raises(ValueError, match="expected a model of numbers, got one of classes"):
        yupana.DecisionTreeRegressor.from_bytes(data)


@pytest.mark.parametrize("estimator", ESTIMATORS[3:5], ids=lambda e: type(e).__name__)
def test_forests_say_what_trees_said_of_rows_they_did_not_see(estimator, wine):
    X, y = wine
    forest = clone(estimator).set_params(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
    if hasattr(forest, "classes_"):
        values = forest.oob_decision_function_
        assert values.shape == (len(y), 3) and np.allclose(values.sum(axis=1), 1)
        assert forest.oob_score_ == np.mean(values.argmax(axis=1) == y)
    else:
        assert forest.oob_prediction_.shape == y.shape
        assert np.isclose(forest.oob_score_, r2_score(y, forest.oob_prediction_))
    own = forest.set_params(oob_score=lambda truth, says: np.mean(truth == np.round(says)))
    assert own.fit(X, y).oob_score_ > 0.8
    with pytest.warns(yupana.Note, match="rows were seen by every tree"):
        few = clone(estimator).set_params(n_estimators=1, oob_score=True, random_state=0).fit(X, y)
    assert 0 < few.oob_score_ < 1


def test_a_forest_is_a_sequence_of_trees(wine):
    X, y = wine
    forest = yupana.RandomForestClassifier(5, max_depth=3, random_state=0)
    with pytest.raises(NotFittedError):
        len(forest)
    assert type(forest.fit(X, y).estimator_) is yupana.DecisionTreeClassifier
    assert forest.estimator_.max_depth == 3
    trees = forest.estimators_
    assert len(forest) == len(trees) == len(list(forest)) == 5
    assert forest[-1].to_bytes() == trees[4].to_bytes() != forest[0].to_bytes()
    with pytest.raises(IndexError):
        forest[5]
    path, begins = forest.decision_path(X[:9])
    assert begins.tolist() == np.cumsum([0] + [t.tree_.node_count for t in trees]).tolist()
    last = path[:, begins[4] :].toarray()
    assert np.array_equal(last, trees[4].decision_path(X[:9]).toarray())


def test_scikit_learns_graphviz_takes_a_tree(wine):
    X, y = wine
    ours = yupana.DecisionTreeClassifier(max_depth=2).fit(X, y)
    theirs = PeerTree(max_depth=2, random_state=0).fit(X, y)
    edges = [line for line in export_graphviz(theirs).splitlines() if "->" in line]
    assert [line for line in export_graphviz(ours).splitlines() if "->" in line] == edges


def test_decision_paths_are_scikit_learns(wine):
    X, y = wine
    for depth in (1, 2):
        ours = yupana.DecisionTreeClassifier(max_depth=depth).fit(X, y).decision_path(X)
        theirs = PeerTree(max_depth=depth, random_state=0).fit(X, y).decision_path(X)
        assert np.array_equal(ours.indptr, theirs.indptr)
        assert np.array_equal(ours.indices, theirs.indices)
    stump = yupana.DecisionTreeClassifier().fit(X, np.zeros(len(y)))
    assert stump.decision_path(X[:3]).toarray().tolist() == [[1], [1], [1]]


@pytest.mark.parametrize("kind", ["datetime64[s]", "timedelta64[s]"])
def test_dates_were_taken_as_numbers(kind):
    dates = np.arange(60).astype(kind)
    y = np.arange(60) % 2
    for model in (yupana.DecisionTreeClassifier(), yupana.RandomForestClassifier(n_estimators=2), yupana.SOM(rows=2, cols=2)):
        with pytest.raises(ValueError, match=r"X: expected numbers, got (date|time)"):
            model.fit(dates.reshape(-1, 1), y)
        with pytest.raises(ValueError, match=r"column 'day': expected numbers, got (date|time)"):
            model.fit(pd.DataFrame({"day": dates}), y)
