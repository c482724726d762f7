# %% [markdown]
# # From codon to codon, with the switch on and off
# The word ladders of SciPy's tutorial on graphs (from one word to another, a letter at a time), played with the
# genetic code, and then with individuals instead of words. Run as `python switch_ladders.py [FOLDER] [off]`; both
# runs print the same figures.

# %%
import sys
from itertools import product

import networkx as nx
import numpy as np

arguments = [word for word in sys.argv[1:] if word != "off"]
folder = arguments[0] if arguments else "."
if "off" in sys.argv[1:]:
    from scipy.cluster import hierarchy
    from scipy.sparse import csgraph
    from scipy.spatial import distance
else:  # the lines that change
    from yupana import csgraph, distance, hierarchy

    nx.config.backend_priority = ["yupana"]
    nx.config.warnings_to_ignore.add("cache")

# %% [markdown]
# The 61 codons that mean an amino acid. Two are neighbours if one letter tells them apart: a Hamming distance of 1/3.

# %%
stops = {"TAA", "TAG", "TGA"}
codons = [word for word in map("".join, product("TCAG", repeat=3)) if word not in stops]
acids = dict(zip(map("".join, product("TCAG", repeat=3)),
                 "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
letters = np.array([[ord(letter) for letter in word] for word in codons])
apart = distance.squareform(distance.pdist(letters, "hamming"))
neighbours = np.abs(apart - 1 / 3) < 1e-6
print(f"{len(codons)} codons, {neighbours.sum() // 2} pairs of neighbours")

# %% [markdown]
# Ladders that step on no stop codon. A stop bars some of them, and still none is longer than the number of letters.

# %%
pairs = {"directed": False, "unweighted": True, "return_predecessors": True}
steps, before = csgraph.shortest_path(neighbours, **pairs)
at = {codon: i for i, codon in enumerate(codons)}
for first, last in (("ATG", "TGG"), ("TAT", "TGG"), ("TTT", "GGG")):
    print(f"{first} ({acids[first]}) to {last} ({acids[last]}): {steps[at[first], at[last]]:.0f} steps")
print(f"longest ladder {steps.max():.0f} steps, mean {steps[steps > 0].mean():.6f}")
for i, j in np.argwhere(before >= 0):
    assert steps[i, before[i, j]] + 1 == steps[i, j]

# %% [markdown]
# Transitions (T and C, A and G) happen more often than other changes: let them cost 1, others 2.5.

# %%
purine = np.isin(letters, [ord("A"), ord("G")])
transversions = (purine[:, None] != purine[None]).sum(axis=2)
costs = np.where(neighbours, np.where(transversions, 2.5, 1.0), 0)
lengths = csgraph.floyd_warshall(costs, directed=False)
kinds = sorted(set(acids.values()) - {"*"})
of = np.array([kinds.index(acids[codon]) for codon in codons])
nearest = np.array([[lengths[np.ix_(of == a, of == b)].min() for b in range(20)] for a in range(20)])
far = np.unravel_index(nearest.argmax(), nearest.shape)
print(f"cheapest way between amino acids: mean {nearest[nearest > 0].mean():.6f}, at most {nearest.max()} "
      f"({kinds[far[0]]} to {kinds[far[1]]})")

# %% [markdown]
# The same graph by name, in NetworkX.

# %%
graph = nx.Graph()
for i, j in np.argwhere(np.triu(neighbours)):
    graph.add_edge(codons[i], codons[j], weight=float(costs[i, j]))
by_name = dict(nx.all_pairs_dijkstra_path_length(graph))
price = by_name["ATG"]["TGG"]
print(f"ATG to TGG costs {price}, as before: {price == lengths[at['ATG'], at['TGG']]}")
reach = sorted((sum(row.values()), codon) for codon, row in by_name.items())
print("best connected:", reach[0][1], "worst:", reach[-1][1])

# %% [markdown]
# Individuals for words: 700 of seven populations, whose alleles differ at 1,000 sites. Populations come back as
# clusters, and the neighbours' graph leads from one to the next.

# %%
rng = np.random.default_rng(0)
frequencies = np.clip(rng.uniform(0.1, 0.9, 1000) + rng.normal(0, 0.06, (7, 1000)).cumsum(axis=0), 0.02, 0.98)
population = np.repeat(np.arange(7), 100)
genotypes = rng.binomial(2, frequencies[population]).astype(np.int8)
condensed = distance.pdist(genotypes, "cityblock")
tree = hierarchy.linkage(condensed, "average")
found = hierarchy.fcluster(tree, 7, "maxclust")
pure = sum(np.bincount(found[population == p]).max() for p in range(7))
print(f"distances {condensed.min():.0f} to {condensed.max():.0f}")
print(f"{len(set(found))} clusters hold {pure} of 700 as they were, the last merge is at {tree[-1, 2]:.6f}")
print(f"cophenetic correlation {hierarchy.cophenet(tree, condensed)[0]:.6f}")

# %%
square = distance.squareform(condensed)
cutoff = np.sort(square, axis=1)[:, 10]
knn = np.where((square <= cutoff[:, None]) | (square <= cutoff), square, 0)
paths = csgraph.dijkstra(knn, directed=False)
means = np.array([[paths[np.ix_(population == a, population == b)].mean() for b in range(7)] for a in range(7)])
print("mean path from the first population:", means[0].round(3).tolist())
np.save(f"{folder}/ladders.npy", means)
