#!/usr/bin/env bash
# Installs mkl_fft, Intel's transforms for NumPy, into a virtual environment of its own: a peer of
# `yupana bench fft`.
#
# usage: bench/peers/install_mkl_fft.sh [FOLDER]   (default build/peers; the Python: FOLDER/mkl)
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath -m "${1:-build/peers}")
stamp=$folder/mkl/complete
[ -e "$stamp" ] && exit 0
rm -rf "$folder/mkl"
python3 -m venv "$folder/mkl"
"$folder/mkl/bin/pip" install --quiet mkl_fft
"$folder/mkl/bin/python" -c 'import mkl_fft; print("mkl_fft", mkl_fft.__version__)'
touch "$stamp"
