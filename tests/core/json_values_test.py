#!/usr/bin/env python3
"""A null of nlohmann::json that becomes an object or an array by its first member is left without one where no
memory is left for it, and its destructor follows the null pointer: signal 11 instead of the line that says so. Objects
and arrays are made before what is put into them."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUSH = re.compile(r'\["(\w+)"\]\.(?:push_back|emplace_back)\(')
NULL = re.compile(r"\b\w+\.emplace_back\([^;]*, nullptr\)\.second")


def faults(path):
    text = path.read_text()
    for match in PUSH.finditer(text):
        made = rf'(?:\["{match[1]}"\] = |\{{"{match[1]}", )[\w:]*array\(\)'
        if not re.search(made, text):
            yield f"{path.relative_to(ROOT)}: {match[0]} of what no array() made"
    for match in NULL.finditer(text):
        yield f"{path.relative_to(ROOT)}: {match[0]}"


found = [fault for room in ("yupana", "cli", "bench") for path in sorted((ROOT / room).rglob("*.cpp"))
         for fault in faults(path)]
print("\n".join(found) or "ok")
sys.exit(1 if found else 0)
