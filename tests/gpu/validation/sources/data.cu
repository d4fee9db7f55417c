#include <cuda_runtime.h>
#include <stdint.h>
// Databases, text, codes.
extern "C" __global__ void filter_compact(const int *__restrict__ key, const int *__restrict__ value, int *__restrict__ out, int *__restrict__ total, int n, int lo, int hi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool keep = i < n && key[i] >= lo && key[i] < hi; unsigned mask = __ballot_sync(~0u, keep); int base = 0;
    if (lane == 0 && mask) base = atomicAdd(total, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = value[i];
}
__device__ inline unsigned mix(unsigned x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ x >> 16; }
extern "C" __global__ void hash_build(const unsigned *__restrict__ key, unsigned *__restrict__ table, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    unsigned k = key[i] + 1, s = mix(k) & mask;
    for (;;) { unsigned old = atomicCAS(&table[s], 0u, k); if (old == 0 || old == k) break; s = (s + 1) & mask; }
}
extern "C" __global__ void hash_probe(const unsigned *__restrict__ key, const unsigned *__restrict__ table, unsigned *__restrict__ hit, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    unsigned k = key[i] + 1, s = mix(k) & mask, t; while ((t = table[s]) != k && t != 0) s = (s + 1) & mask;
    hit[i] = t == k ? s : ~0u;
}
extern "C" __global__ void group_by_sum(const int *__restrict__ group, const float *__restrict__ value, float *__restrict__ sum, int *__restrict__ count, int n, int groups)
{
    extern __shared__ float s[]; int *c = (int *)(s + groups);
    for (int g = threadIdx.x; g < groups; g += blockDim.x) { s[g] = 0; c[g] = 0; }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { atomicAdd(&s[group[i]], value[i]); atomicAdd(&c[group[i]], 1); }
    __syncthreads();
    for (int g = threadIdx.x; g < groups; g += blockDim.x) { atomicAdd(&sum[g], s[g]); atomicAdd(&count[g], c[g]); }
}
extern "C" __global__ void binary_join(const int *__restrict__ left, const int *__restrict__ right, int *__restrict__ at, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int key = left[i], lo = 0, hi = m;
    while (lo < hi) { int mid = (lo + hi) >> 1; if (right[mid] < key) lo = mid + 1; else hi = mid; }
    at[i] = lo < m && right[lo] == key ? lo : -1;
}
extern "C" __global__ void radix_histogram(const unsigned *__restrict__ key, unsigned *__restrict__ hist, int n, int shift)
{
    __shared__ unsigned h[8][256];
    int warp = threadIdx.x >> 5;
    for (int k = threadIdx.x; k < 8 * 256; k += 256) (&h[0][0])[k] = 0;
    __syncthreads();
    int tile = blockIdx.x * 256 * 16;
#pragma unroll 4
    for (int r = 0; r < 16; r++) { int i = tile + r * 256 + threadIdx.x; if (i < n) atomicAdd(&h[warp][key[i] >> shift & 255], 1); }
    __syncthreads();
    unsigned t = 0; for (int w = 0; w < 8; w++) t += h[w][threadIdx.x];
    hist[threadIdx.x * gridDim.x + blockIdx.x] = t;
}
extern "C" __global__ void utf8_check(const unsigned char *__restrict__ s, int *__restrict__ bad, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    unsigned c = s[i]; int need = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : -1; bool wrong = false;
    if (need > 0) for (int k = 1; k <= need; k++) wrong |= i + k >= n || (s[i + k] & 0xc0) != 0x80;
    if (need < 0) { bool lead = false; for (int k = 1; k <= 3 && i - k >= 0; k++) { unsigned b = s[i - k]; if (b >= 0xc0) { lead = (b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1) >= k; break; } if (b < 0x80) break; } wrong = !lead; }
    unsigned m = __ballot_sync(__activemask(), wrong);
    if (m && (threadIdx.x & 31) == __ffs(__activemask()) - 1) atomicAdd(bad, __popc(m));
}
extern "C" __global__ void base64_encode(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int triples)
{
    __shared__ char table[64];
    if (threadIdx.x < 64) { int k = threadIdx.x; table[k] = k < 26 ? 'A' + k : k < 52 ? 'a' + k - 26 : k < 62 ? '0' + k - 52 : k == 62 ? '+' : '/'; }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= triples) return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] = table[v >> 18] | table[v >> 12 & 63] << 8 | table[v >> 6 & 63] << 16 | table[v & 63] << 24;
}
extern "C" __global__ void edit_distance(const char *__restrict__ a, const char *__restrict__ b, int *__restrict__ out, int len)
{
    extern __shared__ int row[];                       // three diagonals
    int *p2 = row, *p1 = row + len + 1, *p0 = row + 2 * (len + 1); const char *x = a + blockIdx.x * len, *y = b + blockIdx.x * len;
    for (int d = 0; d <= 2 * len; d++) {
        for (int i = threadIdx.x; i <= len; i += blockDim.x) {
            int j = d - i;
            if (j >= 0 && j <= len) p0[i] = i == 0 ? j : j == 0 ? i : min(min(p1[i - 1], p1[i]) + 1, p2[i - 1] + (x[i - 1] != y[j - 1]));
        }
        __syncthreads();
        int *t = p2; p2 = p1; p1 = p0; p0 = t;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = p1[len];
}
extern "C" __global__ void crc32_blocks(const unsigned char *__restrict__ in, unsigned *__restrict__ out, const unsigned *__restrict__ table, int blocks, int size)
{
    __shared__ unsigned t[256]; for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
    __syncthreads();
    int b = blockIdx.x * blockDim.x + threadIdx.x; if (b >= blocks) return;
    unsigned c = ~0u; const uint4 *p = (const uint4 *)(in + (size_t)b * size);
    for (int i = 0; i < size / 16; i++) {
        uint4 v = p[i]; unsigned w[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++) for (int j = 0; j < 4; j++) c = t[(c ^ w[k] >> 8 * j) & 255] ^ c >> 8;
    }
    out[b] = ~c;
}
extern "C" __global__ void chacha20(unsigned *__restrict__ out, const unsigned *__restrict__ key, unsigned nonce, int blocks)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x; if (b >= blocks) return;
    unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7], (unsigned)b, 0, nonce, 0}, x[16];
    for (int i = 0; i < 16; i++) x[i] = s[i];
