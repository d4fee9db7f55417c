"""Calibration data from an H200: `make calibrate`, or `python -m tests.gpu.calibrate OUT` where nvcc and ncu are.

Compiles the micro-benchmarks, profiles every launch of their plans and writes OUT/micro/*.cubin.xz and OUT/micro.json:
{"device", "driver", "date", "launches": {label: {metric: value}}}. `--pack FOLDER CUBINS OUT` makes the same from ncu's
CSV files that were taken before (ncu_PLAN_cycles.csv, ncu_PLAN_counters.csv).
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.gpu.compare import labels, read_ncu, record_text
from tests.gpu.micro.plan import IMAGES, plans
from tests.gpu.seen import seen

HERE = Path(__file__).parent
CYCLES = ("gpc__cycles_elapsed.max", "sm__cycles_active.avg", "smsp__inst_executed.sum")
"""What is counted in one pass."""
COUNTERS = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "l1tex__m_l1tex2xbar_write_sectors.sum",
    "lts__t_requests_srcunit_tex_op_write.sum",
    "launch__shared_mem_config_size",
)
"""What is asked in a second run; what ncu does not know is left out of a row."""


def rows(folder: Path, plan: str, names: list[str]) -> dict[str, dict[str, float]]:
    """What ncu measured of each launch in both runs, by label."""
    both = [read_ncu(folder / f"ncu_{plan}_{run}.csv") for run in ("cycles", "counters")]
    return {
        name: {k: row[k] for row, known in ((once, CYCLES), (more, COUNTERS)) for k in known if k in row}
        for name, once, more in zip(names, *both, strict=True)
    }


def pack(folder: Path, cubins: Path, out: Path) -> None:
    """Data files from `folder` (ncu's CSV files, device.json of `seen`) and the cubins that they are about."""
    (out / "micro").mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {**json.loads((folder / "device.json").read_text()), "launches": {}}
    for name, plan in plans().items():
        for label, row in rows(folder, name, labels(plan)).items():
            record["launches"][f"{name}/{label}"] = row
    for image in IMAGES:
        data = (cubins / f"micro_{image}.cubin").read_bytes()
        (out / "micro" / f"{image}.cubin.xz").write_bytes(lzma.compress(data, preset=9))
    (out / "micro.json").write_text(record_text(record))


def main() -> None:
    if sys.argv[1] == "--pack":
        pack(*(Path(a) for a in sys.argv[2:5]))
        return
    out = Path(sys.argv[1])
    work = out / "calibrate"
    work.mkdir(parents=True, exist_ok=True)
    (work / "device.json").write_text(json.dumps(seen()))
    for image in IMAGES:
        source = HERE / "micro" / f"{image}.cu"
        target = work / f"micro_{image}.cubin"
        subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-O3", "-o", str(target), str(source)], check=True)
    for name, plan in plans().items():
        (work / f"{name}.json").write_text(json.dumps(plan))
        for run, metrics in (("cycles", CYCLES), ("counters", COUNTERS)):
            command = ["ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "all",
                       "--print-units", "base", "--csv", "--page", "raw", "--metrics", ",".join(metrics),
                       "--log-file", str(work / f"ncu_{name}_{run}.csv"),
                       sys.executable, "-m", "tests.gpu.programs", str(work / f"{name}.json"), str(work)]  # fmt: skip
            subprocess.run(command, check=True)
    pack(work, work, out)


if __name__ == "__main__":
    main()
