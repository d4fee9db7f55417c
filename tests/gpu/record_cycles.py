"""Count cycles and sectors of images with Nsight Compute: `python -m tests.gpu.record_cycles IMAGES OUT`.

IMAGES holds a folder per variant (ours, nvcc, ...) of `<kernel>.cubin`, whose scripts `record_samples` finds.
One process per variant runs under `ncu`. OUT/ncu_<variant>.csv has ncu's rows, each led by the kernel file's name; ID
is the number of the launch in its script.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

METRICS = (
    "gpc__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "smsp__inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sectors_op_read.sum",
    "lts__t_sector_hit_rate.pct",
    "dram__bytes_read.sum",
    "gpu__time_duration.sum",
)
NCU = ("ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "all", "--csv")


def launch_all(counts: Path, images: list[Path]) -> None:
    """Run every image once; `counts` gets the number of launches of each, in order."""
    import runtime
    from tests.gpu.record_samples import run_once

    device = runtime.Device("cuda:0")
    runtime.Device = lambda *_: device  # type: ignore[assignment,misc]  # one context for all of them
    counts.write_text(json.dumps([(image.stem, run_once(image)) for image in images]))


def profile(folder: Path, out: Path) -> None:
    """Profile the images of one variant."""
    with tempfile.TemporaryDirectory() as scratch:
        log, counts = Path(scratch, "log.csv"), Path(scratch, "counts.json")
        images = sorted(map(str, folder.glob("*.cubin")))
        script = [sys.executable, "-m", "tests.gpu.record_cycles", "--launch", str(counts), *images]
        subprocess.run([*NCU, "--metrics", ",".join(METRICS), "--log-file", str(log), *script], check=True)
        places = [(name, number) for name, launches in json.loads(counts.read_text()) for number in range(launches)]
        rows = csv.reader(line for line in log.read_text().splitlines() if line.startswith('"') and line[1].isdigit())
        with (out / f"ncu_{folder.name}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([*places[int(row[0])], *row[1:]] for row in rows)


def main() -> None:
    if sys.argv[1] == "--launch":
        launch_all(Path(sys.argv[2]), [Path(word) for word in sys.argv[3:]])
        return
    out = Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for folder in sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir()):
        profile(folder, out)


if __name__ == "__main__":
    main()
