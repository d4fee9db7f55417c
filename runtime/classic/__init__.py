"""Simulators of older machines (`minicc.arch.classic`) over abstract instruction streams.

stream      instruction streams: text to operations
sm          Fermi and Kepler: schedulers, units, register banks; throughput of streams
collector   the textbook SM: collectors, crossbar, scoreboard with two checks, writeback buses, bypass
tensor      its matrix instructions
experiments the tables and figures that they reproduce
"""
