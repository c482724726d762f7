#!/usr/bin/env python3
"""Include arrows point down only, no family includes another, public headers stay plain.

Reads the include lines of every source and holds them to the order below.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# room -> rooms it may include besides itself
FAMILIES = ["genotype", "graph", "splice", "som", "forest", "spectral", "geometry", "sparse"]
ALLOWED = {"core": set(), "arrays": {"core"}}
ALLOWED.update({family: {"core", "arrays"} for family in FAMILIES})
ALLOWED["analysis"] = {"core"}
ALLOWED["report"] = {"core"}
ALLOWED["io"] = set(FAMILIES) | {"core", "arrays", "analysis"}
ALLOWED["cluster"] = {"core"}
ALLOWED["job"] = set(FAMILIES) | {"core", "arrays", "analysis", "report", "io", "cluster"}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
CODE = {".hpp", ".cpp", ".cu", ".cuh", ".h"}


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def needs_cuda(target, cuda):
    return target.startswith("cuda_") or target in cuda


def cuda_headers():
    """Headers that include CUDA's own, themselves or through another."""
    headers = {str(path.relative_to(ROOT)): [target for _, target in includes(path)]
               for path in (ROOT / "yupana").rglob("*") if path.suffix in {".hpp", ".cuh"}}
    found = set()
    while True:
        more = {name for name, targets in headers.items()
                if name not in found and any(needs_cuda(target, found) for target in targets)}
        if not more:
            return found
        found |= more


def faults():
    cuda = cuda_headers()
    for path in sorted((ROOT / "yupana").rglob("*")):
        if path.suffix not in CODE:
            continue
        room = path.relative_to(ROOT / "yupana").parts[0]
        where = path.relative_to(ROOT)
        if room not in ALLOWED:
            yield f"{where}: room '{room}' is not in the design"
            continue
        for number, target in includes(path):
            parts = target.split("/")
            if parts[0] in ("cli", "bench", "tests", "python"):
                yield f"{where}:{number}: the library includes {target}"
            if parts[0] == "yupana" and parts[1] != room and parts[1] not in ALLOWED[room]:
                yield f"{where}:{number}: {room} may not include {target}"
            if path.suffix == ".hpp" and parts[0] == "hwy":
                yield f"{where}:{number}: a header includes {target}"
            if path.suffix == ".cpp" and target in cuda:
                yield f"{where}:{number}: includes {target}, which needs CUDA"
            if path.suffix == ".hpp" and needs_cuda(target, cuda):
                if "CUDA build" not in re.sub(r"[\s/]+", " ", path.read_text()):
                    yield f"{where}:{number}: a header includes {target} and does not say that " \
                          "only files of the CUDA build include it"
        if where.name not in ("text.cpp", "graph_files.cpp"):
            for call in re.findall(r"fmt::(?:join|format_to)\(", path.read_text()):
                yield f"{where}: {call} compiles fmt anew; core/text.hpp has joined and append_formatted"
    if len(list((ROOT / "yupana/core").glob("*.hpp"))) > 25:
        yield "yupana/core: more than 25 headers"


def rooms_of_algorithms():
    """Each algorithm that dispatches over backends has a reference, and a test of the same name."""
    for dispatch in sorted((ROOT / "yupana").rglob("*.cpp")):
        if "case Backend::reference" not in dispatch.read_text():
            continue
        name = dispatch.stem
        if not dispatch.with_name(name + "_ref.cpp").exists():
            yield f"{dispatch.relative_to(ROOT)}: no {name}_ref.cpp beside it"
        test = ROOT / "tests" / dispatch.parent.name / f"{name}_test.cpp"
        if not test.exists():
            yield f"{dispatch.relative_to(ROOT)}: no {test.relative_to(ROOT)}"


def main():
    found = list(faults()) + list(rooms_of_algorithms())
    # The check itself must be able to fail: a made-up arrow upwards has to be refused.
    assert "job" not in ALLOWED["genotype"] and "graph" not in ALLOWED["genotype"]
    sources = [p for p in (ROOT / "yupana").rglob("*") if p.suffix in CODE]
    if not sources:
        found.append("no sources found: the check looks in the wrong place")
    print("\n".join(found) if found else f"{len(sources)} files, all arrows point down")
    return 1 if found else 0


sys.exit(main())
