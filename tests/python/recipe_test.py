#!/usr/bin/env python3
"""The recipe for Bioconda requires what the build looks for and what the Python package requires."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Conda's names of what CMake and pkg-config call otherwise, or None of what the compiler has and of what is optional.
NAMES = {"TBB": "tbb-devel", "hwy": "libhwy", "hwy_contrib": "libhwy", "hts": "htslib", "isal": "isa-l",
         "Eigen3": "eigen", "PkgConfig": "pkg-config", "Threads": None, "MPI": None}


def the_recipe_lacks_nothing():
    recipe = (ROOT / "packaging" / "bioconda" / "meta.yaml").read_text()
    required = set(re.findall(r"^    - (\S+(?: >=\S+)?)", recipe, re.M))
    cmake = (ROOT / "cmake" / "Dependencies.cmake").read_text().split("if(YUPANA_CUDA)")[0]
    packages = re.findall(r"(?:find_package|pkg_check_modules)\((\w+)", cmake)
    project = (ROOT / "pyproject.toml").read_text()
    python = [line for key in ("requires", "dependencies")
              for line in re.findall(r'"([^"]+)"', re.search(rf"^{key} = \[(.*)\]", project, re.M)[1])]
    expected = {NAMES.get(name, name.lower()) for name in packages} | {line.replace(">=", " >=") for line in python}
    missing = expected - required - {None}
    assert packages and python and not missing, f"packaging/bioconda/meta.yaml lacks {sorted(missing)}"
