#!/bin/sh
# Reads the golden files of package draws with the programs that they are written for and compares
# every value with draws/testdata/golden/*/expected.json; and files of an executable of nuts exe. One line per reader and run; a reader that
# is not installed is skipped. The exit status is 1 if a reader disagrees.
#
# PYTHON, RSCRIPT and CXX name other interpreters and compilers than the usual ones.
cd "$(dirname "$0")" || exit 2
golden=../../draws/testdata/golden
status=0

python=${PYTHON:-/usr/bin/python3}
if command -v "$python" >/dev/null 2>&1; then
    "$python" check.py "$golden" || status=1
    if ! "$python" -c 'import xarray, zarr' >/dev/null 2>&1; then
        echo "skip  groups of package model: no xarray or zarr"
    else
        groups=$(mktemp -d) || exit 2
        (cd ../.. && BAYESKERNEL_ZARR="$groups/run.zarr" go test -count=1 -run '^TestWrite$' \
            ./model >/dev/null) && "$python" groups.py "$groups/run.zarr" || status=1
        rm -rf "$groups"
    fi
else
    echo "skip  python readers: no $python"
fi

rscript=${RSCRIPT:-Rscript}
if ! command -v "$rscript" >/dev/null 2>&1; then
    echo "skip  rstan: no $rscript"
elif ! "$rscript" -e 'stopifnot(requireNamespace("rstan", quietly = TRUE))' >/dev/null 2>&1; then
    echo "skip  rstan: not installed"
else
    "$rscript" check.R "$golden" || status=1
    files=$(mktemp -d) || exit 2
    (cd ../.. && BAYESKERNEL_CMDSTAN="$files" go test -count=1 -run '^TestFilesForReaders$' \
        ./cmd/nuts/internal/face >/dev/null) && "$rscript" cmdstan.R "$files" || status=1
    rm -rf "$files"
fi

# Stan's own reader, that of stansummary, is a C++ header that Debian ships with rstan.
cxx=${CXX:-g++}
lib=${R_LIBRARY:-/usr/lib/R/site-library}
header=$lib/StanHeaders/include/src/stan/io/stan_csv_reader.hpp
if ! command -v "$cxx" >/dev/null 2>&1; then
    echo "skip  stan_csv_reader: no $cxx"
elif [ ! -f "$header" ] || [ ! -d "$lib/RcppEigen/include" ]; then
    echo "skip  stan_csv_reader: no StanHeaders or RcppEigen in $lib"
else
    tmp=$(mktemp -d) || exit 2
    trap 'rm -rf "$tmp"' EXIT
    if "$cxx" -O0 -w -I"$lib/StanHeaders/include/src" -I"$lib/StanHeaders/include" \
        -I"$lib/RcppEigen/include" check.cpp -o "$tmp/check" 2>"$tmp/log"; then
        for run in diag dense unit; do
            for spelling in default word; do
                "$tmp/check" "$golden/$run"/"$spelling"_*.csv >"$tmp/values" 2>&1
                "$python" check.py "$golden" "$run" "$spelling" "$tmp/values" || status=1
            done
        done
    else
        echo "skip  stan_csv_reader: does not compile ($(grep -m1 error "$tmp/log"))"
    fi
fi
exit $status
