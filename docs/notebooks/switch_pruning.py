# %% [markdown]
# # How large a tree, with the switch on and off
# What scikit-learn's example of cost-complexity pruning shows, told in other words and of numbers instead of classes.
# Run as `python switch_pruning.py [FOLDER] [off]`; both runs print the same figures.

# %%
import sys

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, train_test_split

arguments = [word for word in sys.argv[1:] if word != "off"]
folder = arguments[0] if arguments else "."
if "off" in sys.argv[1:]:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
else:  # the line that changes
    from yupana import DecisionTreeClassifier, DecisionTreeRegressor

# %% [markdown]
# Ten features, of which five matter, as single floats, which scikit-learn holds its tables in. Ten rows a leaf: of
# fewer, several features often part a node equally well, and scikit-learn draws one of them.

# %%
X, y = make_friedman1(1000, noise=1.0, random_state=0)
X = X.astype(np.float32)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
rules = {"min_samples_leaf": 10, "random_state": 0}
full = DecisionTreeRegressor(**rules).fit(X_train, y_train)
print(f"grown out: {full.get_n_leaves()} leaves, R2 {full.score(X_train, y_train):.6f} on its own rows, "
      f"{full.score(X_test, y_test):.6f} on others")

# %% [markdown]
# Each price of a leaf has its best subtree; as the price rises, the weakest link is cut, one after the other.

# %%
path = DecisionTreeRegressor(**rules).cost_complexity_pruning_path(X_train, y_train)
print(f"{len(path.ccp_alphas)} subtrees, prices {path.ccp_alphas[1]:.8f} to {path.ccp_alphas[-1]:.6f}")
table = []
for alpha in path.ccp_alphas[-50::6]:
    tree = DecisionTreeRegressor(**rules, ccp_alpha=alpha).fit(X_train, y_train)
    scores = tree.score(X_train, y_train), tree.score(X_test, y_test)
    table.append([alpha, tree.tree_.node_count, tree.get_depth(), *scores])
    print("price {:.6f}: {:3} nodes, depth {:2}, R2 {:.6f} and {:.6f}".format(*table[-1]))

# %% [markdown]
# The price by cross-validation, without a look at the test rows.

# %%
search = GridSearchCV(DecisionTreeRegressor(**rules), {"ccp_alpha": path.ccp_alphas[-40::4]}, cv=5)
search.fit(X_train, y_train)
best = search.best_estimator_
alpha = search.best_params_["ccp_alpha"]
print(f"chosen: {alpha:.6f}, {best.get_n_leaves()} leaves, R2 {best.score(X_test, y_test):.6f}")
print("importances:", best.feature_importances_.round(6).tolist())
shuffled = permutation_importance(best, X_test, y_test, n_repeats=5, random_state=0)
print("when shuffled:", shuffled.importances_mean.round(6).tolist())

# %% [markdown]
# Leaves instead of prices, and classes instead of numbers: is y above its median?

# %%
for leaves in (4, 8, 16):
    model = DecisionTreeClassifier(max_leaf_nodes=leaves, **rules).fit(X_train, y_train > np.median(y_train))
    accuracy = model.score(X_test, y_test > np.median(y_train))
    shares = model.predict_proba(X_test)[:, 1]
    print(f"{leaves:2} leaves: accuracy {accuracy:.6f}, mean share {shares.mean():.6f}")
np.save(f"{folder}/pruning.npy", np.array(table))
