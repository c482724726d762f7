"""What trees and forests take of scikit-learn's parameters, against scikit-learn and by hand."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, datasets, ensemble, tree
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.model_selection import cross_validate

import yupana

OURS = [
    yupana.DecisionTreeClassifier,
    yupana.DecisionTreeRegressor,
    yupana.RandomForestClassifier,
    yupana.RandomForestRegressor,
]
PEERS = {name: getattr(tree, name, None) or getattr(ensemble, name) for name in
         (ours.__name__ for ours in OURS)}


@pytest.fixture(scope="module")
def untied():
    """Rows whose gains are never equal."""
    rng = np.random.default_rng(5)
    X = rng.permuted(np.tile(np.arange(400.0), (5, 1)), axis=1).T.astype(np.float32)
    score = np.sin(X[:, 0] / 60) + X[:, 1] / 400 + rng.normal(0, 0.5, 400)
    return X, score, rng.integers(500, 2000, 400) / 1024  # sums without rounding


def same_splits(ours, theirs):
    """Nodes are numbered otherwise where growth is best first."""
    stack = [(0, 0)]
    while stack:
        a, b = stack.pop()
        assert ours.feature[a] == theirs.feature[b] and np.isclose(ours.threshold[a], theirs.threshold[b])
        assert np.allclose(ours.value[a], theirs.value[b])
        if ours.children_left[a] >= 0:
            stack.append((ours.children_left[a], theirs.children_left[b]))
            stack.append((ours.children_right[a], theirs.children_right[b]))
    assert ours.node_count == theirs.node_count


@pytest.mark.parametrize("is_class, weighted", [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize(
    "parameters",
    [
        {"max_leaf_nodes": 2},
        {"max_leaf_nodes": 17},
        {"max_leaf_nodes": 40, "max_depth": 6},
        {"min_weight_fraction_leaf": 0.04},
        {"min_weight_fraction_leaf": 0.13, "max_leaf_nodes": 5},
        {"min_impurity_decrease": 0.004},
    ],
)
def test_trees_are_scikit_learns_under_every_limit(untied, parameters, is_class, weighted):
    X, y, weights = untied
    y = (y > 0.5).astype(int) if is_class else y
    name = "DecisionTreeClassifier" if is_class else "DecisionTreeRegressor"
    weights = weights if weighted else None
    parameters = {"min_samples_leaf": 6, **parameters}  # two rows are parted by any feature
    ours = getattr(yupana, name)(**parameters).fit(X, y, weights)
    theirs = PEERS[name](random_state=0, **parameters).fit(X, y, weights)
    assert 1 < ours.tree_.node_count
    same_splits(ours.tree_, theirs.tree_)
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_they_are_scikit_learns_own_classes_with_all_of_its_parameters(kind, untied):
    peer = PEERS[kind.__name__]
    assert issubclass(kind, peer)
    theirs = peer().get_params()
    assert theirs == {name: kind().get_params()[name] for name in theirs}
    X, y, _ = untied
    model = kind(max_depth=3).fit(X, y > 0.5)
    assert model.get_metadata_routing().fit.requests["sample_weight"] is None
    for table in (sparse.csr_matrix(X), sparse.csc_array(X), sparse.coo_matrix(X)):
        assert np.array_equal(model.predict(table), model.predict(X))
    if hasattr(model, "tree_"):
        assert tree.export_text(model).count("class:" if "Class" in kind.__name__ else "value:") == 8
    assert len(permutation_importance(model, X, y > 0.5, n_repeats=2).importances_mean) == 5


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_split_by_every_criterion_as_in_scikit_learn(untied, criterion, weighted):
    X, y, weights = untied
    y, weights = y - y.min(), weights if weighted else None
    for limits in ({"max_depth": 4}, {"min_samples_leaf": 9}, {"max_leaf_nodes": 12}):
        parameters = {"criterion": criterion, "min_samples_leaf": 6, **limits}
        ours = yupana.DecisionTreeRegressor(**parameters).fit(X, y, weights)
        theirs = tree.DecisionTreeRegressor(random_state=0, **parameters).fit(X, y, weights)
        same_splits(ours.tree_, theirs.tree_)
        assert np.allclose(ours.feature_importances_, theirs.feature_importances_)
        assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
        ours_path, theirs_path = (
            model.cost_complexity_pruning_path(X, y, weights) for model in (ours, theirs))
        assert np.allclose(ours_path.ccp_alphas, theirs_path.ccp_alphas)
    parameters = {"criterion": criterion, "min_samples_leaf": 6, "bootstrap": False}
    ours = yupana.RandomForestRegressor(3, **parameters).fit(X, y, weights)
    # scikit-learn's trees part ties between features by lot.
    one = yupana.DecisionTreeRegressor(criterion=criterion, min_samples_leaf=6).fit(X, y, weights)
    assert np.allclose(ours.predict(X), one.predict(X), rtol=1e-12)
    again = yupana.RandomForestRegressor(3, device="reference", **parameters).fit(X, y, weights)
    assert again.to_bytes() == ours.to_bytes() == pickle.loads(pickle.dumps(ours)).to_bytes()


def test_numbers_that_a_criterion_does_not_take_are_named(untied):
    X, y, _ = untied
    poisson = yupana.DecisionTreeRegressor(criterion="poisson")
    for bad in (y - y.min() - 1, np.zeros(len(y))):
        with pytest.raises(ValueError, match="Poisson") as caught:
            poisson.fit(X, bad)
        assert "\n" not in str(caught.value)
    absolute = yupana.DecisionTreeRegressor(criterion="absolute_error", categorical_features=[0])
    with pytest.raises(ValueError, match="categorical: expected none with absolute errors"):
        absolute.fit(np.floor(X / 50), y)


BEYOND = [
    {"criterion": "absolute_error", "monotonic_cst": [1, 0, 0, 0, 0]},
    {"class_weight": "balanced_subsample"},
]


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("parameters", BEYOND, ids=lambda parameters: next(iter(parameters)))
def test_what_the_library_does_not_grow_is_grown_by_scikit_learn(kind, parameters, untied):
    X, y, _ = untied
    y = y - y.min() if "Regressor" in kind.__name__ else (y > 0.5).astype(int)
    kinds = PEERS[kind.__name__]._parameter_constraints
    (name, value), *_ = parameters.items()
    if name not in kinds or (name == "criterion" and "Classifier" in kind.__name__):
        pytest.skip("has no such value")
    if name == "class_weight" and "Tree" in kind.__name__:
        pytest.skip("a tree has no subsamples")
    more = {"n_estimators": 4} if "Forest" in kind.__name__ else {}
    ours = kind(random_state=1, **parameters, **more).fit(X, y)
    theirs = PEERS[kind.__name__](random_state=1, **parameters, **more).fit(X, y)
    again = pickle.loads(pickle.dumps(ours))
    for method in ("predict", "predict_proba", "predict_log_proba", "apply"):
        if hasattr(theirs, method):
            assert np.array_equal(getattr(ours, method)(X), getattr(theirs, method)(X))
            assert np.array_equal(getattr(again, method)(X), getattr(theirs, method)(X))
    assert np.array_equal(ours.feature_importances_, theirs.feature_importances_)
    with pytest.raises(ValueError, match="scikit-learn grew these"):
        ours.to_bytes()
    with pytest.raises(ValueError, match="device: expected 'auto' or 'cpu'"):
        kind(device="reference", **parameters, **more).fit(X, y)
    # And back.
    plain = {name: PEERS[kind.__name__]().get_params()[name] for name in parameters}
    ours.set_params(**plain).fit(X, y)
    assert ours.to_bytes() == kind(random_state=1, **more).fit(X, y).to_bytes()


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("leaves", [None, 12])
def test_monotonic_trees_are_those_of_scikit_learn(kind, leaves, untied):
    X, y, weights = untied
    y = y if "Regressor" in kind.__name__ else (y > np.median(y)).astype(int)
    many = "Forest" in kind.__name__
    more = {"n_estimators": 2, "bootstrap": False, "max_features": 1.0} if many else {}
    options = {"min_samples_leaf": 8, "max_leaf_nodes": leaves, **more}
    free, bound = kind(random_state=1, **options).fit(X, y, weights).to_bytes(), set()
    for signs in ([1, 0, -1, 0, 1], [-1, -1, 1, 1, 0], [0, 0, 0, 0, 1]):
        # scikit-learn parts ties between features by lot.
        peer = PEERS[kind.__name__.replace("RandomForest", "DecisionTree")]
        theirs = peer(random_state=1, monotonic_cst=signs, min_samples_leaf=8, max_leaf_nodes=leaves)
        theirs.fit(X, y, weights)
        ours = kind(random_state=1, monotonic_cst=signs, **options).fit(X, y, weights)
        says = "predict" if "Regressor" in kind.__name__ else "predict_proba"
        assert np.allclose(getattr(ours, says)(X), getattr(theirs, says)(X), rtol=1e-12)
        assert ours.to_bytes() == pickle.loads(pickle.dumps(ours)).to_bytes()
        again = kind(random_state=1, monotonic_cst=signs, device="reference", **options)
        assert again.fit(X, y, weights).to_bytes() == ours.to_bytes()
        bound.add(ours.to_bytes())
    assert bound - {free}


def test_monotonic_predictions_never_fall_and_take_missing_values(untied):
    X, y, _ = untied
    holes = X.copy()
    holes[::7, 0] = np.nan
    grid = np.linspace(X.min(), X.max(), 50)
    for kind in OURS:
        labels = y if "Regressor" in kind.__name__ else y > np.median(y)
        model = kind(random_state=3, monotonic_cst=[1, 0, 0, -1, 0]).fit(holes, labels)
        for feature, sign in ((0, 1), (3, -1)):
            moved = np.repeat(X[:20], len(grid), axis=0)
            moved[:, feature] = np.tile(grid, 20)
            told = model.predict(moved) if "Regressor" in kind.__name__ else model.predict_proba(moved)[:, 1]
            assert (np.diff(told.reshape(20, -1), axis=1) * sign >= 0).all()


def test_random_splits_are_drawn_by_the_library(untied):
    X, y, _ = untied
    for kind in OURS[:2]:
        labels = y if "Regressor" in kind.__name__ else y > np.median(y)
        one = kind(splitter="random", random_state=1).fit(X, labels)
        assert one.score(X, labels) == 1
        assert one.to_bytes() == kind(splitter="random", random_state=1, threads=1).fit(X, labels).to_bytes()
        assert one.to_bytes() != kind(splitter="random", random_state=2).fit(X, labels).to_bytes()
        assert not set(one.tree_.threshold[one.tree_.feature >= 0]) & set(np.unique(X))
        again = kind(splitter="random", random_state=1).fit(sparse.csr_matrix(X), labels)
        assert again.to_bytes() == one.to_bytes()


def test_several_outputs_are_scikit_learns(untied):
    X, y, _ = untied
    both = np.stack([y, -y], axis=1)
    for kind in OURS:
        table = both > 0 if "Classifier" in kind.__name__ else both
        ours = kind(random_state=2, max_depth=3).fit(X, table)
        theirs = PEERS[kind.__name__](random_state=2, max_depth=3).fit(X, table)
        assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("kind", OURS[2:], ids=lambda kind: kind.__name__)
def test_a_forest_grown_in_turns_is_the_forest_grown_at_once(kind, untied):
    X, y, _ = untied
    y = y > 0.5
    options = {"random_state": 7, "max_depth": 5, "max_samples": 0.8}
    whole = kind(12, oob_score=True, **options).fit(X, y)
    turns = kind(5, warm_start=True, **options).fit(X, y)
    turns.set_params(n_estimators=12, oob_score=True).fit(X, y)
    assert turns.to_bytes() == whole.to_bytes() and turns.oob_score_ == whole.oob_score_
    with pytest.warns(UserWarning, match="does not fit new trees"):
        turns.fit(X, y)
    assert turns.to_bytes() == whole.to_bytes()
    for wrong, words in (
        ({"n_estimators": 3}, "larger or equal"),
        ({"n_estimators": 15, "max_samples": None, "bootstrap": "partition"},
         "bootstrap=True or False"),
    ):
        with pytest.raises(ValueError, match=words):
            turns.set_params(oob_score=False, **wrong).fit(X, y)
    with pytest.raises(ValueError, match="same library grows"):
        turns.set_params(n_estimators=15, bootstrap=True).fit(X, np.stack([y, ~y], axis=1))
    assert turns.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("kind", OURS[2:], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "rows",
    [{}, {"max_samples": 77}, {"max_samples": 640}, {"bootstrap": False}, {"bootstrap": "partition"}],
    ids=str,
)
def test_each_tree_grows_again_from_the_rows_it_names(kind, rows, untied):
    X, y, _ = untied
    y = y > 0.5
    forest = kind(4, max_features=2, random_state=3, **rows).fit(X, y)
    drawn = forest.estimators_samples_
    assert len(drawn) == 4 and all(own.dtype == np.int32 for own in drawn)
    if "max_samples" in rows:
        assert len(drawn[0]) == (77 if rows["max_samples"] == 77 else 640)
    if rows.get("bootstrap") == "partition":
        assert sorted(np.concatenate(drawn)) == list(range(400))
    for one, own in zip(forest, drawn):
        again = clone(one).fit(X[own], y[own])
        assert np.array_equal(again.tree_.threshold, one.tree_.threshold)
        assert np.array_equal(again.tree_.value, one.tree_.value)


def test_out_of_bag_scores_are_of_the_pruned_trees():
    X, y = datasets.load_wine(return_X_y=True)
    forest = yupana.RandomForestClassifier(40, oob_score=True, random_state=0, ccp_alpha=0.05).fit(X, y)
    votes = np.zeros((len(y), 3))
    for one, own in zip(forest, forest.estimators_samples_):
        held = np.setdiff1d(np.arange(len(y)), own)
        votes[held] += one.predict_proba(X[held])
    assert forest.oob_score_ == np.mean(votes.argmax(axis=1) == y)


def test_scikit_learns_other_name_of_the_squared_error(untied):
    X, y, _ = untied
    with pytest.warns(FutureWarning, match="friedman_mse"):
        model = yupana.DecisionTreeRegressor(criterion="friedman_mse")
    assert model.fit(X, y).to_bytes() == yupana.DecisionTreeRegressor().fit(X, y).to_bytes()


def test_scikit_learns_meta_estimators_take_them():
    X, y = datasets.load_iris(return_X_y=True)
    stump = yupana.DecisionTreeClassifier(max_depth=1)
    assert ensemble.AdaBoostClassifier(stump, n_estimators=10).fit(X, y).score(X, y) > 0.9
    assert ensemble.BaggingClassifier(yupana.DecisionTreeClassifier(), 5).fit(X, y).score(X, y) > 0.9
    with config_context(enable_metadata_routing=True):
        model = stump.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        first = {"sample_weight": (y == 0).astype(float)}
        scores = cross_validate(model, X, y, params=first, cv=3)["test_score"]
    assert np.allclose(scores, 1 / 3, atol=0.02)  # only the first class weighs


@pytest.mark.parametrize("kind", [yupana.DecisionTreeClassifier, yupana.RandomForestRegressor])
def test_a_negative_weight_was_refused_without_the_parameters_name(kind):
    X, y = np.arange(8.0).reshape(-1, 1), np.arange(8) % 2
    with pytest.raises(ValueError, match=r"sample_weight: expected weights of 0 .* got -1.0 at row 3"):
        kind().fit(X, y, sample_weight=[1, 1, 1, -1, 1, 1, 1, 1])
