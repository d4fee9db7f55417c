"""The measuring tools themselves: that they see agreement, and disagreement, on kernels of a few lines."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import NVCC, needs_nvcc
from tests.suites import device_api, results

pytestmark = needs_nvcc

SAME = """
struct Item { float weight; int next; short *tags; };
static __constant__ float table[16];
namespace { __global__ void hidden(int *o) { o[threadIdx.x] = 2; } }
static __global__ void walk(const Item *items, float *out, int n) {
    int at = threadIdx.x % 12;
    float s = 0;
    for (int i = 0; i < n; i++) { s += items[at].weight * table[at] + items[at].tags[i]; at = items[at].next; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
int main() { hidden<<<1, 1>>>(nullptr); walk<<<1, 1>>>(nullptr, nullptr, 1); }
"""
OTHER = """
__global__ void k(int *o) {
#ifdef __MINICC__
    o[threadIdx.x] = threadIdx.x;
#else
    o[threadIdx.x] = threadIdx.x ^ (threadIdx.x > 20);
#endif
}
"""


def test_verdicts(tmp_path: Path) -> None:
    (tmp_path / "same.cu").write_text(SAME)
    (tmp_path / "other.cu").write_text(OTHER)
    same = results.one(tmp_path / "same.cu", ["-fmad=false"], tmp_path)
    assert sorted(verdict for _, verdict, _ in same) == ["agrees", "agrees"]
    other = results.one(tmp_path / "other.cu", [], tmp_path)
    assert [verdict for _, verdict, _ in other] == ["order"]  # thread 0 alone computes the same


def test_every_fiftieth_function_of_the_device_api_compiles() -> None:
    functions = device_api.declared(NVCC)
    assert len(functions) > 1500
    work = [p for p in device_api.probes(functions) if "enum cudaRoundMode" not in p.function.params][::50]
    image, there, failed = device_api.compiled(work, device_api.compile_ours)
    assert image is not None and not failed and len(there) == len(work)
