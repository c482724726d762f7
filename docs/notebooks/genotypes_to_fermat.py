# %% [markdown]
# # From genotypes to Fermat distances
# A structured cohort, its distances, Fermat distances and what they say about populations.
# Run as `python genotypes_to_fermat.py [FOLDER]`, or cell by cell in an editor that knows `# %%`.

# %%
import sys

import numpy as np
from sklearn.metrics import silhouette_score

import yupana

folder = sys.argv[1] if len(sys.argv) > 1 else "."

# %% [markdown]
# 150 individuals of three populations at 20,000 sites. A path of a .bed, .vcf.gz or .npy file, or an
# int8 array, stands in the same place.

# %%
cohort = yupana.read_genotypes("simulate:150x20k,populations=3,fst=0.05,missing=0.01", min_maf=0.05)
counts = cohort.pair_counts()
print(f"{len(counts.samples)} samples, {counts.sites} sites, {counts.summary['calls_missing']} calls missing")

# %% [markdown]
# One count, several metrics.

# %%
euclidean = counts.distances("euclidean")
print("1 - IBS of the first pair:", counts.distances("1-ibs")[0, 1].round(4))

# %% [markdown]
# Fermat distances follow where the data is dense: paths of many short steps beat one long step.

# %%
population = np.repeat([0, 1, 2], 50)
result = yupana.fermat(euclidean, alpha="auto")
print(f"alpha {result.alpha}: {100 * result.kept_edges:.0f} % of the edges are shortest paths")
for name, matrix in (("d", euclidean), ("F", result.lengths)):
    print(f"silhouette of {name}: {silhouette_score(matrix, population, metric='precomputed'):.3f}")

# %% [markdown]
# The chain of individuals between two of them.

# %%
weights = euclidean**result.alpha / result.scale**result.alpha
print("path:", yupana.path(weights, yupana.shortest_paths(weights), 0, 149))

# %% [markdown]
# Classical scaling: the two largest eigenvectors of the doubly centred squares.

# %%
F = np.asarray(result.lengths, dtype=float)
squares = (F / F.max()) ** 2
centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
values, vectors = np.linalg.eigh(-centred / 2)
np.save(f"{folder}/embedding.npy", vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0)))
np.save(f"{folder}/fermat.npy", F)
print("saved embedding.npy and fermat.npy")
