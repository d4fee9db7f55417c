"""minicc: CUDA-style kernels to real Hopper machine code."""
