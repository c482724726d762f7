"""The cases of MiniSom's own tests that a map here has too: nearest neurons, errors, distance map, training.

Without a case here: learning rates and other decays than e^(-t / tau), other distances than the Euclidean
one, square bubbles (a disc here), Mexican hats and triangles, win_map and labels_map, fixed points and the distortion measure.
"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import yupana

pytestmark = pytest.mark.filterwarnings("ignore:som. . sample:yupana.Note")  # fewer than neurons
DATA = np.array([[4.0, 2.0], [3.0, 1.0]])
OTHER_DATA = np.array([[1.0, 5.0], [6.0, 7.0]])


def map_of(weights, **keywords):
    """A trained map with this codebook, (rows, cols, features)."""
    weights = np.asarray(weights, np.float32)
    rows, cols, features = weights.shape
    som = yupana.SOM(rows=rows, cols=cols, **keywords)
    som.weights_, som.n_features_in_ = weights.reshape(-1, features), features
    return som


def lone(places, **keywords):
    """5 x 5 neurons of one feature, 0 but at these places."""
    weights = np.zeros((5, 5, 1))
    for place, value in places.items():
        weights[place] = value
    return map_of(weights, **keywords)


TWO = {(2, 3): 5.0, (1, 1): 2.0}


def test_samples_go_to_the_neuron_of_their_value():
    som = lone(TWO)
    assert som.bmu_coords([[5.0], [2.0]]).tolist() == [[2, 3], [1, 1]]
    assert som.predict([[5.0]])[0] == som.transform([[5.0]]).argmin() == 13
    assert_array_equal(som.weights_[som.predict([[4.0], [2.0]])], [[5.0], [2.0]])
    response = som.activation_response([[5.0], [2.0]])
    assert response[2, 3] == response[1, 1] == 1 and response.sum() == 2


def test_distances_are_those_to_every_weight():
    som = lone(TWO)
    data = np.arange(-5.0, 5.0)[:, None]
    assert_array_equal(som.transform(data), np.abs(data - som.weights_.T))


def test_quantization_error_is_the_mean_distance():
    som = lone(TWO)
    assert som.quantization_error([[5.0], [2.0]]) == 0
    assert som.quantization_error([[4.0], [1.0]]) == 1


@pytest.mark.parametrize("lattice", ["rectangular", "hexagonal"])
def test_topographic_error_counts_second_neurons_that_are_not_adjacent(lattice):
    som = lone({(4, 4): 15, (0, 0): 14, (2, 2): 10, (2, 3): 9}, lattice=lattice)
    assert som.topographic_error([[10.0]]) == 0
    assert som.topographic_error([[15.0]]) == 1
    assert som.topographic_error([[10.0], [15.0]]) == 0.5


def test_distance_map_is_the_mean_distance_to_neighbours():
    assert_array_equal(map_of([[[1, 0], [0, 1]], [[1, 0], [0, 1]]]).u_matrix(), np.full((2, 2), np.sqrt(8) / 3))
    found = map_of(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1.0]])[:, :, None]).u_matrix()
    assert_allclose(found, [[2 / 3, 3 / 5, 2 / 3], [3 / 5, 4 / 8, 3 / 5], [2 / 3, 3 / 5, 2 / 3]], rtol=1e-15)


@pytest.mark.parametrize("training", ["batch", "online"])
@pytest.mark.parametrize("neighborhood", ["gaussian", "truncated", "bubble"])
def test_training_lowers_the_quantization_error(training, neighborhood):
    start = np.random.default_rng(1).random((25, 2)).astype(np.float32)
    for data in (DATA, OTHER_DATA):
        som = yupana.SOM(5, 5, training=training, neighborhood=neighborhood, iterations=10, random_state=1)
        before = map_of(start.reshape(5, 5, 2)).quantization_error(data)
        assert som.fit_from(data, start).quantization_error(data) < before
        start = som.weights_


def test_more_iterations_do_not_raise_the_error():
    data = np.array([[4, 2], [3, 1], [2, 2], [3, 3.0]])
    som = yupana.SOM(5, 5, iterations=5, random_state=1).fit(data)
    first = som.quantization_error(data)
    assert som.fit_from(data, som.weights_).quantization_error(data) <= first + 1e-6


@pytest.mark.parametrize("training", ["batch", "online"])
def test_one_seed_gives_one_map(training):
    data = np.random.default_rng(0).random((100, 2))
    maps = [yupana.SOM(5, 5, training=training, iterations=10, random_state=seed).fit(data) for seed in (1, 1, 2)]
    assert_array_equal(maps[0].weights_, maps[1].weights_)
    assert not np.array_equal(maps[0].weights_, maps[2].weights_)


def test_neurons_begin_as_samples():
    assert_array_equal(yupana.SOM(2, 2, iterations=1, sigma0=0.1, sigmaf=0.1).fit([[1.0, 0.0]]).weights_, [[1, 0]] * 4)


def test_pca_spans_the_plane_of_the_two_largest_components():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(200, 2)) @ [[3.0, 0, 0, 1], [0, 1.0, 0, 0]] + 7
    som = yupana.SOM(4, 3, initial="pca", iterations=1, sigma0=0.1, sigmaf=0.1).fit(flat)
    assert np.linalg.matrix_rank(som.weights_ - som.weights_.mean(axis=0), tol=1e-4) == 2


def test_what_no_map_can_be_is_refused():
    som = lone(TWO)
    for call in (
        lambda: som.predict([[1.0, 2.0]]),
        lambda: som.quantization_error([[1.0, 2.0]]),
        lambda: yupana.SOM(5, 5, neighborhood="boom").fit(DATA),
        lambda: yupana.SOM(5, 5, training="boom").fit(DATA),
        lambda: yupana.SOM(5, 5, iterations=-1).fit(DATA),
        lambda: yupana.SOM(0, 5).fit(DATA),
    ):
        with pytest.raises(ValueError):
            call()


def test_a_map_goes_through_pickle():
    som = yupana.SOM(3, 3, iterations=3, random_state=0).fit(DATA)
    assert_array_equal(pickle.loads(pickle.dumps(som)).weights_, som.weights_)


def test_batch_rule_is_minisoms_with_its_learning_rate_1():
    minisom = pytest.importorskip("minisom")
    rng = np.random.default_rng(4)
    data, start = rng.random((60, 3)), rng.random((4, 6, 3)).astype(np.float32)
    theirs = minisom.MiniSom(
        4,
        6,
        3,
        sigma=2.5,
        learning_rate=1.0,
        decay_function=lambda rate, t, T: rate,
    )
    theirs._sigma_decay_function = lambda sigma, t, T: sigma * np.exp(-t / 4.0)
    theirs._weights = start.astype(float)
    theirs.train_batch_offline(data, 5)
    ours = yupana.SOM(4, 6, iterations=5, sigma0=2.5, tau=4.0, sigmaf=0.1)
    ours.fit_from(data, start.reshape(24, 3))
    assert_allclose(ours.weights_.reshape(4, 6, 3), theirs._weights, atol=2e-6)
    assert ours.quantization_error(data) == pytest.approx(theirs.quantization_error(data), rel=1e-5)
    assert ours.topographic_error(data) == theirs.topographic_error(data)
    assert_array_equal(ours.activation_response(data), theirs.activation_response(data))
    distance = theirs.distance_map(scaling="mean")
    assert_allclose(ours.u_matrix() / ours.u_matrix().max(), distance, rtol=1e-4)
