"""What the tests of trees and forests share: a table with a rule in it, and fits of it."""
import gzip
import json
import pathlib
import random

from program import run


def table(name="t.csv", rows=300, seed=1, header=True, gap=0.05):
    random.seed(seed)
    lines = ['length,width,"<odd> & ""name""",class'] if header else []
    for _ in range(rows):
        a, b, c = (round(random.uniform(0, 10), 3) for _ in range(3))
        label = "round" if a + b > 10 else ("flat" if c > 3 else "long")
        cells = ["NA" if random.random() < gap else str(v) for v in (a, b, c)]
        lines.append(",".join(cells + [label]))
    text = "\n".join(lines) + "\n"
    if name.endswith(".gz"):
        gzip.open(name, "wt").write(text)
    else:
        pathlib.Path(name).write_text(text)


def fit(*options, family="tree", out="m"):
    return json.loads(run(family, "fit", "t.csv", "--label", "class", "-o", out, "--json",
                          *options).stdout)


def text_table(name="t.csv", rows=400, seed=4, colors="blue green red white".split(), classes=2):
    """Shapes by color and size; green and white behave alike, and so do blue and red."""
    random.seed(seed)
    lines = ["color,size,class"]
    for _ in range(rows):
        color, size = random.choice(colors), random.randint(1, 9)
        label = (color in ("green", "white")) != (size > 7)
        label = int(label) + (size > 4) * (classes > 2)
        lines.append(f"{color},{size},{'ABC'[label]}")
    pathlib.Path(name).write_text("\n".join(lines) + "\n")
    return lines
