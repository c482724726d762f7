#!/usr/bin/env bash
# usage: packaging/check_wheel.sh WHEEL [PYTHON]
# Installs a wheel into a new virtual environment, runs program and module there, and holds every library
# they load to the environment's own, glibc and the compiler's. Where a wheel with the CUDA backend finds a GPU, its
# answers are held to the processor's.
set -euo pipefail
wheel=$(realpath "$1") python=${2:-python3}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check "$wheel"
cd "$work"
env/bin/yupana fermat simulate:200x5000 -o run --quiet
for file in run.fermat.npy run.html run.png; do [ -s "$file" ]; done
cat > check.py <<'P'
import re, sys, numpy as np, yupana
cohort = yupana.read_genotypes("simulate:200x5000")
lengths = yupana.fermat(cohort, alpha=2)
d = yupana.distances(cohort, "euclidean")
assert d.shape == (200, 200) and np.load("run.dist.npy").tobytes() == d.tobytes()
assert yupana.arrays.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3]
if "yupana_cu" in sys.argv[1] and yupana.info()["devices"]:
    there = yupana.distances(cohort, "euclidean", device="cuda")
    assert there.tobytes() == d.tobytes()
    print("device", yupana.info()["devices"][0])
paths = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
inside = {path for path in paths if re.search(r"/yupana(_cu\d+)?\.libs/", path)}
assert inside, paths
for name in ("hts", "tbb", "cairo", "X11", "fmt", "hwy", "isal"):
    outside = [path for path in paths - inside if f"/lib{name}" in path]
    assert not outside, outside
P
env/bin/python check.py "$wheel"
program=$(env/bin/python -c 'import os, yupana; print(os.path.dirname(yupana.__file__) + "/bin/yupana")')
if ldd "$program" | grep '=> /' | grep -v "$work" \
    | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s|libstdc\+\+)\.so|ld-linux'; then
  echo "$wheel: the program loads the libraries above, which are not its own" >&2
  exit 1
fi
echo "ok      $(basename "$wheel")"
