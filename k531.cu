__device__ __noinline__ unsigned called(unsigned m, unsigned r, unsigned x) {
    r ^= __ballot_sync(m, r & 2) * 3;
    if (__popc(x) & 1) r += 7;
    return r + __shfl_sync(m, x, __ffs(m) - 1);
}
template <int N> __device__ __noinline__ unsigned deep(unsigned r, unsigned times) {
    return times ? deep<N - 1>(r * 3, times - 1) + times : r;
}
template <> __device__ __noinline__ unsigned deep<0>(unsigned r, unsigned times) { return r; }
__device__ __noinline__ unsigned even(unsigned x) { return x / 3; }
__device__ __noinline__ unsigned odd(unsigned x) { return x * 7 + 1; }
__device__ unsigned (*const ways[])(unsigned) = {even, odd};
extern "C" __global__ void k(const unsigned *in, unsigned *out) { __shared__ unsigned s[32];
unsigned t = threadIdx.x, lane = t & 31, i = blockIdx.x * 64 + t, x = in[i], r = x ^ t;
unsigned live = 0xffffffffu;
if (t < 32) s[t] = 0;
__syncthreads();
r ^= __shfl_sync(live, x, 31 - __clz(live)) + 7;
x = x * 0x9e3779b1u + r;
{ unsigned w0 = (x >> 1) & 3, m0 = __match_any_sync(live, w0); switch (w0) {
case 0: {
r = r * 5 + __match_any_sync(m0, (r >> 6) & 7);
} break;
case 1: {
r = deep<3>(r, x & 3);
} break;
case 2: {
{ bool c1 = lane & 8; unsigned m1 = __ballot_sync(m0, c1); if (c1) {
{ unsigned a2 = m1, n2 = (r >> 2) & 3; for (unsigned j2 = 0;; j2++) {
bool g2 = j2 < n2; unsigned b2 = __ballot_sync(a2, g2); if (!g2) break; a2 = b2;
{ int p; r += __match_all_sync(a2, x >> 30, &p) + p; }
r = r * 31 + __shfl_sync(a2, r, __ffs(a2) - 1);
r = r * 5 + __match_any_sync(a2, (r >> 1) & 3);
} __syncwarp(m1); }
} else { unsigned e1 = m0 & ~m1;
r = called(e1, r, x);
} __syncwarp(m0); }
} break;
default: r += 5; } __syncwarp(live); }
{ bool c = lane & 17; live = __ballot_sync(live, !c); if (c) { out[i] = r; return; } }
__syncthreads(); r += s[(t * 7) & 31];
r += __syncthreads_count(x > 1931246639u);
{ bool c3 = (r ^ x) % 8u == 0; unsigned m3 = __ballot_sync(live, c3); if (c3) {
{ unsigned a4 = m3, n4 = (r >> 6) & 3; for (unsigned j4 = 0;; j4++) {
bool g4 = j4 < n4; unsigned b4 = __ballot_sync(a4, g4); if (!g4) break; a4 = b4;
r = deep<3>(r, x & 3);
} __syncwarp(m3); }
r = deep<3>(r, x & 3);
} __syncwarp(live); }
{ bool c5 = lane & 23; unsigned m5 = __ballot_sync(live, c5); if (c5) {
x = x * 0x9e3779b1u + r;
{ bool c6 = r & 7u; unsigned m6 = __ballot_sync(m5, c6); if (c6) {
r ^= __shfl_sync(m6, x, 31 - __clz(m6)) + 1;
{ unsigned w7 = (x >> 0) & 3, m7 = __match_any_sync(m6, w7); switch (w7) {
case 0: {
{ int p; r += __match_all_sync(m7, x >> 27, &p) + p; }
} break;
case 1: {
x = x * 0x9e3779b1u + r;
r = r * 5 + __match_any_sync(m7, (r >> 7) & 3);
} break;
case 2: {
{ bool c8 = (r ^ x) % 19u == 0; unsigned m8 = __ballot_sync(m7, c8); if (c8) {
x = x * 0x9e3779b1u + r;
r = r * 5 + __match_any_sync(m8, (r >> 5) & 1);
} else { unsigned e8 = m7 & ~m8;
r = called(e8, r, x);
if (__all_sync(e8, r & 1073741824u)) r += 6;
{ int p; r += __match_all_sync(e8, x >> 25, &p) + p; }
} __syncwarp(m7); }
} break;
default: r += 5; } __syncwarp(m6); }
{ unsigned w9 = (x >> 4) & 3, m9 = __match_any_sync(m6, w9); switch (w9) {
case 0: {
{ unsigned a10 = m9, n10 = (r >> 7) & 3; for (unsigned j10 = 0;; j10++) {
bool g10 = j10 < n10; unsigned b10 = __ballot_sync(a10, g10); if (!g10) break; a10 = b10;
__nanosleep(45);
__nanosleep(40);
} __syncwarp(m9); }
{ bool c11 = r & 3u; unsigned m11 = __ballot_sync(m9, c11); if (c11) {
r = deep<3>(r, x & 3);
} else { unsigned e11 = m9 & ~m11;
r += __ballot_sync(e11, r & 61680u);
} __syncwarp(m9); }
r = ways[x & 1](r);
} break;
case 1: {
if (__all_sync(m9, x & 7u)) r += 7;
} break;
case 2: {
r ^= __shfl_sync(m9, x, 31 - __clz(m9)) + 4;
__syncwarp(m9);
} break;
default: r += 5; } __syncwarp(m6); }
} else { unsigned e6 = m5 & ~m6;
__syncwarp(e6);
} __syncwarp(m5); }
} else { unsigned e5 = live & ~m5;
{ int p; r += __match_all_sync(e5, x >> 25, &p) + p; }
} __syncwarp(live); }
{ bool c12 = (r ^ x) % 17u == 0; unsigned m12 = __ballot_sync(live, c12); if (c12) {
{ unsigned a13 = m12, n13 = (r >> 4) & 3; for (unsigned j13 = 0;; j13++) {
bool g13 = j13 < n13; unsigned b13 = __ballot_sync(a13, g13); if (!g13) break; a13 = b13;
r = ways[x & 1](r);
r = deep<3>(r, x & 3);
r = r * 31 + __shfl_sync(a13, r, __ffs(a13) - 1);
bool c13 = lane & 14; unsigned d13 = __ballot_sync(a13, !c13); if (c13) continue;
{ unsigned w14 = (x >> 8) & 3, m14 = __match_any_sync(d13, w14); switch (w14) {
case 0: {
{ unsigned w15 = (x >> 17) & 3, m15 = __match_any_sync(m14, w15); switch (w15) {
case 0: {
__syncwarp(m15);
r = r * 31 + __shfl_sync(m15, r, __ffs(m15) - 1);
r = deep<3>(r, x & 3);
} break;
case 1: {
if (__all_sync(m15, (r ^ x) % 7u == 0)) r += 2;
r = called(m15, r, x);
atomicAdd(&s[(r >> 0) & 31], 1u);
} break;
case 2: {
r = r * 31 + __shfl_sync(m15, r, __ffs(m15) - 1);
r = deep<3>(r, x & 3);
__syncwarp(m15);
} break;
default: r += 5; } __syncwarp(m14); }
} break;
case 1: {
x = x * 0x9e3779b1u + r;
{ bool c16 = x > 2488626695u; unsigned m16 = __ballot_sync(m14, c16); if (c16) {
r = r * 3 + __reduce_xor_sync(m16, r >> 6);
r = r * 31 + __shfl_sync(m16, r, __ffs(m16) - 1);
__syncwarp(m16);
} else { unsigned e16 = m14 & ~m16;
r = called(e16, r, x);
r = deep<3>(r, x & 3);
} __syncwarp(m14); }
} break;
case 2: {
{ unsigned w17 = (x >> 13) & 3, m17 = __match_any_sync(m14, w17); switch (w17) {
case 0: {
__syncwarp(m17);
} break;
case 1: {
r = deep<3>(r, x & 3);
} break;
case 2: {
__nanosleep(5);
r = r * 5 + __match_any_sync(m17, (r >> 1) & 1);
__syncwarp(m17);
} break;
default: r += 5; } __syncwarp(m14); }
{ bool c18 = (r ^ x) % 31u == 0; unsigned m18 = __ballot_sync(m14, c18); if (c18) {
r = deep<3>(r, x & 3);
if (__all_sync(m18, x > 2209665228u)) r += 7;
} __syncwarp(m14); }
} break;
default: r += 5; } __syncwarp(d13); }
r = ways[x & 1](r);
} __syncwarp(m12); }
} else { unsigned e12 = live & ~m12;
{ unsigned w19 = (x >> 17) & 3, m19 = __match_any_sync(e12, w19); switch (w19) {
case 0: {
{ int p; r += __match_all_sync(m19, x >> 23, &p) + p; }
{ unsigned a20 = m19, n20 = (r >> 4) & 3; for (unsigned j20 = 0;; j20++) {
bool g20 = j20 < n20; unsigned b20 = __ballot_sync(a20, g20); if (!g20) break; a20 = b20;
{ bool c21 = x > 499053179u; unsigned m21 = __ballot_sync(a20, c21); if (c21) {
{ int p; r += __match_all_sync(m21, x >> 27, &p) + p; }
} else { unsigned e21 = a20 & ~m21;
if (__all_sync(e21, x & 2u)) r += 2;
if (__all_sync(e21, lane < 17)) r += 7;
} __syncwarp(a20); }
r = r * 5 + __match_any_sync(a20, (r >> 0) & 7);
r = ways[x & 1](r);
} __syncwarp(m19); }
} break;
case 1: {
{ bool c22 = (r ^ x) % 5u == 0; unsigned m22 = __ballot_sync(m19, c22); if (c22) {
r = r * 5 + __match_any_sync(m22, (r >> 0) & 3);
} else { unsigned e22 = m19 & ~m22;
{ bool c23 = x > 3435831127u; unsigned m23 = __ballot_sync(e22, c23); if (c23) {
r ^= __shfl_sync(m23, x, 31 - __clz(m23)) + 9;
} else { unsigned e23 = e22 & ~m23;
r = ways[x & 1](r);
r = r * 3 + __reduce_max_sync(e23, r >> 9);
r = called(e23, r, x);
} __syncwarp(e22); }
r = ways[x & 1](r);
} __syncwarp(m19); }
{ unsigned a24 = m19, n24 = (r >> 5) & 3; for (unsigned j24 = 0;; j24++) {
bool g24 = j24 < n24; unsigned b24 = __ballot_sync(a24, g24); if (!g24) break; a24 = b24;
{ bool c25 = r & 1073741824u; unsigned m25 = __ballot_sync(a24, c25); if (c25) {
__nanosleep(30);
} else { unsigned e25 = a24 & ~m25;
if (__all_sync(e25, r & 85u)) r += 2;
__nanosleep(40);
} __syncwarp(a24); }
bool c24 = r & 85u; unsigned d24 = __ballot_sync(a24, !c24); if (c24) continue;
{ unsigned a26 = d24, n26 = (r >> 3) & 3; for (unsigned j26 = 0;; j26++) {
bool g26 = j26 < n26; unsigned b26 = __ballot_sync(a26, g26); if (!g26) break; a26 = b26;
r ^= __shfl_sync(a26, x, 31 - __clz(a26)) + 2;
r = r * 5 + __match_any_sync(a26, (r >> 8) & 1);
r ^= __shfl_sync(a26, x, 31 - __clz(a26)) + 8;
bool c26 = x & 3u; unsigned d26 = __ballot_sync(a26, !c26); if (c26) continue;
if (__any_sync(d26, x > 4129749786u)) r += 4;
} __syncwarp(d24); }
{ unsigned w27 = (x >> 10) & 3, m27 = __match_any_sync(d24, w27); switch (w27) {
case 0: {
r = r * 3 + __reduce_min_sync(m27, r >> 2);
r = r * 5 + __match_any_sync(m27, (r >> 9) & 1);
} break;
case 1: {
{ int p; r += __match_all_sync(m27, x >> 22, &p) + p; }
r = deep<3>(r, x & 3);
} break;
case 2: {
r = deep<3>(r, x & 3);
r += __ballot_sync(m27, r & 1073741824u);
} break;
default: r += 5; } __syncwarp(d24); }
} __syncwarp(m19); }
atomicAdd(&s[(r >> 5) & 31], 6u);
} break;
case 2: {
{ bool c28 = (r ^ x) % 7u == 0; unsigned m28 = __ballot_sync(m19, c28); if (c28) {
r = deep<3>(r, x & 3);
{ bool c29 = r & 5u; unsigned m29 = __ballot_sync(m28, c29); if (c29) {
r += __ballot_sync(m29, r & 5u);
r = ways[x & 1](r);
r = r * 31 + __shfl_sync(m29, r, __ffs(m29) - 1);
} else { unsigned e29 = m28 & ~m29;
r ^= __shfl_sync(e29, x, 31 - __clz(e29)) + 6;
} __syncwarp(m28); }
{ unsigned a30 = m28, n30 = (r >> 8) & 3; for (unsigned j30 = 0;; j30++) {
bool g30 = j30 < n30; unsigned b30 = __ballot_sync(a30, g30); if (!g30) break; a30 = b30;
r ^= __shfl_sync(a30, x, 31 - __clz(a30)) + 6;
r = r * 3 + __reduce_max_sync(a30, r >> 6);
r = ways[x & 1](r);
} __syncwarp(m28); }
} else { unsigned e28 = m19 & ~m28;
{ int p; r += __match_all_sync(e28, x >> 28, &p) + p; }
{ bool c31 = x & 1u; unsigned m31 = __ballot_sync(e28, c31); if (c31) {
{ int p; r += __match_all_sync(m31, x >> 28, &p) + p; }
atomicAdd(&s[(r >> 4) & 31], 5u);
} else { unsigned e31 = e28 & ~m31;
r = r * 3 + __reduce_add_sync(e31, r >> 8);
atomicAdd(&s[(r >> 7) & 31], 8u);
{ int p; r += __match_all_sync(e31, x >> 22, &p) + p; }
} __syncwarp(e28); }
} __syncwarp(m19); }
r += __ballot_sync(m19, lane < 19);
r = deep<3>(r, x & 3);
} break;
default: r += 5; } __syncwarp(e12); }
x = x * 0x9e3779b1u + r;
atomicAdd(&s[(r >> 8) & 31], 9u);
} __syncwarp(live); }
{ bool c = r & 2u; live = __ballot_sync(live, !c); if (c) { out[i] = r; return; } }
__syncthreads(); r += s[(t * 7) & 31];
r += __syncthreads_count(lane < 13);
{ unsigned w32 = (x >> 17) & 3, m32 = __match_any_sync(live, w32); switch (w32) {
case 0: {
{ bool c33 = x > 2388489704u; unsigned m33 = __ballot_sync(m32, c33); if (c33) {
{ bool c34 = x & 5u; unsigned m34 = __ballot_sync(m33, c34); if (c34) {
{ unsigned w35 = (x >> 13) & 3, m35 = __match_any_sync(m34, w35); switch (w35) {
case 0: {
x = x * 0x9e3779b1u + r;
r = r * 5 + __match_any_sync(m35, (r >> 0) & 7);
{ int p; r += __match_all_sync(m35, x >> 23, &p) + p; }
} break;
case 1: {
r += __ballot_sync(m35, lane & 7);
} break;
case 2: {
r ^= __shfl_sync(m35, x, 31 - __clz(m35)) + 0;
} break;
default: r += 5; } __syncwarp(m34); }
__nanosleep(30);
} else { unsigned e34 = m33 & ~m34;
{ unsigned a36 = e34, n36 = (r >> 3) & 3; for (unsigned j36 = 0;; j36++) {
bool g36 = j36 < n36; unsigned b36 = __ballot_sync(a36, g36); if (!g36) break; a36 = b36;
r = r * 5 + __match_any_sync(a36, (r >> 1) & 3);
bool c36 = x & 3u; unsigned d36 = __ballot_sync(a36, !c36); if (c36) continue;
r = called(d36, r, x);
} __syncwarp(e34); }
r = r * 3 + __reduce_add_sync(e34, r >> 2);
__syncwarp(e34);
} __syncwarp(m33); }
__syncwarp(m33);
if (__all_sync(m33, x & 3u)) r += 3;
} else { unsigned e33 = m32 & ~m33;
{ unsigned w37 = (x >> 11) & 3, m37 = __match_any_sync(e33, w37); switch (w37) {
case 0: {
{ bool c38 = (r ^ x) % 22u == 0; unsigned m38 = __ballot_sync(m37, c38); if (c38) {
r = ways[x & 1](r);
} __syncwarp(m37); }
} break;
case 1: {
{ bool c39 = lane < 26; unsigned m39 = __ballot_sync(m37, c39); if (c39) {
r = deep<3>(r, x & 3);
atomicAdd(&s[(r >> 8) & 31], 9u);
r = called(m39, r, x);
} else { unsigned e39 = m37 & ~m39;
x = x * 0x9e3779b1u + r;
r = ways[x & 1](r);
} __syncwarp(m37); }
__syncwarp(m37);
} break;
case 2: {
{ bool c40 = lane < 1; unsigned m40 = __ballot_sync(m37, c40); if (c40) {
r += __ballot_sync(m40, x > 1317870642u);
__syncwarp(m40);
r = deep<3>(r, x & 3);
} else { unsigned e40 = m37 & ~m40;
x = x * 0x9e3779b1u + r;
} __syncwarp(m37); }
} break;
default: r += 5; } __syncwarp(e33); }
{ unsigned w41 = (x >> 10) & 3, m41 = __match_any_sync(e33, w41); switch (w41) {
case 0: {
__nanosleep(0);
} break;
case 1: {
r = r * 3 + __reduce_and_sync(m41, r >> 2);
{ bool c42 = lane < 7; unsigned m42 = __ballot_sync(m41, c42); if (c42) {
{ int p; r += __match_all_sync(m42, x >> 22, &p) + p; }
if (__any_sync(m42, (r ^ x) % 24u == 0)) r += 3;
atomicAdd(&s[(r >> 7) & 31], 8u);
} else { unsigned e42 = m41 & ~m42;
x = x * 0x9e3779b1u + r;
x = x * 0x9e3779b1u + r;
r = deep<3>(r, x & 3);
} __syncwarp(m41); }
} break;
case 2: {
r = r * 5 + __match_any_sync(m41, (r >> 2) & 3);
} break;
default: r += 5; } __syncwarp(e33); }
{ int p; r += __match_all_sync(e33, x >> 25, &p) + p; }
} __syncwarp(m32); }
{ bool c43 = x & 61680u; unsigned m43 = __ballot_sync(m32, c43); if (c43) {
r = called(m43, r, x);
} else { unsigned e43 = m32 & ~m43;
atomicAdd(&s[(r >> 7) & 31], 8u);
__nanosleep(15);
} __syncwarp(m32); }
} break;
case 1: {
atomicAdd(&s[(r >> 5) & 31], 6u);
{ bool c44 = (r ^ x) % 9u == 0; unsigned m44 = __ballot_sync(m32, c44); if (c44) {
if (__all_sync(m44, lane < 22)) r += 5;
__syncwarp(m44);
} else { unsigned e44 = m32 & ~m44;
r = r * 3 + __reduce_or_sync(e44, r >> 3);
r = r * 31 + __shfl_sync(e44, r, __ffs(e44) - 1);
atomicAdd(&s[(r >> 8) & 31], 9u);
} __syncwarp(m32); }
} break;
case 2: {
{ int p; r += __match_all_sync(m32, x >> 26, &p) + p; }
} break;
default: r += 5; } __syncwarp(live); }
{ bool c45 = r & 5u; unsigned m45 = __ballot_sync(live, c45); if (c45) {
{ unsigned w46 = (x >> 17) & 3, m46 = __match_any_sync(m45, w46); switch (w46) {
case 0: {
r = ways[x & 1](r);
{ unsigned w47 = (x >> 10) & 3, m47 = __match_any_sync(m46, w47); switch (w47) {
case 0: {
{ bool c48 = lane & 5; unsigned m48 = __ballot_sync(m47, c48); if (c48) {
r = r * 31 + __shfl_sync(m48, r, __ffs(m48) - 1);
{ int p; r += __match_all_sync(m48, x >> 30, &p) + p; }
} else { unsigned e48 = m47 & ~m48;
r = r * 5 + __match_any_sync(e48, (r >> 1) & 1);
if (__all_sync(e48, x & 3u)) r += 7;
r = called(e48, r, x);
} __syncwarp(m47); }
{ bool c49 = lane < 14; unsigned m49 = __ballot_sync(m47, c49); if (c49) {
x = x * 0x9e3779b1u + r;
} __syncwarp(m47); }
} break;
case 1: {
atomicAdd(&s[(r >> 5) & 31], 6u);
{ bool c50 = x > 815332340u; unsigned m50 = __ballot_sync(m47, c50); if (c50) {
x = x * 0x9e3779b1u + r;
} else { unsigned e50 = m47 & ~m50;
r = called(e50, r, x);
r += __ballot_sync(e50, x > 1229408150u);
r = r * 5 + __match_any_sync(e50, (r >> 1) & 1);
} __syncwarp(m47); }
r ^= __shfl_sync(m47, x, 31 - __clz(m47)) + 9;
} break;
case 2: {
{ unsigned a51 = m47, n51 = (r >> 6) & 3; for (unsigned j51 = 0;; j51++) {
bool g51 = j51 < n51; unsigned b51 = __ballot_sync(a51, g51); if (!g51) break; a51 = b51;
r = ways[x & 1](r);
bool c51 = lane < 29; unsigned d51 = __ballot_sync(a51, !c51); if (c51) continue;
r += __ballot_sync(d51, (r ^ x) % 20u == 0);
r = r * 31 + __shfl_sync(d51, r, __ffs(d51) - 1);
} __syncwarp(m47); }
__syncwarp(m47);
} break;
default: r += 5; } __syncwarp(m46); }
} break;
case 1: {
{ bool c52 = x > 147230312u; unsigned m52 = __ballot_sync(m46, c52); if (c52) {
r ^= __shfl_sync(m52, x, 31 - __clz(m52)) + 7;
} else { unsigned e52 = m46 & ~m52;
r ^= __shfl_sync(e52, x, 31 - __clz(e52)) + 2;
{ bool c53 = (r ^ x) % 13u == 0; unsigned m53 = __ballot_sync(e52, c53); if (c53) {
__nanosleep(20);
if (__all_sync(m53, r & 2u)) r += 1;
} __syncwarp(e52); }
{ unsigned a54 = e52, n54 = (r >> 7) & 3; for (unsigned j54 = 0;; j54++) {
bool g54 = j54 < n54; unsigned b54 = __ballot_sync(a54, g54); if (!g54) break; a54 = b54;
x = x * 0x9e3779b1u + r;
} __syncwarp(e52); }
} __syncwarp(m46); }
} break;
case 2: {
r += __ballot_sync(m46, x > 469268537u);
r = r * 31 + __shfl_sync(m46, r, __ffs(m46) - 1);
__nanosleep(30);
} break;
default: r += 5; } __syncwarp(m45); }
r = called(m45, r, x);
r = ways[x & 1](r);
} else { unsigned e45 = live & ~m45;
{ unsigned a55 = e45, n55 = (r >> 2) & 3; for (unsigned j55 = 0;; j55++) {
bool g55 = j55 < n55; unsigned b55 = __ballot_sync(a55, g55); if (!g55) break; a55 = b55;
{ bool c56 = x > 3184744723u; unsigned m56 = __ballot_sync(a55, c56); if (c56) {
{ bool c57 = x & 61680u; unsigned m57 = __ballot_sync(m56, c57); if (c57) {
r = r * 3 + __reduce_max_sync(m57, r >> 1);
} else { unsigned e57 = m56 & ~m57;
x = x * 0x9e3779b1u + r;
r = r * 3 + __reduce_or_sync(e57, r >> 8);
{ int p; r += __match_all_sync(e57, x >> 30, &p) + p; }
} __syncwarp(m56); }
} __syncwarp(a55); }
bool c55 = x & 7u; unsigned d55 = __ballot_sync(a55, !c55); if (c55) continue;
if (__any_sync(d55, r & 1073741824u)) r += 8;
{ bool c58 = lane & 7; unsigned m58 = __ballot_sync(d55, c58); if (c58) {
atomicAdd(&s[(r >> 0) & 31], 1u);
{ bool c59 = x > 3879405341u; unsigned m59 = __ballot_sync(m58, c59); if (c59) {
if (__any_sync(m59, lane < 20)) r += 2;
r = r * 31 + __shfl_sync(m59, r, __ffs(m59) - 1);
} __syncwarp(m58); }
} else { unsigned e58 = d55 & ~m58;
{ unsigned w60 = (x >> 5) & 3, m60 = __match_any_sync(e58, w60); switch (w60) {
case 0: {
r ^= __shfl_sync(m60, x, 31 - __clz(m60)) + 8;
} break;
case 1: {
r = called(m60, r, x);
if (__all_sync(m60, x & 61680u)) r += 1;
} break;
case 2: {
atomicAdd(&s[(r >> 3) & 31], 4u);
} break;
default: r += 5; } __syncwarp(e58); }
{ unsigned w61 = (x >> 10) & 3, m61 = __match_any_sync(e58, w61); switch (w61) {
case 0: {
__syncwarp(m61);
r = r * 5 + __match_any_sync(m61, (r >> 1) & 7);
r += __ballot_sync(m61, lane & 2);
} break;
case 1: {
if (__any_sync(m61, x > 2342515126u)) r += 4;
r = ways[x & 1](r);
r = deep<3>(r, x & 3);
} break;
case 2: {
r = deep<3>(r, x & 3);
} break;
default: r += 5; } __syncwarp(e58); }
} __syncwarp(d55); }
} __syncwarp(e45); }
} __syncwarp(live); }
r ^= __shfl_sync(live, x, 31 - __clz(live)) + 8;
{ bool c = x & 2u; live = __ballot_sync(live, !c); if (c) { out[i] = r; return; } }
__syncthreads(); r += s[(t * 7) & 31];
r += __syncthreads_count(lane < 31);
out[i] = r ^ x; }
