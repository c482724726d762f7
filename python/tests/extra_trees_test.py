"""Extremely randomized trees: as good as scikit-learn's, drawn from the seed alone."""

import pickle

import numpy as np
import pytest
from sklearn import datasets, ensemble
from sklearn.model_selection import cross_val_score

import yupana

FORESTS = [yupana.ExtraTreesClassifier, yupana.ExtraTreesRegressor]


@pytest.fixture(scope="module")
def tables():
    return datasets.load_wine(return_X_y=True), datasets.load_diabetes(return_X_y=True)


@pytest.mark.parametrize("kind", FORESTS, ids=lambda kind: kind.__name__)
def test_forests_are_as_good_as_scikit_learns(kind, tables):
    X, y = tables[kind is yupana.ExtraTreesRegressor]
    options = {"n_estimators": 60, "min_samples_leaf": 2, "random_state": 1}
    ours, theirs = (cross_val_score(forest(**options), X, y, cv=4).mean()
                    for forest in (kind, getattr(ensemble, kind.__name__)))
    assert abs(ours - theirs) < 0.03 and ours > 0.4


@pytest.mark.parametrize("kind", FORESTS, ids=lambda kind: kind.__name__)
def test_a_forest_depends_on_its_seed_alone(kind, tables):
    X, y = tables[kind is yupana.ExtraTreesRegressor]
    whole = kind(12, random_state=3, oob_score=True, bootstrap=True).fit(X, y)
    for same in ({"threads": 1}, {"device": "reference"}, {"n_jobs": -1}):
        again = kind(12, random_state=3, oob_score=True, bootstrap=True, **same).fit(X, y)
        assert again.to_bytes() == whole.to_bytes() and again.oob_score_ == whole.oob_score_
    assert kind(12, random_state=4, bootstrap=True).fit(X, y).to_bytes() != whole.to_bytes()
    turns = kind(5, random_state=3, bootstrap=True, warm_start=True).fit(X, y)
    assert turns.set_params(n_estimators=12).fit(X, y).to_bytes() == whole.to_bytes()
    kept = pickle.loads(pickle.dumps(whole))
    assert np.array_equal(kept.predict(X), whole.predict(X))
    # A tree of the forest is one of the estimators of one tree.
    assert type(whole[0]).__name__ == kind.__name__.replace("Trees", "Tree")
    rows = whole.estimators_samples_[0]
    grown = whole[0].fit(X[rows], y[rows])
    assert np.array_equal(grown.predict(X), kind(1, random_state=3, bootstrap=True).fit(X, y)[0].predict(X))


def test_a_split_into_known_and_missing_values_has_a_threshold():
    X, y = np.array([[np.nan], [1.0], [np.nan]]), np.array([0.0, 1.0, 0.0])
    for kind, threshold in ((yupana.ExtraTreeRegressor, 1.0), (yupana.DecisionTreeRegressor, np.inf)):
        model = kind().fit(X, y)
        assert model.tree_.threshold[0] == threshold and np.array_equal(model.predict(X), y)
