#!/usr/bin/env bash
# Unpacks Debian's OpenBLAS as a library of PLINK 2 for `yupana bench relationships`: Debian's plink2
# computes with the system's BLAS, which is the slow reference where no other was chosen.
#
# usage: bench/peers/install_openblas.sh [FOLDER]   (default build/peers; the libraries: FOLDER/openblas/lib)
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath -m "${1:-build/peers}")/openblas
[ -e "$folder/lib/libblas.so.3" ] && exit 0
mkdir -p "$folder"
cd "$folder"
apt-get download -qq -o APT::Sandbox::User="$(id -un)" libopenblas0-pthread
dpkg -x libopenblas0-pthread_*.deb .
mkdir -p lib
cp -a usr/lib/*/openblas-pthread/*.so* lib/
rm -r usr libopenblas0-pthread_*.deb
