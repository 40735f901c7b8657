#!/bin/bash
# scripts/check-weak-symbols must accept a function that carries its instruction set in its name and refuse one that doesn't.
#   check_weak_symbols_test.sh CXX CHECK
set -euo pipefail
compiler=$1 check=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(-std=c++20 -O1 -mavx512f -fno-inline -c)

if "$check" "$folder" >/dev/null; then echo "a folder without object files was accepted"; exit 1; fi

cat >"$folder/carries_avx512.cpp" <<'EOF'
namespace sets { struct avx512bw; }
template <class Arch> double twice(double x) { return x + x; }
double (*use)(double) = twice<sets::avx512bw>;
EOF
"$compiler" "${flags[@]}" "$folder/carries_avx512.cpp" -o "$folder/carries_avx512.cpp.o"
"$check" "$folder" || { echo "a function that carries the set in its name was refused"; exit 1; }

cat >"$folder/plain_avx512.cpp" <<'EOF'
inline double twice(double x) { return x + x; }
double (*use)(double) = twice;
EOF
"$compiler" "${flags[@]}" "$folder/plain_avx512.cpp" -o "$folder/plain_avx512.cpp.o"
if report=$("$check" "$folder"); then echo "a plain inline function was accepted"; exit 1; fi
grep -qxF '    twice(double)' <<<"$report" || { printf 'the offender is not named in:\n%s\n' "$report"; exit 1; }
