"""Trees that split categories: as good as any subset, kept by pickles, refused where they cannot."""

import itertools
import pickle

import numpy as np
import pytest

import yupana


def made(seed, classes, categories=6, rows=80):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, categories, (rows, 2)).astype(np.float64)
    X[:, 1] = rng.normal(size=rows)
    effects = rng.normal(size=categories)[X[:, 0].astype(int)] + rng.normal(0, 0.4, rows)
    return X, effects if classes == 0 else np.digitize(effects, np.linspace(-1, 1, classes - 1))


def spread(y, classes):
    if classes == 0:
        return ((y - y.mean()) ** 2).sum() if len(y) else 0.0
    counts = np.bincount(y, minlength=classes)
    return len(y) - (counts**2).sum() / len(y) if len(y) else 0.0


@pytest.mark.parametrize("classes", [0, 2, 4])
def test_a_node_is_split_as_well_as_by_any_subset(classes):
    for seed in range(8):
        X, y = made(seed, classes)
        kind = yupana.DecisionTreeClassifier if classes else yupana.DecisionTreeRegressor
        X = X[:, :1]
        model = kind(max_depth=1, categorical_features=[0]).fit(X, y)
        left = model.apply(X) == 1
        own = spread(y[left], classes) + spread(y[~left], classes)
        best = min(
            spread(y[side], classes) + spread(y[~side], classes)
            for r in range(1, 6)
            for subset in itertools.combinations(range(6), r)
            for side in [np.isin(X[:, 0], subset)]
        )
        assert own == pytest.approx(best, abs=1e-9)
        assert np.isnan(model.tree_.threshold[0])


@pytest.mark.parametrize("kind", [yupana.DecisionTreeClassifier, yupana.RandomForestClassifier])
def test_features_are_named_counted_or_masked_and_models_are_kept(kind):
    X, y = made(3, 3, categories=20)
    by_index = kind(categorical_features=[0], random_state=1).fit(X, y)
    by_mask = kind(categorical_features=[True, False], random_state=1).fit(X, y)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["kind", "size"])
    by_name = kind(categorical_features=["kind"], random_state=1).fit(frame, y)
    again = pickle.loads(pickle.dumps(by_index))
    unseen = np.array([[25.0, 0.0], [np.nan, 0.0], [0.5, 0.0]])
    for model in (by_mask, again):
        assert np.array_equal(model.predict_proba(X), by_index.predict_proba(X))
        assert np.array_equal(model.predict_proba(unseen), by_index.predict_proba(unseen))
    assert np.array_equal(by_name.predict_proba(frame), by_index.predict_proba(X))
    plain = kind(random_state=1).fit(X, y)
    assert not np.array_equal(plain.apply(X), by_index.apply(X))


def test_what_is_no_category_or_feature_is_refused():
    X, y = made(4, 2)
    for given in ([2], [-1], ["kind"], [0.5], [True]):
        with pytest.raises(ValueError, match="categorical_features: expected"):
            yupana.DecisionTreeClassifier(categorical_features=given).fit(X, y)
    with pytest.raises(ValueError, match="whole number from 0"):
        yupana.DecisionTreeClassifier(categorical_features=[1]).fit(X, y)
    with pytest.raises(ValueError, match="categorical_features: expected None"):
        yupana.DecisionTreeClassifier(categorical_features=[0], splitter="random").fit(X, y)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_a_type_of_categories_are_split_by_their_values(library):
    frames = pytest.importorskip(library)
    X, y = made(7, 3, categories=9)
    letters = np.array(list("qwertyuio"))
    kinds = sorted(letters)

    def table(rows, text, size):
        text = [None if t == "" else str(t) for t in text]
        if library == "pandas":
            own = frames.Categorical(text, categories=sorted({t for t in text if t}))
            return frames.DataFrame({"size": size, "kind": own})
        if library == "polars":
            return frames.DataFrame({"size": size, "kind": frames.Series(text, dtype=frames.Categorical)})
        return frames.table({"size": size, "kind": frames.array(text).dictionary_encode()})

    text = letters[X[:, 0].astype(int)]
    numbers = np.column_stack([X[:, 1], np.searchsorted(kinds, text)])
    for kind in (yupana.DecisionTreeClassifier, yupana.RandomForestClassifier):
        own = kind(categorical_features="from_dtype", random_state=2).fit(table(80, text, X[:, 1]), y)
        by_number = kind(categorical_features=[1], random_state=2).fit(numbers, y)
        assert own.feature_names_in_.tolist() == ["size", "kind"]
        again = pickle.loads(pickle.dumps(own))
        # Other types of categories: fewer of them, in another order, one not known, one missing.
        some = ["u", "", "never", "q", "i"]
        as_numbers = [kinds.index(t) if t in kinds else np.nan for t in some]
        new = table(5, some, X[:5, 1])
        told = by_number.predict_proba(np.column_stack([X[:5, 1], as_numbers]))
        for model in (own, again):
            assert np.array_equal(model.predict_proba(table(80, text, X[:, 1])), by_number.predict_proba(numbers))
            assert np.array_equal(model.predict_proba(new), told)
        with pytest.raises(ValueError, match="X: expected a table"):
            own.predict(numbers)
        plain = kind(categorical_features="from_dtype", random_state=2).fit(X, y)
        assert plain.to_bytes() == kind(random_state=2).fit(X, y).to_bytes()
