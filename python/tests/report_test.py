"""Reports and figures of whole runs are the program's."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import yupana

PROGRAM = os.environ.get("YUPANA_PROGRAM", pathlib.Path(yupana.__file__).parent / "bin" / "yupana")
COHORT = "simulate:30x600,populations=3,seed=2"


@pytest.mark.parametrize("command", ["fermat", "pca"])
def test_figures_were_the_programs_alone(command, tmp_path):
    labels = tmp_path / "labels.tsv"
    names = yupana.read_genotypes(COHORT).samples
    labels.write_text("".join(f"{name}\t{'ab'[k % 2]}\n" for k, name in enumerate(names)))
    files = getattr(yupana.report, command)(
        COHORT, tmp_path / "ours", labels=labels, figures=["pdf,svg", "png"], figure_width=120
    )
    more = ["--report"] if command == "pca" else []
    options = ["--labels", labels, "--figures", "pdf,svg,png", "--figure-width", "120", "-o", tmp_path / "theirs"]
    subprocess.run([PROGRAM, command, COHORT, *more, *options, "--quiet"], check=True)
    ours = sorted(path.name.partition(".")[2] for path in tmp_path.glob("ours.*"))
    assert ours == sorted(path.name.partition(".")[2] for path in tmp_path.glob("theirs.*"))
    assert sorted(os.path.basename(file) for file in files) == [f"ours.{ending}" for ending in ours]
    figures = [ending for ending in ours if ending.endswith(("1.svg", "1.png", "scree.svg"))]
    assert len(figures) > 1
    for ending in figures:
        assert (tmp_path / f"ours.{ending}").read_bytes() == (tmp_path / f"theirs.{ending}").read_bytes()


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"figures": "gif"}, "figures: expected svg, pdf or png, got 'gif'"),
        ({"figure_width": 5}, "figure_width: expected a number from 60 to 1000, got '5'"),
        ({"figure_width": float("nan")}, "figure_width: expected a number from 60 to 1000, got 'nan'"),
        ({"label_column": "2"}, "label_column has no effect without labels; leave it out"),
    ],
)
def test_errors_of_figures_are_the_programs(arguments, words, tmp_path):
    for function in (yupana.report.fermat, yupana.report.pca):
        with pytest.raises(ValueError) as raised:
            function(COHORT, tmp_path / "run", **arguments)
        assert str(raised.value) == words
    assert not list(tmp_path.iterdir())


def test_arrays_have_no_report(tmp_path):
    with pytest.raises(ValueError, match="source: expected genotypes of a file, got an array"):
        yupana.report.pca(np.array([[0, 1], [1, 2]], np.int8), tmp_path / "run")
    with pytest.raises(TypeError, match=r"^figures: expected names, got \[5\]"):
        yupana.report.pca(COHORT, tmp_path / "run", figures=[5])
    with pytest.raises(TypeError, match="^figure_width: expected a number, got 'wide'"):
        yupana.report.pca(COHORT, tmp_path / "run", figure_width="wide")
