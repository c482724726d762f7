#!/usr/bin/env bash
# usage: packaging/check_in_chroot.sh [SUITE [MIRROR]]   (as root)
# Tries dist/ in a bare Debian made by debootstrap: the wheel with Python alone, the program with nothing but its
# own dependencies, then under mpirun, then docs/examples with CMake and pkg-config.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:-bookworm} mirror=${2:-http://deb.debian.org/debian}
root=$(mktemp -d) && chmod 755 "$root"
trap 'umount -q "$root/proc"; rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
mount -t proc proc "$root/proc"
cp dist/*.deb dist/*-cp311-*.whl packaging/check_wheel.sh "$root/tmp/"
# What the wheel asks of others, so that nothing is downloaded there.
tools=build/wheel-tools/cp311
[ -x $tools/bin/pip ] || python3.11 -m venv $tools
$tools/bin/pip download --quiet --disable-pip-version-check --dest "$root/tmp/needed" dist/*-cp311-*.whl
cp -r docs/examples "$root/tmp/examples"
cat > "$root/tmp/check.sh" <<'C'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
install() { apt-get install -y -qq --no-install-recommends "$@" >/tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }; }
apt-get update -qq
cd /tmp
install python3-venv
PIP_NO_INDEX=1 PIP_FIND_LINKS=/tmp/needed bash check_wheel.sh yupana*.whl
install ./yupana_*.deb
yupana fermat simulate:200x5000 -o one --quiet
[ -s one.html ]
[ -s /usr/share/man/man1/yupana.1.gz ]
grep -q _yupana /usr/share/bash-completion/completions/yupana
echo "ok      yupana"
install ./yupana-mpi_*.deb openmpi-bin
mpirun -n 2 yupana dist simulate:200x5000 -o two --quiet
cmp <(yupana dist simulate:200x5000 -o three --quiet; cat three.dist.npy) two.dist.npy
echo "ok      yupana-mpi"
install ./libyupana-dev_*.deb g++ cmake ninja-build
cmake -S examples -B out -G Ninja >/dev/null
cmake --build out >/dev/null
for example in cohort own_genotypes own_operator fft_plan closest_pair; do out/$example; done
g++ -std=c++20 examples/own_operator.cpp -o by_pkg_config $(pkg-config --cflags --libs yupana-arrays)
./by_pkg_config
echo "ok      libyupana-dev"
C
chroot "$root" bash /tmp/check.sh
