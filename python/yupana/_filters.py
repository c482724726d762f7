"""Filters of a cohort: the arguments of read_genotypes and ld_prune, checked."""

from __future__ import annotations

import inspect
import re
from numbers import Real
from typing import Any, Callable

from ._call import whole


def fields_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of read_genotypes as attributes of a GenotypeInput."""
    fields = {name: value for name, value in arguments.items() if value is not None}
    snps_only = fields.pop("snps_only", False)
    if snps_only not in (False, True, "just-acgt"):
        raise ValueError(f"snps_only: expected True, False or 'just-acgt', got {snps_only!r}")
    fields["snps_only"] = bool(snps_only)
    fields["just_acgt"] = snps_only == "just-acgt"
    filters = fields.pop("var_filter", False)
    fields.pop("indep_pairwise", None)
    fields["filtered"] = filters is not False
    if not isinstance(filters, bool):
        fields["ignored_filters"] = [filters] if isinstance(filters, str) else list(filters)
    return fields


#: Arguments that change nothing unless one of others is given.
_NEEDS = {
    "hwe_mid_p": ("min_hwe",),
    "king_largest": ("king_cutoff",),
    "nonfounders": ("min_maf", "max_maf", "min_mac", "min_hwe", "indep_pairwise"),
    "seed": ("thin",),
}


def refuse_idle(arguments: dict[str, Any], function: Callable[..., Any]) -> None:
    """Refuses arguments of the function that change nothing for want of another one."""
    defaults = inspect.signature(function).parameters

    def is_given(name: str) -> bool:
        return bool(arguments[name] != defaults[name].default)

    for name, others in _NEEDS.items():
        if is_given(name) and not any(map(is_given, others)):
            raise ValueError(f"{name} has no effect without {' or '.join(others)}; leave it out")


def check_number(name: str, value: Any, below: float) -> None:
    """Refuses what is no number from 0 to below another."""
    if not isinstance(value, Real) or not 0 <= value < below:
        raise ValueError(f"{name}: expected a number from 0 to below {below}, got {value!r}")


def check_windows(window: Any, step: Any) -> None:
    """Refuses what are no windows of --indep-pairwise, in the words of the caller's parameters."""
    if isinstance(window, str) and window.endswith("kb"):
        if not re.fullmatch(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?kb", window) or float(window[:-2]) <= 0:
            raise ValueError(f"window: expected kilobases above 0, as '200kb', got {window!r}")
        whole("step", step, 2, 1)
    else:
        is_number = isinstance(window, str) and window.isdecimal()
        sites = whole("window", int(window) if is_number else window, least=2)
        whole("step", step, sites + 1, 1)
