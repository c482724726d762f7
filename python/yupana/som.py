"""Self-organizing maps with scikit-learn's interface."""

from __future__ import annotations

import io
import json
import warnings
from numbers import Integral
from typing import Any
from zipfile import BadZipFile

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._call import Keywords, Note, ProgressLike, one_line, run, whole
from ._tables import checked, keep, seed_of
from ._views import Array, host_array, on_gpu, real_array, resident, to_host

__all__ = ["SOM"]


def _auto_or_above_0(name: str, value: float | None) -> float:
    """The library's 0 for None; a 0 of the caller's would read as that."""
    if value == 0:
        raise ValueError(f"{name}: expected a number above 0, or None, got {value!r}")
    return 0 if value is None else value


def _note_rounding(X: Any, samples: np.ndarray) -> None:
    """Notes the first column of which float32 loses what a map could see, as the command line does."""
    if getattr(X, "dtype", None) == np.float32:
        return
    least, largest = (np.float64(f(axis=0)) for f in (samples.min, samples.max))
    # A value is rounded by 2^-24 of its size at most.
    for c in np.flatnonzero(np.maximum(abs(least), abs(largest)) > 16 * (largest - least)):
        column = np.asarray(X)[:, c].astype(np.float64)
        reach, error = np.ptp(column), abs(column - column.astype(np.float32)).max()
        if error > 2**-20 * reach if reach > 0 else error >= 0.5:
            warnings.warn(
                f"X: column {c} (from 0): values from {column.min()} to {column.max()} are rounded by up to "
                f"{error:.3g}, to float32; subtract an offset from the column first",
                Note,
                stacklevel=4,
            )
            return


