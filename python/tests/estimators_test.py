import pickle

import numpy as np
import pandas as pd
import pytest
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
