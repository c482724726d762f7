"""Tables of pairs that the program writes, read by pyarrow and pandas."""

import numpy as np
import pytest

pq = pytest.importorskip("pyarrow.parquet")


def test_parquet_reads_as_the_text_in_several_row_groups(tmp_path, program):
    pd = pytest.importorskip("pandas")
    for name in ("tsv", "parquet"):
        program("dist", "simulate:600x2000,missing=0.01,seed=3", "--metric", "euclidean",
                "--pairs-above", 0, "--no-matrix", "--pairs-format", name, "-o", tmp_path / "d")
    text = pd.read_csv(tmp_path / "d.pairs.tsv", sep="\t", dtype=str)
    file = pq.ParquetFile(tmp_path / "d.pairs.parquet")
    assert file.metadata.num_row_groups > 1 and file.metadata.num_rows == 600 * 599 // 2
    table = file.read()
    assert [str(field.type) for field in table.schema] == ["string", "string", "double"]
    assert not any(field.nullable for field in table.schema)
    frame = table.to_pandas()
    assert np.array_equal(frame["value"], text["value"].astype(float))
    assert frame["sample1"].tolist() == text["sample1"].tolist()
    assert frame["sample2"].tolist() == text["sample2"].tolist()
