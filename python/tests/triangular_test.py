"""Transposed and complex triangular systems, against SciPy and NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular

import yupana

OPERATIONS = {"N": lambda a: a, "T": lambda a: a.T, "C": lambda a: a.conj().T}
REAL_OF = {np.complex64: np.float32, np.complex128: np.float64}


def triangle(n, dtype, lower=True, index=np.int32):
    random = np.random.default_rng(n)
    values = sp.random_array((n, n), density=0.04, rng=random).toarray()
    if dtype in REAL_OF:
        values = values * np.exp(6.28j * random.random((n, n)))
    values = np.tril(values, -1) + np.diag(1 + abs(values).sum(axis=1))
    matrix = sp.csr_array((values if lower else values.T).astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def sides(shape, dtype):
    random = np.random.default_rng(9)
    b = random.normal(size=shape)
    return (b + 1j * random.normal(size=shape) if dtype in REAL_OF else b).astype(dtype)


@pytest.mark.parametrize("trans", OPERATIONS)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_operations_equal_a_dense_solution(dtype, index, lower, trans):
    matrix = triangle(200, dtype, lower, index)
    b = sides((200, 3), dtype)
    wanted = np.linalg.solve(OPERATIONS[trans](matrix.toarray().astype(complex)), b)
    results = [
        yupana.triangular_solve(matrix, b, lower=lower, trans=trans, **more)
        for more in (
            {"method": "serial"},
            {"method": "level_set", "threads": 7},
            {"method": "sync_free", "threads": 2},
            {"device": "reference"},
        )
    ]
    rtol = 2e-4 if np.dtype(dtype).char in "fF" else 1e-11
    assert results[0].dtype == dtype and np.allclose(results[0], wanted, rtol=rtol, atol=rtol)
    assert all(x.tobytes() == results[0].tobytes() for x in results)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("matrix_dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("b_dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_spsolve_triangular_has_scipys_types_and_numbers(matrix_dtype, b_dtype, lower):
    matrix = triangle(120, matrix_dtype, lower)
    for shape in ((120,), (120, 2)):
        b = sides(shape, b_dtype)
        ours, theirs = (
            solve(matrix, b, lower)
            for solve in (yupana.sparse.spsolve_triangular, spsolve_triangular)
        )
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        # SciPy solves singles of a matrix or a side in single, whatever type it returns.
        single = {matrix_dtype, b_dtype} & {np.float32, np.complex64}
        rtol = 1e-4 if single else 1e-11
        assert np.allclose(ours, theirs, rtol=rtol, atol=rtol)


def test_parts_of_a_complex_side_have_the_bits_of_real_sides():
    matrix = triangle(150, np.float64)
    b = sides((150, 2), np.complex128)
    system = yupana.sparse.TriangularSystem(matrix, trans="T")
    x = system.solve(b)
    assert x.dtype == complex
    assert np.array_equal(x.real, system.solve(b.real))
    assert np.array_equal(x.imag, system.solve(b.imag))
    assert np.array_equal(system.solve(b[:, 1]), x[:, 1])
    assert system.solve(np.zeros((150, 0), complex)).shape == (150, 0)


def test_new_values_of_a_transposed_complex_system():
    matrix = triangle(90, np.complex128)
    b = sides(90, np.complex128)
    system = yupana.sparse.TriangularSystem(matrix, trans="C")
    system.update_values(matrix.data * 2j)
    wanted = yupana.triangular_solve(matrix * 2j, b, trans="C")
    assert system.solve(b).tobytes() == wanted.tobytes()
    assert np.allclose((matrix * 2j).conj().T @ wanted, b)


def test_faults_of_complex_and_transposed_systems():
    matrix = triangle(5, np.complex128)
    with pytest.raises(ValueError, match="trans"):
        yupana.triangular_solve(matrix, np.ones(5), trans="H")
    real = yupana.sparse.TriangularSystem(triangle(5, np.float64))
    with pytest.raises(TypeError):
        real.update_values(sides(len(matrix.data), np.complex128))
    matrix.data[0] = 0
    with pytest.raises(ValueError, match="row 1 .*zero on the diagonal"):
        yupana.triangular_solve(matrix, np.ones(5))
    tiny = sp.csr_array(np.diag([1e-300j, 1.0]))
    with pytest.warns(yupana.Note, match="1 of 2 numbers of x is infinite or NaN"):
        yupana.triangular_solve(tiny, [1e300, 1.0])
    with pytest.warns(yupana.Note, match="1 of 2 numbers of x is infinite or NaN"):
        yupana.triangular_solve(abs(tiny), [1e300 + 1e300j, 1.0])


def test_nan_in_a_matrix_or_b_was_taken_and_an_infinite_diagonal_without_a_word():
    solve, matrix = yupana.triangular_solve, sp.csr_array([[2.0, 0.0], [1.0, 4.0]])
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"b: expected finite numbers, got {bad} in row 2"):
            solve(matrix, [1.0, bad])
        with pytest.raises(ValueError, match=f"matrix: .* got {bad} in row 2, column 2"):
            solve(sp.csr_array([[2.0, 0.0], [1.0, bad]]), [1.0, 2.0])
        system = yupana.sparse.TriangularSystem(matrix)
        with pytest.raises(ValueError, match=f"matrix: .* got {bad} in row 2, column 1"):
            system.update_values([1.0, bad, 3.0])
        # Entries that do not count may be anything; the drop-in has SciPy's answer.
        diagonal = sp.csr_array([[bad, 0.0], [1.0, 4.0]])
        assert solve(diagonal, [1.0, 2.0], unit_diagonal=True).tolist() == [1.0, 1.0]
        other = sp.csr_array([[2.0, bad], [1.0, 4.0]])
        assert solve(other, [2.0, 9.0], ignore_other=True).tolist() == [1.0, 2.0]
        b = np.array([1.0, bad])
        ours = yupana.sparse.spsolve_triangular(matrix, b)
        assert np.array_equal(ours, spsolve_triangular(matrix, b), equal_nan=True)
