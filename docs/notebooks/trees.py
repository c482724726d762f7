# %% [markdown]
# # Exact trees and forests
# The same interface as scikit-learn's, the same tree on every machine, and tables as they come.

# %%
import sys

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

import yupana

folder = sys.argv[1] if len(sys.argv) > 1 else "."

# %%
data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
tree = yupana.DecisionTreeClassifier(max_depth=3).fit(X, y)
print(tree.export_text())

# %% [markdown]
# Pruned along its cost-complexity path, by cross-validation.

# %%
alphas = yupana.DecisionTreeClassifier().cost_complexity_pruning_path(X, y).ccp_alphas
scores = {a: cross_val_score(yupana.DecisionTreeClassifier(ccp_alpha=a), X, y, cv=5).mean() for a in alphas[::3]}
best = max(scores, key=scores.get)
print(f"best alpha {best:.4f}: accuracy {scores[best]:.3f}")

# %% [markdown]
# A forest, scored by the rows that its trees did not see; a tenth of the values is missing.

# %%
holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
forest = yupana.RandomForestClassifier(200, oob_score=True, random_state=0).fit(holes, y)
print(f"out of bag: {forest.oob_score_:.3f}")
print(pd.Series(forest.feature_importances_, X.columns).nlargest(5).round(3).to_string())

# %% [markdown]
# Its trees in the form that `yupana forest predict` reads.

# %%
with open(f"{folder}/forest.model", "wb") as file:
    file.write(forest.to_bytes())
print("saved forest.model")
