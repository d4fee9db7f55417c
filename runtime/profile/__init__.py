"""Reports of a launch on the SM model, in the manner of Nsight Compute.

`summary(launch)` and `report(launch)` take a finished `runtime` launch and give text; `as_json(launch)` the same facts
as plain data; `html(launch)` what a notebook shows. Everything comes from the launch's `Outcome`.
"""

from __future__ import annotations

from runtime.profile.report import as_json, html, report, summary

__all__ = ["as_json", "html", "report", "summary"]
