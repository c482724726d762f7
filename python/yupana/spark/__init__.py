"""Self-organizing maps, forests and genotype distances of Spark DataFrames.

Estimators and models of ``pyspark.ml``: they go into pipelines, are saved and loaded. Executors
hand Arrow batches to the C++ library, which must be installed there too. Results are those of
``yupana.SOM``, ``yupana.RandomForestClassifier`` and ``yupana.distances`` on the collected table,
bit for bit, whatever the partitions. Needs PySpark 3.5 or later, pandas and pyarrow; see
docs/spark.md.
"""

from .forest import (
    RandomForestClassificationModel,
    RandomForestClassifier,
    RandomForestRegressionModel,
    RandomForestRegressor,
)
from .genotype import genotype_distances, genotype_pair_counts
from .som import SOM, SOMModel

__all__ = [
    "RandomForestClassificationModel",
    "RandomForestClassifier",
    "RandomForestRegressionModel",
    "RandomForestRegressor",
    "SOM",
    "SOMModel",
    "genotype_distances",
    "genotype_pair_counts",
]
