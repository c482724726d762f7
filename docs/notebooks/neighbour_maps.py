# %% [markdown]
# # t-SNE and UMAP of yupana's distances
# Programs that draw neighbours take the exact distance matrix as it is: `metric="precomputed"`.
# Run as `python neighbour_maps.py [FOLDER]`, or cell by cell in an editor that knows `# %%`.

# %%
import sys

import numpy as np
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

import yupana

folder = sys.argv[1] if len(sys.argv) > 1 else "."

# %% [markdown]
# 240 individuals of four populations; of a cohort on disk its path stands in the same place. Distances as the
# command `yupana dist cohort.bed --metric euclidean -o run` writes them to `run.dist.npy`.

# %%
population = np.repeat(np.arange(4), 60)
distances = yupana.distances("simulate:240x8k,populations=4,fst=0.03,missing=0.01,seed=1", "euclidean")

# %% [markdown]
# t-SNE. `init="random"`: the principal components that it begins with otherwise need coordinates, not distances.

# %%
points = TSNE(metric="precomputed", init="random", perplexity=30, random_state=1).fit_transform(distances)
nearest = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(return_distance=False)[:, 0]
print(f"t-SNE: {np.mean(population == population[nearest]):.1%} of the nearest neighbours are of one population")
np.savetxt(f"{folder}/tsne.tsv", np.column_stack([points, population]), fmt="%.5g", delimiter="\t")

# %% [markdown]
# UMAP, where the package umap-learn is installed, in the same way; Fermat distances, too.

# %%
try:
    from umap import UMAP
except ImportError:
    print("umap-learn is not installed")
else:
    lengths = yupana.fermat(distances, alpha="auto").lengths
    for name, matrix in (("d", distances), ("F", np.asarray(lengths, float))):
        points = UMAP(metric="precomputed", random_state=1).fit_transform(matrix)
        np.savetxt(f"{folder}/umap_{name}.tsv", points, fmt="%.5g", delimiter="\t")
