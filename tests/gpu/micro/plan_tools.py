"""How the plans of micro-benchmarks are put together."""

from __future__ import annotations

from typing import Any

Program = dict[str, Any]
MB = 1 << 20


def i32(n: int) -> dict[str, int]:
    return {"i32": n}


def floats(count: int, **fill: Any) -> dict[str, Any]:
    return {"dtype": "<f4", "count": count, **fill}


def words(count: int, **fill: Any) -> dict[str, Any]:
    return {"dtype": "<u4", "count": count, **fill}


def program(name: str, image: str, buffers: dict[str, Any], rows: list[Any], save: list[str] | None = None) -> Program:
    """`rows`: (label, kernel, grid, block, args[, shared])."""
    out = []
    for label, kernel, grid, block, args, *shared in rows:
        grid = [grid] if isinstance(grid, int) else grid
        block = [block] if isinstance(block, int) else block
        out.append(
            {
                "label": label,
                "kernel": kernel,
                "grid": grid,
                "block": block,
                "args": args,
                "shared": shared[0] if shared else 0,
            }
        )
    return {"name": name, "image": f"micro_{image}.cubin", "buffers": buffers, "launches": out, "save": save or []}
