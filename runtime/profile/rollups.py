"""Metrics that follow from others by the rules of their names, as Nsight Compute has them: `unit__counter.sum` is over
the device, `.avg` over the units; `.per_second`, `.per_cycle_active` and `.per_cycle_elapsed` relate either to time.

What SMs and sub-cores count alike is one sum under both names, and a counter of operations is the sum of its
`_op_ld`, `_op_st` ... . Users' scripts ask for such names: a roofline, of
`sm__sass_thread_inst_executed_op_ffma_pred_on`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from minicc.record import evolve
from runtime.profile.facts import Facts
from runtime.profile.meaning import Meaning

Values = dict[str, float | str]
_NAME = re.compile(r"(?P<unit>[a-z0-9]+)__(?P<counter>\w+)\.(?P<how>sum|avg)(?:\.(?P<rate>per_\w+))?")
_RATES = {"per_second": ("s", "second"), "per_cycle_active": ("cycle", "active cycle"),
          "per_cycle_elapsed": ("cycle", "elapsed cycle")}  # fmt: skip
_TWINS = {"sm": "smsp", "smsp": "sm"}
_PARTS = {"dram__bytes": ("dram__bytes_read", "dram__bytes_write"),
          "dram__sectors": ("dram__sectors_read", "dram__sectors_write")}  # fmt: skip


_COUNTED = ("sm", "l1tex", "smsp", "gpu", "gpc")
"""Units whose number is known, so that averages over them are."""


def _units(unit: str, f: Facts) -> int:
    sms = f.arch.sm_count
    return {"sm": sms, "l1tex": sms, "smsp": sms * f.arch.sub_cores}.get(unit, 1)


def value(name: str, known: Values, f: Facts, has: Callable[[str], bool]) -> float | None:
    """The metric `name`, from those `known`; None if it does not follow. `has` says whether a name is a metric: one
    that a kernel has nothing of is 0."""
    match = _NAME.fullmatch(name)
    if match is None or (match["rate"] or "per_second") not in _RATES:
        return None
    unit, counter, how, rate = match["unit"], match["counter"], match["how"], match["rate"]
    base = known.get(f"{unit}__{counter}.{how}")
    found = base if isinstance(base, float | int) else _sum(unit, counter, known, has)
    mean = known.get(f"{unit}__{counter}.avg")
    if found is None and how == "sum" and unit in _COUNTED and isinstance(mean, float | int):
        found = mean * _units(unit, f)
    if found is None:
        return None
    if how == "avg" and base is None:
        if unit not in _COUNTED:
            return None
        found /= _units(unit, f)
    if rate is None:
        return float(found)
    active = known.get(f"{unit}__cycles_active.avg", known.get("sm__cycles_active.avg", 0.0))
    spans = {"per_second": f.microseconds / 1e6, "per_cycle_active": active, "per_cycle_elapsed": f.outcome.cycles}
    span = spans[rate]
    return float(found) / span if isinstance(span, float | int) and span else 0.0


def _sum(unit: str, counter: str, known: Values, has: Callable[[str], bool]) -> float | None:
    stem = f"{unit}__{counter}"
    parts = _PARTS.get(stem) or [n[:-4] for n in known if re.fullmatch(rf"{stem}_op_(ld|st|atom|red)\.sum", n)]
    for names in ([stem], [f"{_TWINS.get(unit, unit)}__{counter}"], parts):
        values = [known.get(f"{name}.sum") for name in names]
        numbers = [v for v in values if isinstance(v, float | int)]
        if numbers:
            return float(sum(numbers))
    return 0.0 if any(has(f"{one}__{counter}.sum") for one in (unit, _TWINS.get(unit, unit))) else None


def meaning(name: str, direct: Callable[[str], Meaning | None]) -> Meaning | None:
    """What such a name means; `direct` knows the names that follow from no others."""
    match = _NAME.fullmatch(name)
    if match is None or (match["rate"] or "per_second") not in _RATES:
        return None
    unit, counter, how, rate = match["unit"], match["counter"], match["how"], match["rate"]
    names = [f"{unit}__{counter}.{how}", f"{unit}__{counter}.sum", f"{_TWINS.get(unit, unit)}__{counter}.sum"]
    names += [f"{part}.sum" for part in _PARTS.get(f"{unit}__{counter}", ())[:1]] + [f"{unit}__{counter}_op_ld.sum"]
    names += [f"{unit}__{counter}.avg"] if unit in _COUNTED else []
    found = next((m for one in names if (m := direct(one))), None)
    if found is None or (how == "avg" and unit not in _COUNTED):
        return None
    text = found.text if how == "sum" else f"{found.text}, of one of its units ({unit})"
    if rate is None:
        return evolve(found, text=text)
    per, words = _RATES[rate]
    base = f"{found.unit or 'inst'}/{per}".replace("cycle/s", "hz")
    return evolve(found, unit=base, text=f"{text}, per {words}")