#define QR(a, b, c, d) a += b; d = __funnelshift_l(d ^ a, d ^ a, 16); c += d; b = __funnelshift_l(b ^ c, b ^ c, 12); a += b; d = __funnelshift_l(d ^ a, d ^ a, 8); c += d; b = __funnelshift_l(b ^ c, b ^ c, 7);
    for (int r = 0; r < 10; r++) {
        QR(x[0], x[4], x[8], x[12]) QR(x[1], x[5], x[9], x[13]) QR(x[2], x[6], x[10], x[14]) QR(x[3], x[7], x[11], x[15])
        QR(x[0], x[5], x[10], x[15]) QR(x[1], x[6], x[11], x[12]) QR(x[2], x[7], x[8], x[13]) QR(x[3], x[4], x[9], x[14])
    }
    for (int i = 0; i < 16; i++) out[(size_t)b * 16 + i] = x[i] + s[i];
}
extern "C" __global__ void bloom_insert(const unsigned long long *__restrict__ key, unsigned *__restrict__ bits, int n, unsigned words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    unsigned long long k = key[i] * 0x9E3779B97F4A7C15ull; unsigned a = (unsigned)(k >> 32), b = (unsigned)k | 1;
    for (int r = 0; r < 3; r++) { unsigned h = a + r * b; atomicOr(&bits[h % words], 1u << (h >> 27)); }
}
