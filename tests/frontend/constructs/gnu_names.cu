// GCC's builtins, and its lines joined by a backslash that spaces follow.
__global__ void k(int *o, long long x) {
  static_assert(sizeof(__builtin_fabs(1.f)) == 8 && sizeof(__builtin_fmaxf(1, 2)) == 4, "");
  static_assert(sizeof(__builtin_abs(o[0])) == 4, "");
  o[0] = __builtin_ffs(o[3]) + __builtin_clzll(x) + __builtin_popcountll(x) + (int)__builtin_sqrt(3);
  o[1] = (int)__builtin_fmaf(o[1], 2, 3) + __builtin_isnan((float)o[2]) + __builtin_ffsll(x);
  __builtin_memcpy(o + 8, o, 8);
  __builtin_memset(o + 4, 0, 8);
}
#define joined(p) do { \  
    *p = 3; \	
  } while (0) // and comments \ 
  this too
__global__ void spliced(int *o) { joined(o); }
