#!/usr/bin/env bash
# Builds FFTW 3 for the vector units of this machine as a peer of `yupana bench fft`: Debian's has
# SSE2 and AVX alone. The sources are Debian's, from the mirror that apt is configured with.
#
# usage: bench/peers/build_fftw.sh [FOLDER]   (default build/peers; the libraries: FOLDER/fftw/lib)
#
# apt's own lists and sources stay as they are: an index of sources is kept under FOLDER.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath -m "${1:-build/peers}")
prefix=$folder/fftw
stamp=$prefix/complete
jobs=${JOBS:-$(nproc)}
[ -e "$stamp" ] && exit 0

# $1: the folder that receives fftw3_VERSION.orig.tar.gz, whose signature apt checks.
download() {
  local apt=$folder/apt
  mkdir -p "$apt/lists/partial" "$apt/sources.d" "$1"
  : >"$apt/sources.list"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >>"$apt/sources.list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/sources.d/$(basename "$file")"
  done
  local options=(-qq -o Dir::Etc::SourceList="$apt/sources.list"
    -o Dir::Etc::SourceParts="$apt/sources.d" -o Dir::State::Lists="$apt/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="$(id -un)")
  apt-get "${options[@]}" update
  (cd "$1" && apt-get "${options[@]}" source --download-only fftw3)
}

# $1: a build folder; the rest: options of configure.
build() {
  local where=$1
  shift
  mkdir -p "$where"
  cd "$where"
  local units=(--enable-sse2)
  grep -qw avx2 /proc/cpuinfo && units+=(--enable-avx --enable-avx2 --enable-fma)
  grep -qw avx512f /proc/cpuinfo && units+=(--enable-avx512)
  ../source/configure --prefix="$prefix" --enable-shared --disable-static --disable-fortran \
    --disable-doc --enable-threads --with-combined-threads "${units[@]}" "$@" >configure.log
  make -j "$jobs" >make.log 2>&1
  make install >install.log 2>&1
  cd ..
}

work=$folder/fftw-build
rm -rf "$work" "$prefix"
mkdir -p "$work/source"
download "$work"
tar -xf "$work"/fftw3_*.orig.tar.gz -C "$work/source" --strip-components=1
echo "FFTW: building double and single precision in $work"
cd "$work"
build double
build single --enable-float
rm -rf "$work"
touch "$stamp"
echo "FFTW: $prefix/lib"
