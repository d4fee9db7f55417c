"""Memory as an SM sees it: addresses, L1, stores on their way, L2, DRAM, the caches of instructions."""
