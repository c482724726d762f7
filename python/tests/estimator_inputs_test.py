"""What estimators take and refuse: tables of other libraries, parameters, bytes of models."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from estimators_test import ESTIMATORS
from sklearn.base import clone

import yupana


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


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_infinite_or_missing_value_of_a_large_table_is_seen(dtype, order):
    X = np.zeros((50_000, 3), dtype, order=order)
    y = np.arange(len(X)) % 2
    tree, som = yupana.DecisionTreeClassifier(max_depth=2), yupana.SOM(2, 2, iterations=1)
    tree.fit(X, y)
    for value in (np.inf, -np.inf, np.nan):
        X[49_999, 2] = value
        if np.isnan(value):
            tree.predict(X)
        else:
            with pytest.raises(ValueError, match="Input X contains infinity"):
                tree.predict(X)
        with pytest.raises(ValueError, match="Input X contains (infinity|NaN)"):
            som.fit(X)


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


@pytest.mark.parametrize("kind", ["datetime64[s]", "timedelta64[s]"])
def test_dates_were_taken_as_numbers(kind):
    dates = np.arange(60).astype(kind)
    y = np.arange(60) % 2
    for model in (yupana.DecisionTreeClassifier(), yupana.RandomForestClassifier(n_estimators=2), yupana.SOM(rows=2, cols=2)):
        with pytest.raises(ValueError, match=r"X: expected numbers, got (date|time)"):
            model.fit(dates.reshape(-1, 1), y)
        with pytest.raises(ValueError, match=r"column 'day': expected numbers, got (date|time)"):
            model.fit(pd.DataFrame({"day": dates}), y)


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
