"""Trees and forests of tables in any order of memory: the same models and predictions, bit for bit."""

import warnings

import numpy as np
import pytest

from yupana.forest import DecisionTreeClassifier, RandomForestClassifier, RandomForestRegressor


def tables(X):
    """The same numbers: rows, columns, with gaps, backwards, read-only, unaligned, between others."""
    rows, features = X.shape
    yield "rows", np.ascontiguousarray(X)
    yield "columns", np.asfortranarray(X)
    wide = np.full((2 * rows, 3 * features), 7, X.dtype)
    wide[::2, 1::3] = X
    yield "every other", wide[::2, 1::3]
    yield "rows backwards", np.ascontiguousarray(X[::-1])[::-1]
    yield "columns backwards", np.asfortranarray(X[:, ::-1])[:, ::-1]
    frozen = np.ascontiguousarray(X)
    frozen.flags.writeable = False
    yield "read-only", frozen
    packed = np.zeros(rows, np.dtype([("flag", "u1"), ("values", X.dtype, features)]))
    packed["values"] = X
    yield "after a byte", packed["values"]
    if X.dtype == np.float64:  # scikit-learn's check makes float64 of others
        yield "swapped bytes", X.astype(X.dtype.newbyteorder())


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("missing", [0, 0.02])
def test_orders_of_memory_change_no_bit(kind, missing):
    random = np.random.default_rng(3)
    X = np.round(random.normal(size=(3000, 7)), 1).astype(kind)
    X[random.random(X.shape) < missing] = np.nan
    X[:3, 0] = -0.0
    y = (np.nan_to_num(X[:, 0] * X[:, 1]) > 0.2).astype(int)
    models = [
        DecisionTreeClassifier(max_depth=10),
        DecisionTreeClassifier(),
        RandomForestClassifier(n_estimators=9, max_depth=5, oob_score=True, random_state=1),
        RandomForestRegressor(n_estimators=3, random_state=1),
    ]
    if missing:
        models.append(DecisionTreeClassifier(categorical_features=[2], max_depth=6))
        X[:, 2] = np.abs(np.round(X[:, 2]))
    for model in models:
        expected = None
        for name, table in tables(X):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # some rows are drawn by every tree
                grown = type(model)(**model.get_params()).fit(table, y)
            found = [grown.to_bytes(), grown.predict(table).tobytes(), grown.apply(table).tobytes()]
            if hasattr(grown, "predict_proba"):
                found.append(grown.predict_proba(table).tobytes())
            if hasattr(grown, "oob_score_"):
                found.append(grown.oob_score_)
            expected = expected or found
            assert found == expected, (type(model).__name__, name)


def test_tables_of_one_row_or_column():
    X = np.array([[0.5], [1.5], [2.5], [3.5]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    for table in (X, X[::-1][::-1], np.broadcast_to(X[:1], (4, 1))):
        assert list(model.predict(table)) == [int(x > 2) for x in table[:, 0]]
    wide = np.random.default_rng(1).normal(size=(20, 30))
    model = DecisionTreeClassifier().fit(wide, wide[:, 3] > 0)
    assert [model.predict(row[None])[0] for row in wide] == list(model.predict(wide))
