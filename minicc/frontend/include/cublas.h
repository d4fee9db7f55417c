// What the host declares is of no use here, but files count on the headers that it brings.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
