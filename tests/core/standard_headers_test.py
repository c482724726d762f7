#!/usr/bin/env python3
"""A source includes the standard header of what it uses, itself or through headers of this project.

std::copy_n without <algorithm> compiled with g++ 12, whose other headers bring it, and not with g++ 14.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["yupana", "cli", "python", "bench", "tests", "docs"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)', re.MULTILINE)

# header -> names of namespace std that need it
NAMES = {
    "algorithm": r"(?:copy_(?:n|if|backward)|fill(?:_n)?|sort|stable_sort|partial_sort|nth_element|(?:min|max|minmax)_element|find_if"
                 r"|all_of|any_of|none_of|count_if|transform|(?:lower|upper)_bound|equal_range|binary_search|reverse|rotate|unique"
                 r"|remove_if|replace|partition|stable_partition|is_sorted|clamp|minmax|generate|for_each|shuffle)\s*[(<]|ranges::",
    "array": r"array\b",
    "atomic": r"atomic\b",
    "bit": r"(?:bit_cast|bit_width|popcount|count[rl]_zero|has_single_bit|bit_ceil|bit_floor|endian)\b",
    "charconv": r"(?:from|to)_chars\b",
    "chrono": r"chrono\b",
    "cmath": r"(?:sqrt|isnan|isinf|isfinite|floor|ceil|round|l?lround|log|log2|log10|log1p|exp|expm1|pow|ldexp|frexp|hypot|fma|sin|cos"
             r"|trunc|nextafter|signbit|copysign|nan)\(",
    "complex": r"complex\b",
    "cstdint": r"u?int(?:8|16|32|64|ptr|max)_t\b",
    "cstring": r"(?:mem(?:cpy|set|cmp|move|chr)|strlen|strcmp|strerror)\b",
    "fstream": r"[io]?fstream\b",
    "functional": r"function\b",
    "iterator": r"(?:back_inserter|istreambuf_iterator|make_move_iterator|inserter)\b",
    "limits": r"numeric_limits\b",
    "map": r"(?:multi)?map\b",
    "memory": r"(?:unique_ptr|shared_ptr|make_unique|make_shared)\b",
    "mutex": r"(?:mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once)\b",
    "numeric": r"(?:iota|accumulate|partial_sum|inner_product|gcd|lcm|transform_reduce|midpoint)\b",
    "optional": r"(?:optional|nullopt)\b",
    "set": r"set\b",
    "span": r"span\b",
    "sstream": r"[io]?stringstream\b",
    "thread": r"(?:thread|this_thread)\b",
    "unordered_map": r"unordered_map\b",
    "variant": r"(?:variant|visit|holds_alternative)\b",
}
MACROS = {"cmath": r"|\bHUGE_VALF?\b"}
NAMES = {header: re.compile(r"\bstd::(?:" + names + ")" + MACROS.get(header, "")) for header, names in NAMES.items()}


@functools.cache
def code_of(path):
    return re.sub(r"//.*", "", path.read_text())


@functools.cache
def headers_of(path):
    """The headers that a source reads, those of this project followed."""
    found, left, seen = set(), [path], {path}
    while left:
        source = left.pop()
        for name in INCLUDE.findall(code_of(source)):
            found.add(name)
            for own in (ROOT / name, source.parent / name):
                if own.is_file() and own not in seen:
                    seen.add(own)
                    left.append(own)
    return found


def faults(path):
    headers, code = headers_of(path), code_of(path)
    for header, names in NAMES.items():
        use = names.search(code)
        if use and header not in headers:
            yield f"{path.relative_to(ROOT)}: {use[0]} without <{header}>"


def main():
    sources = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*"))
               if path.suffix in {".cpp", ".hpp", ".cu", ".cuh"}]
    found = [fault for path in sources for fault in faults(path)]
    print("\n".join(found) if found else f"{len(sources)} files name the standard headers that they need")
    return 1 if found or not sources else 0


sys.exit(main())
