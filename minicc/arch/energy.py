"""Energy of the events of an SM, in picojoules, as ranges.

Source of all figures: the project's document on SM architecture (seed 003, "The actual energy numbers", "The actual
coherence-related energy cost", "Energy per Operand Delivery"): orders of magnitude for a 7 nm process, gathered from
published studies. They are good for shares and comparisons, not for watts. The document gives memory figures for a
128-byte line; a sector here is a quarter of that. It gives only stores for shared memory; loads are taken to cost the
same.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Span:
    """A range of picojoules for one event, and the component of the machine it is booked to."""

    low: float
    high: float
    component: str

    @property
    def middle(self) -> float:
        """The figure that reports use."""
        return (self.low + self.high) / 2


@attrs.frozen
class Energy:
    """What each event costs. Events of a register are those of a warp: 32 lanes of 32 bits."""

    register_read: Span = Span(20, 40, "register read")
    output_latch: Span = Span(5, 10, "writeback")
    writeback_bus: Span = Span(20, 40, "writeback")
    bypass: Span = Span(15, 30, "writeback")
    bank_demux: Span = Span(10, 20, "writeback")
    register_write: Span = Span(30, 50, "writeback")
    scoreboard: Span = Span(5, 10, "writeback")
    fma_lane: Span = Span(1, 2, "execution")
    """One lane of an arithmetic instruction. The document compares a warp's writeback (85-160) with this figure and
    finds a factor of 50 to 100; for a warp of 32 active lanes it is 2 to 5."""
    tensor_read: Span = Span(16, 16, "tensor operands")
    """0.5 pJ a lane"""
    tensor_write: Span = Span(32, 32, "tensor operands")
    tensor_routing: Span = Span(100, 100, "tensor operands")
    """of one matrix instruction"""
    shared_address: Span = Span(5, 10, "shared memory")
    shared_conflict_check: Span = Span(5, 10, "shared memory")
    shared_visibility: Span = Span(10, 20, "shared memory")
    shared_arbitration: Span = Span(10, 10, "shared memory")
    """of one wavefront: the document's 10-30 and 30-100 "conflict dependent", taken as their low ends a pass"""
    shared_sram: Span = Span(30, 30, "shared memory")
    l1_line: Span = Span(50, 100, "L1")
    l2_traffic_sector: Span = Span(50, 125, "L1 to L2")
    l2_sector: Span = Span(25, 50, "L2")
    dram_sector: Span = Span(250, 1250, "DRAM")


FIGURES = {"7nm": Energy()}
"""By the name that a machine description gives."""
WRITEBACK = ("output_latch", "writeback_bus", "bypass", "bank_demux", "register_write", "scoreboard")
SHARED_INSTRUCTION = ("shared_address", "shared_conflict_check", "shared_visibility")
SHARED_WAVEFRONT = ("shared_arbitration", "shared_sram")
