#!/usr/bin/env python3
"""A question to the file system throws where a path is too long: library and program ask with an
error code, so that a file's own error tells what is wrong."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALL = re.compile(r"\b(?:fs|filesystem)::(exists|is_\w+|file_size|absolute|canonical|status|"
                  r"create_\w+|remove\w*|rename|read_symlink|temp_directory_path|copy\w*)\(")
# Where memory runs out, that of libstdc++ 13 and later follows a null pointer: names_in() reads a folder.
ITERATOR = re.compile(r"\b(?:fs|filesystem)::(?:recursive_)?directory_iterator\b")


def arguments(text, begin):
    """What stands between the parenthesis before `begin` and its partner."""
    depth, end = 1, begin
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[begin:end - 1]


def faults():
    for folder in ("yupana", "cli", "python/bindings"):
        for path in sorted((ROOT / folder).rglob("*.[ch]*")):
            if path.suffix not in (".cpp", ".hpp", ".cu", ".cuh"):
                continue
            text = path.read_text()
            for match in ITERATOR.finditer(text):
                yield f"{path.relative_to(ROOT)}: {match.group(0)}"
            for match in CALL.finditer(text):
                given = arguments(text, match.end())
                # A status that was asked for already throws no more.
                if not re.search(r"\b(none|ignored|fault|error|unknown|not_empty)$|^status$", given):
                    yield f"{path.relative_to(ROOT)}: {match.group(0)}{given})"


found = list(faults())
print("\n".join(found) or "ok")
sys.exit(1 if found else 0)
