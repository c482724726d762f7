"""Sparse X: the trees and predictions of the same table with its zeros, in memory of the entries."""

import numpy as np
import pytest
from scipy import sparse

import yupana
from yupana import _tables

KINDS = [
    yupana.DecisionTreeClassifier,
    yupana.DecisionTreeRegressor,
    yupana.RandomForestClassifier,
    yupana.RandomForestRegressor,
]


@pytest.fixture(scope="module")
def words():
    """Counts, some below 0, of which the label is made."""
    random = np.random.default_rng(5)
    X = sparse.random(300, 60, 0.08, random_state=6, dtype=np.float64).tocsr()
    X.data = np.floor(X.data * 9) - 2
    y = np.asarray(X[:, :20].sum(axis=1)).ravel()
    return X, np.round(y + random.random(300), 1)


def grown(kind, X, y, **parameters):
    forest = {"n_estimators": 7} if "Forest" in kind.__name__ else {}
    return kind(random_state=3, **forest, **parameters).fit(X, y)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
def test_models_are_those_of_the_table_with_its_zeros(kind, dtype, words):
    X, y = words
    X, y = X.astype(dtype), (y > 1).astype(int) if "Class" in kind.__name__ else y
    for parameters in ({}, {"max_features": 9, "min_samples_leaf": 3}):
        expected = grown(kind, X.toarray(), y, **parameters)
        for table in (X, X.tocsc(), X.tocoo(), sparse.csr_array(X)):
            model = grown(kind, table, y, threads=2, **parameters)
            assert model.to_bytes() == expected.to_bytes()
            assert np.array_equal(model.predict(table), expected.predict(X.toarray()))
            assert np.array_equal(model.apply(table), expected.apply(X.toarray()))
    model = grown(kind, X, y, device="reference")
    assert model.to_bytes() == grown(kind, X.toarray(), y, device="cpu").to_bytes()


def test_entries_that_repeat_are_added_and_those_of_zero_are_none(words):
    _, y = words
    rows = np.concatenate([np.arange(300), np.arange(300), np.arange(0, 300, 2)])
    values = np.concatenate([y, np.full(300, 0.5), np.zeros(150)])
    columns = np.concatenate([np.zeros(600, int), np.ones(150, int)])
    X = sparse.coo_matrix((values, (rows, columns)), shape=(300, 2))
    model = yupana.DecisionTreeRegressor().fit(X, y)
    assert model.to_bytes() == yupana.DecisionTreeRegressor().fit(X.toarray(), y).to_bytes()


def test_the_score_out_of_bag_is_that_of_the_table_with_its_zeros(words):
    X, y = words
    parameters = {"oob_score": True, "n_estimators": 30, "random_state": 1}
    ours = yupana.RandomForestRegressor(**parameters).fit(X, y)
    assert ours.oob_score_ == yupana.RandomForestRegressor(**parameters).fit(X.toarray(), y).oob_score_


def test_rows_are_predicted_some_at_a_time(words, monkeypatch):
    X, y = words
    model = yupana.DecisionTreeRegressor().fit(X, y)
    expected = model.predict(X.toarray())
    seen = []
    whole = _tables.dense
    monkeypatch.setattr(_tables, "dense", lambda X: seen.append(X.shape) or whole(X))
    monkeypatch.setattr(_tables, "BLOCK_BYTES", 60 * 8 * 64)
    assert np.array_equal(model.predict(X), expected)
    # Of the columns that the tree asks for alone.
    assert sum(rows for rows, _ in seen) == 300 and len(seen) > 1
    assert all(cols < 60 and rows * cols * 8 <= 60 * 8 * 64 for rows, cols in seen)


def test_categories_of_a_sparse_table_are_split_as_of_a_dense_one(words):
    X, y = words
    X = abs(X)
    parameters = {"categorical_features": [0, 1], "max_depth": 5}
    model = yupana.DecisionTreeRegressor(**parameters).fit(X, y)
    assert model.to_bytes() == yupana.DecisionTreeRegressor(**parameters).fit(X.toarray(), y).to_bytes()


def test_tens_of_thousands_of_features_take_memory_of_the_entries():
    """Made dense they would take 5 GB."""
    random = np.random.default_rng(1)
    rows = 30_000
    X = sparse.csr_matrix(
        (np.ones(rows, np.float32), (np.arange(rows), random.integers(0, 20_000, rows))),
        shape=(rows, 20_000),
    )
    y = random.integers(0, 2, rows)
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = yupana.DecisionTreeClassifier(max_depth=6).fit(X, y)
    assert model.predict(X).shape == (rows,)
    grown_by = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_by < 400_000, f"{grown_by} KB"
