"""What a record was made on: `python -m tests.gpu.seen > OUT/device.json` beside what was measured there."""

from __future__ import annotations

import datetime
import json
import subprocess


def seen() -> dict[str, str]:
    """Name and driver of this machine's (first) GPU, and the day."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    first = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    name, _, driver = first.partition(", ")
    return {"device": name, "driver": driver, "date": datetime.date.today().isoformat()}


if __name__ == "__main__":
    print(json.dumps(seen()))
