// cuFFT's types of numbers and of callbacks, which are device functions; what the host declares is of no use here.
#pragma once
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#define MINICC_CALLBACKS(Letter, Type) \
    typedef Type (*cufftCallbackLoad##Letter)(void *in, size_t offset, void *info, void *shared); \
    typedef void (*cufftCallbackStore##Letter)(void *out, size_t offset, Type element, void *info, void *shared);
MINICC_CALLBACKS(C, cufftComplex)
MINICC_CALLBACKS(Z, cufftDoubleComplex)
MINICC_CALLBACKS(R, cufftReal)
MINICC_CALLBACKS(D, cufftDoubleReal)
#undef MINICC_CALLBACKS
