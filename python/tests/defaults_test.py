"""Defaults are the library's: a signature may show them, but not change them."""

import inspect

import yupana

DEFAULTS = yupana._core.defaults()


def of(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def same(function, wanted):
    given = of(function)
    assert wanted and {name: given[name] for name in wanted} == wanted


def test_fermat_and_maps():
    same(yupana.fermat, DEFAULTS["fermat"])
    same(yupana.SOM, {**DEFAULTS["som"], "learning_rate": None})
    assert f"learning_rate : of the online rule, above 0, at most 1; None: {DEFAULTS['som']['learning_rate']}" in (
        yupana.SOM.__doc__
    )
    exact = {name: DEFAULTS["fermat"][name] for name in ("alpha",)}
    same(yupana.Fermat, exact)


def test_genotypes():
    given = of(yupana.read_genotypes)
    there = yupana._core.genotype.GenotypeInput()
    names = [name for name in given if hasattr(there, name) and name not in ("samples",)]
    assert len(names) > 10
    for name in names:
        default = getattr(there, name)
        if given[name] is None:  # not given: the library's own default, which None may not be
            assert name in (
                "keep", "autosomes", "min_qual", "king_cutoff", "from_bp", "to_bp", "hard_call_threshold"
            ), name
            continue
        assert given[name] == (tuple(default) if isinstance(default, list) else default), name


def test_trees_whose_defaults_are_scikit_learns_too():
    for estimator in (yupana.DecisionTreeClassifier, yupana.DecisionTreeRegressor,
                      yupana.RandomForestClassifier, yupana.RandomForestRegressor):
        same(estimator, DEFAULTS["tree"])
    assert of(yupana.RandomForestClassifier)["n_estimators"] == DEFAULTS["trees"]


def test_alignment():
    given = of(yupana.splice.align_batch)
    for name in ("min_intron", "alignment"):
        assert given[name] == DEFAULTS["align"][name] == DEFAULTS["align_protein"][name]
    gapped = ("AACCGGTTTTGGCCAA", [(1, 16)], "AACCGGTTGGCCAA")
    assert yupana.align(*gapped).score == 14 + DEFAULTS["align"]["gap_open"] + 2 * (
        DEFAULTS["align"]["gap_extend"]
    )
