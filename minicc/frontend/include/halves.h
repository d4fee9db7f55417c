#pragma once
// What most headers of CUDA 13's C++ core libraries bring besides: the narrow floating-point types.
#include <cccl.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
