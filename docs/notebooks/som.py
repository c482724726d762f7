# %% [markdown]
# # A self-organizing map of a table
# Digits as 64 pixels, a map of 8 x 8 neurons, and what it knows of classes it was not told.

# %%
import sys

import numpy as np
from sklearn.datasets import load_digits

import yupana

folder = sys.argv[1] if len(sys.argv) > 1 else "."

# %%
X, y = load_digits(return_X_y=True)
som = yupana.SOM(rows=8, cols=8, iterations=30, random_state=0).fit(X)
print(f"quantization error {som.quantization_error_:.2f}")
print(f"topographic error  {som.topographic_error_:.3f}")

# %% [markdown]
# Where the samples lie, and how far neighbours are apart: ridges of the U-matrix part clusters.

# %%
print(som.activation_response(X))
print(som.u_matrix().round(1))

# %% [markdown]
# The class that most samples of a neuron have.

# %%
hits = np.zeros((64, 10), int)
np.add.at(hits, (som.labels_, y), 1)
classes = hits.argmax(axis=1)
print(classes.reshape(8, 8))
print(f"accuracy of these classes: {(classes[som.predict(X)] == y).mean():.3f}")

# %% [markdown]
# A map goes through pickle, or through bytes of its own.

# %%
again = yupana.SOM.from_bytes(som.to_bytes())
assert np.array_equal(again.predict(X), som.labels_)
np.save(f"{folder}/codebook.npy", som.weights_)
print("saved codebook.npy")