class SOM(TransformerMixin, BaseEstimator):
    """A self-organizing map of rows x cols neurons; neuron = row * cols + col.

    Batch rule, in iteration t with h the neighbourhood at sigma(t) and b(x) the nearest neuron:
    ``w_i <- sum_x h(b(x), i) x / sum_x h(b(x), i)``. Sums are exact, so that the map has the same
    bits on any number of threads and any device.

    Parameters
    ----------
    rows, cols : size of the map
    lattice : "rectangular" or "hexagonal"; toroidal : opposite edges of the map are joined
    neighborhood : "gaussian", "truncated" or "bubble"
    iterations : passes over the samples; smooth : the last ones, at ``sigmaf``
    sigma0 : radius at the beginning; None: half the longer side
    sigmaf : radius of the ``smooth`` iterations; tau : decay ``sigma0 exp(-t / tau)``; None: sigmaf
        when these begin, or would
    initial : "samples", "pca" or "uniform"
    training : "batch" or "online"; learning_rate : of the online rule, above 0, at most 1; None: 0.5
    random_state : seed of the initial codebook
    device, threads : where and on how many threads; progress : True, or a callable

    Samples are taken as float32, of 24 bits: where values are large next to their differences, as
    time stamps are, subtract an offset first.

    Samples on a GPU (CuPy, torch), dense float32, are trained on and searched there, and neurons and
    distances are arrays there: ``fit`` by the batch rule from "samples", "uniform" or a codebook,
    ``predict``, ``transform``, and the errors.

    Attributes
    ----------
    weights_ : codebook, (rows * cols, features), float32
    labels_ : nearest neuron of each sample of fit
    quantization_error_, topographic_error_ : of these samples
    n_iter_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np, yupana
    >>> X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]])
    >>> som = yupana.SOM(rows=1, cols=2, iterations=5, random_state=0).fit(X)
    >>> bool(som.labels_[0] == som.labels_[1] != som.labels_[2])
    True
    >>> som.transform(X).shape
    (4, 2)
    >>> som.clusters(2)[0]
    array([[0, 1]])
    """

    def __init__(
        self,
        rows: int = 8,
        cols: int = 8,
        *,
        lattice: str = "rectangular",
        toroidal: bool = False,
        neighborhood: str = "gaussian",
        iterations: int = 20,
        smooth: int = 0,
        sigma0: float | None = None,
        sigmaf: float = 0.5,
        tau: float | None = None,
        initial: str = "samples",
        training: str = "batch",
        learning_rate: float | None = None,
        random_state: Any = None,
        device: str = "auto",
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        keep(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _params(self, seed: int) -> _core.som.Params:
        names = "rows cols lattice toroidal neighborhood iterations smooth sigmaf"
        names += " initial training"
        usual = _core.defaults()["som"]["learning_rate"]
        with one_line():
            return _core.som.params(
                **{name: getattr(self, name) for name in names.split()},
                sigma0=_auto_or_above_0("sigma0", self.sigma0),
                tau=_auto_or_above_0("tau", self.tau),
                learning_rate=usual if self.learning_rate is None else self.learning_rate,
                seed=seed,
            )

    def _run(self, function: str, X: Any, *arguments: Any) -> Any:
        keywords = Keywords(device=self.device, threads=self.threads, progress=self.progress)
        return run(f"som.{function}", keywords, X, *arguments)

    def _samples(self, X: Any, reset: bool = False) -> Array:
        if not reset:
            check_is_fitted(self)
        if not on_gpu(X):
            samples = checked(self, X, reset=reset, dtype=np.float32, order="C")
            _note_rounding(X, samples)
            return samples
        resident(X, "X", ("float32",), 2)
        if reset:
            self.n_features_in_ = int(X.shape[1])
            vars(self).pop("feature_names_in_", None)
        return X

    def fit(self, X: Any, y: Any = None) -> "SOM":
        """Trains the map. X: (samples, features), all finite; taken as float32."""
        return self._train(X, None)

    def fit_from(self, X: Any, weights: Any) -> "SOM":
        """Trains on from a codebook, (rows * cols, features), in place of ``initial``."""
        weights = real_array(host_array(weights, "weights"), "weights")
        return self._train(X, np.ascontiguousarray(weights, dtype=np.float32))

    def _check_effect(self) -> None:
        """Refuses parameters that the training makes no use of."""
        unused = {"learning_rate": 'training="batch"'} if self.training == "batch" else {}
        if self.iterations == 0:
            kept = "iterations=0, which keeps the first codebook"
            unused = dict.fromkeys(("sigma0", "tau", "learning_rate"), kept)
        elif self.smooth == self.iterations:
            kept = f"smooth={self.smooth}, which is every iteration"
            unused.update(dict.fromkeys(("sigma0", "tau"), kept))
        for name, reason in unused.items():
            if getattr(self, name) is not None:
                raise ValueError(f"{name} has no effect with {reason}; leave it out")

    def _train(self, X: Any, weights: np.ndarray | None) -> "SOM":
        X = self._samples(X, reset=True)
        params = self._params(seed_of(self.random_state))
        self._check_effect()
        self.weights_ = self._run("train", X, weights, params)
        self.labels_, quality = self._run("judged", X, self.weights_, params, 0)
        self.quantization_error_ = quality["quantization_error"]
        self.topographic_error_ = quality["topographic_error"]
        self.n_iter_ = self.iterations
        return self

    def predict(self, X: Any) -> Array:
        """The nearest neuron of each sample, int32; ties go to the smaller neuron."""
        return self._run("nearest", self._samples(X), self.weights_)

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Trains the map; the nearest neuron of each sample."""
        return self.fit(X).labels_

    def transform(self, X: Any) -> Array:
        """Euclidean distances of each sample to each neuron, (samples, rows * cols), float64."""
        return self._run("distances", self._samples(X), self.weights_)

    def bmu_coords(self, X: Any) -> np.ndarray:
        """Row and column of the nearest neuron of each sample."""
        return np.stack(np.divmod(to_host(self.predict(X)), self.cols), axis=1)

    def quality(self, X: Any, neighbors: int = 0) -> dict[str, float]:
        """``quantization_error``, ``topographic_error`` and ``empty`` neurons of samples.

        neighbors : that count as adjacent, 4, 8 or, hexagonal, 6; 0: 8 or 6.
        """
        X, neighbors = self._samples(X), whole("neighbors", neighbors, 9)
        return self._run("judged", X, self.weights_, self._params(0), neighbors)[1]

    def quantization_error(self, X: Any) -> float:
        """Mean distance of a sample to its nearest neuron."""
        return self.quality(X)["quantization_error"]

    def topographic_error(self, X: Any, neighbors: int = 0) -> float:
        """Share of samples whose two nearest neurons are not adjacent."""
        return self.quality(X, neighbors)["topographic_error"]

    def activation_response(self, X: Any) -> np.ndarray:
        """Samples of each neuron, (rows, cols)."""
        hits = np.bincount(to_host(self.predict(X)), minlength=self.rows * self.cols)
        return hits.reshape(self.rows, self.cols)

    def u_matrix(self) -> np.ndarray:
        """Mean distance of each neuron's weights to its neighbours', (rows, cols)."""
        check_is_fitted(self)
        return _core.som.u_matrix(self.weights_, self._params(0)).reshape(self.rows, self.cols)

    def clusters(self, n_clusters: int | None = None, X: Any = None) -> tuple[Array, Array]:
        """The cluster of each neuron, (rows, cols), and mean simplified silhouettes of 2, 3 ... clusters.

        Ward's method along the map: of all clusters with adjacent neurons those two are joined whose
        union adds least to the squared distances of neurons to their cluster's mean. n_clusters:
        how many; None: of 2 to the root of the neurons, at most 20, the number with the largest mean
        simplified silhouette of the samples, each taken to be at its neuron and compared with the
        means of clusters (otherwise without silhouettes).
        X: the samples; None: those of ``fit``, of a map from bytes one at each neuron. A sample's
        cluster is ``clusters()[0].ravel()[predict(X)]``.
        """
        check_is_fitted(self)
        every = np.arange(len(self.weights_))
        count = 0 if n_clusters is None else whole("n_clusters", n_clusters, len(every) + 1, 1)
        labels = getattr(self, "labels_", every) if X is None else self.predict(X)
        hits = np.bincount(to_host(labels), minlength=len(every)).astype(np.int64)
        weights = np.ascontiguousarray(to_host(self.weights_), dtype=np.float32)
        of, silhouettes = self._run("clusters", weights, hits, self._params(0), count)
        return of.reshape(self.rows, self.cols), silhouettes

    @property
    def sigma_(self) -> np.ndarray:
        """The radius of each iteration."""
        return _core.som.sigmas(self._params(0))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of :meth:`transform`."""
        check_is_fitted(self)
        return np.asarray([f"som{k}" for k in range(len(self.weights_))], dtype=object)

    def to_bytes(self) -> bytes:
        """The fitted map: parameters and codebook, read back by :meth:`from_bytes`."""
        check_is_fitted(self)
        seed = int(self.random_state) if isinstance(self.random_state, Integral) else None
        facts = {"params": {**self.get_params(), "random_state": seed, "progress": None}}
        if hasattr(self, "feature_names_in_"):
            facts["features"] = [str(name) for name in self.feature_names_in_]
        buffer = io.BytesIO()
        np.savez(buffer, weights=self.weights_, facts=np.array(json.dumps(facts, default=np.generic.item)))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "SOM":
        """A fitted map from :meth:`to_bytes`."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as parts:
                facts = json.loads(str(parts["facts"]))
                weights = parts["weights"]
            params = facts["params"]
            if params["training"] == "batch":
                params["learning_rate"] = None  # earlier versions wrote one
            som = cls(**params)
        except (BadZipFile, AttributeError, EOFError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                "data: expected the bytes of SOM.to_bytes(), got others or a part of them; "
                "copy them again"
            ) from error
        som.weights_ = weights
        som.n_features_in_ = weights.shape[1]
        som.n_iter_ = som.iterations
        if "features" in facts:
            som.feature_names_in_ = np.asarray(facts["features"], dtype=object)
        return som
