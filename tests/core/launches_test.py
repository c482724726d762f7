#!/usr/bin/env python3
"""Kernels are launched, and devices queried, through core/cuda alone.

Elsewhere no source allocates memory, sets a kernel's attributes, reads a device's properties, copies with a pitch of
its own or to the device without waiting in any stream, or launches with dynamic shared memory; and a kernel whose body is compiled for some
architectures only says so in its launch bound, so that the missing variant cannot be launched.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".hpp", ".cpp", ".cu", ".cuh"}
RESERVED = re.compile(
    r"\bcuda(FuncSetAttribute|FuncGetAttributes|DeviceGetAttribute|GetDeviceProperties|Occupancy\w+"
    r"|LaunchKernel\w+|LaunchCooperativeKernel|Memcpy2D\w*|Malloc\w*|HostAlloc|Free\w*)\b"
)
# It returns while bytes from pageable memory are on their way: upload() waits.
UPLOAD = re.compile(r"\bcudaMemcpy\([^;]*cudaMemcpyHostToDevice")
LAUNCH = re.compile(r"<<<(.*?)>>>", re.S)
GUARDED = re.compile(
    r"__global__\s+void\s+(?P<bounds>__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\))?\s*"
    r"(?P<name>\w+)\((?:[^()]|\([^()]*\))*\)\s*\{\s*\n#if"
)


def arguments(text):
    text = re.sub(r"<[^<>()]*>", "", text)  # of templates
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(text[last:at].strip())
            last = at + 1
    return parts + [text[last:].strip()]


def faults_of(where, text):
    def line(at):
        return text.count("\n", 0, at) + 1

    for match in RESERVED.finditer(text):
        yield f"{where}:{line(match.start())}: {match.group(0)} belongs to core/cuda"
    for match in UPLOAD.finditer(text):
        yield f"{where}:{line(match.start())}: a copy that kernels do not wait for; use upload"
    for match in LAUNCH.finditer(text):
        shape = arguments(match.group(1))
        if len(shape) > 2 and shape[2] != "0":
            yield (f"{where}:{line(match.start())}: dynamic shared memory in <<<>>>; "
                   "use yupana::cuda::launch")
    for match in GUARDED.finditer(text):
        if "threads_if" not in (match.group("bounds") or ""):
            yield (f"{where}:{line(match.start())}: {match.group('name')} has a body in some "
                   "variants only; bound its threads by threads_if")


def check_the_checks():
    """Each rule finds what it is for."""
    wrong = [
        "cudaFuncSetAttribute(kernel, x, 1);",
        "if (cudaMallocAsync(&memory, bytes, stream) != cudaSuccess) return;",
        "cudaFree(memory);",
        "check(cudaMemcpy(a, b,\n sizeof(b), cudaMemcpyHostToDevice), \"copy\");",
        "kernel<<<dim3(a, b), 32, bytes, stream>>>(task);",
        "__global__ void __launch_bounds__(f(32), 1)\n    a_kernel(int* x) {\n#if X\n#endif\n}",
        "__global__ void b_kernel(Task<T, Op> task) {\n#ifdef X\n#endif\n}",
    ]
    for text in wrong:
        assert len(list(faults_of("here", text))) == 1, text
    right = "kernel<<<1, Scan<T, W>::threads, 0, s>>>(x); cudaMemcpyAsync(a, b, c, d, s);"
    assert not list(faults_of("here", right))


check_the_checks()
found = []
for room in ("yupana", "python"):
    for path in sorted((ROOT / room).rglob("*")):
        where = path.relative_to(ROOT)
        if path.suffix in CODE and where.parts[:3] != ("yupana", "core", "cuda"):
            found += faults_of(where, path.read_text())
print("\n".join(found) or "all launches go through core/cuda")
sys.exit(1 if found else 0)
