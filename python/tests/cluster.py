"""What the tests of yupana.spark share: the table's columns, partitions, and refusals in one line."""

import shutil

import pytest

pytest.importorskip("pyspark", minversion="3.5", reason="PySpark 3.5 is not installed")
if shutil.which("java") is None:
    pytest.skip("no Java: install default-jre-headless", allow_module_level=True)

ROWS = 5003
NAMES = ["f0", "f1", "f2", "f3"]
PARTITIONS = [1, 4, 7]


def wrong(action, text):
    with pytest.raises(ValueError) as caught:
        action()
    assert text in str(caught.value) and "\n" not in str(caught.value)
