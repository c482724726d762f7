"""What the package was built with and runs on."""

from __future__ import annotations

from typing import Any

from . import _core


def info() -> dict[str, Any]:
    """Version, processor, instruction set, cores, free memory and GPUs, as ``yupana info`` has them.

    Examples
    --------
    >>> import yupana
    >>> sorted(yupana.info())[:3]
    ['cuda_built', 'devices', 'memory_free']
    """
    return _core.info()


__version__: str = info()["version"]


def show_config() -> None:
    """Prints :func:`info`, for bug reports.

    Examples
    --------
    >>> import yupana
    >>> yupana.show_config()  # doctest: +ELLIPSIS
    yupana ...
    """
    facts = info()
    print(f"yupana {facts['version']}")
    threads = "1 thread" if facts["threads"] == 1 else f"{facts['threads']} threads"
    print(f"processor  {facts['processor']}, {threads}, SIMD {facts['simd']}")
    print(f"memory     {facts['memory_free'] / 1e9:.1f} GB free")
    for gpu in facts["devices"]:
        state = "works" if gpu["works"] else "does not run kernels"
        print(f"cuda:{gpu['ordinal']}     {gpu['name']}, {gpu['memory'] / 1e9:.0f} GB, {state}")
    if not facts["devices"]:
        print("cuda       " + ("built in, no device here" if facts["cuda_built"] else "not built"))
