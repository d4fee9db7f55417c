#include <cuda_runtime.h>
#include <stdint.h>
// Graphs, finance, biology, graphics, learning.
extern "C" __global__ void bfs_push(const int *__restrict__ ptr, const int *__restrict__ adj, int *__restrict__ dist, const int *__restrict__ frontier, int *__restrict__ next, int *__restrict__ tail, int size, int level)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= size) return;
    int u = frontier[t];
    for (int e = ptr[u]; e < ptr[u + 1]; e++) { int v = adj[e]; if (dist[v] < 0 && atomicCAS(&dist[v], -1, level) == -1) next[atomicAdd(tail, 1)] = v; }
}
extern "C" __global__ void pagerank_pull(const int *__restrict__ ptr, const int *__restrict__ src, const float *__restrict__ rank, const int *__restrict__ degree, float *__restrict__ out, int n, float damping)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= n) return;
    float s = 0; for (int e = ptr[v]; e < ptr[v + 1]; e++) { int u = src[e]; s += rank[u] / degree[u]; }
    out[v] = (1 - damping) / n + damping * s;
}
extern "C" __global__ void union_find_hook(const int2 *__restrict__ edge, int *__restrict__ parent, int m)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x; if (e >= m) return;
    int a = edge[e].x, b = edge[e].y;
    for (;;) {
        while (parent[a] != a) a = parent[a];
        while (parent[b] != b) b = parent[b];
        if (a == b) break;
        if (a < b) { int t = a; a = b; b = t; }
        if (atomicCAS(&parent[a], a, b) == a) break;
    }
}
extern "C" __global__ void triangle_count(const int *__restrict__ ptr, const int *__restrict__ adj, const int2 *__restrict__ edge, unsigned long long *__restrict__ total, int m)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x; unsigned c = 0;
    if (e < m) {
        int i = ptr[edge[e].x], j = ptr[edge[e].y], ie = ptr[edge[e].x + 1], je = ptr[edge[e].y + 1];
        while (i < ie && j < je) { int a = adj[i], b = adj[j]; c += a == b; i += a <= b; j += b <= a; }
    }
    c = __reduce_add_sync(~0u, c);
    if ((threadIdx.x & 31) == 0 && c) atomicAdd(total, (unsigned long long)c);
}
__device__ inline uint4 philox(uint4 c, uint2 k)
{
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0); k.x += 0x9E3779B9u; k.y += 0xBB67AE85u;
    }
    return c;
}
extern "C" __global__ void asian_option(float *__restrict__ payoff, int paths, int steps, float s0, float strike, float drift, float vol, unsigned seed)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x; if (p >= paths) return;
    float s = s0, sum = 0;
    for (int t = 0; t < steps; t += 2) {
        uint4 r = philox(make_uint4(p, t, 0, 0), make_uint2(seed, 7)); float u = (r.x + 0.5f) * 2.3283064e-10f, a = 6.2831853f * (r.y * 2.3283064e-10f), m = sqrtf(-2 * __logf(u)), sn, cs;
        __sincosf(a, &sn, &cs);
        s *= __expf(drift + vol * m * cs); sum += s; s *= __expf(drift + vol * m * sn); sum += s;
    }
    payoff[p] = fmaxf(sum / steps - strike, 0.f);
}
extern "C" __global__ void binomial_tree(const float *__restrict__ spot, const float *__restrict__ strike, float *__restrict__ price, int steps, float up, float pu, float disc)
{
    extern __shared__ float v[]; float s = spot[blockIdx.x], k = strike[blockIdx.x];
    for (int i = threadIdx.x; i <= steps; i += blockDim.x) v[i] = fmaxf(k - s * powf(up, 2 * i - steps), 0.f);
    __syncthreads();
    for (int t = steps - 1; t >= 0; t--) {
        float a = 0; bool on = threadIdx.x <= t;
        if (on) a = fmaxf(disc * (pu * v[threadIdx.x + 1] + (1 - pu) * v[threadIdx.x]), k - s * powf(up, 2 * (int)threadIdx.x - t));
        __syncthreads();
        if (on) v[threadIdx.x] = a;
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = v[0];
}
extern "C" __global__ void black_scholes_greeks(const float *__restrict__ s, const float *__restrict__ k, const float *__restrict__ t, float *__restrict__ delta, float *__restrict__ gamma, float *__restrict__ vega, int n, float r, float vol)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    float sq = sqrtf(t[i]), d1 = (logf(s[i] / k[i]) + (r + .5f * vol * vol) * t[i]) / (vol * sq), pdf = .39894228f * expf(-.5f * d1 * d1);
    delta[i] = normcdff(d1); gamma[i] = pdf / (s[i] * vol * sq); vega[i] = s[i] * pdf * sq;
}
extern "C" __global__ void smith_waterman(const char *__restrict__ query, const char *__restrict__ db, const int *__restrict__ offset, int *__restrict__ best, int qlen, int seqs)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x; if (s >= seqs) return;
    int h[32], e[32]; for (int i = 0; i < 32; i++) { h[i] = 0; e[i] = 0; }
    int top = 0;
    for (int j = offset[s]; j < offset[s + 1]; j++) {
        char c = db[j]; int diag = 0, f = 0;
#pragma unroll
        for (int i = 0; i < 32; i++) {
            int m = diag + (query[i] == c ? 5 : -4); diag = h[i];
            e[i] = max(e[i] - 2, h[i] - 10); f = max(f - 2, (i ? h[i - 1] : 0) - 10);
            h[i] = max(max(m, 0), max(e[i], f)); top = max(top, h[i]);
        }
    }
    best[s] = top;
}
extern "C" __global__ void kmer_count(const char *__restrict__ genome, unsigned *__restrict__ count, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + k > n) return;
    unsigned code = 0; for (int j = 0; j < k; j++) code = code << 2 | (genome[i + j] >> 1 & 3);
    atomicAdd(&count[code], 1);
}
extern "C" __global__ void ray_spheres(const float4 *__restrict__ sphere, uchar4 *__restrict__ image, int w, int h, int spheres)
{
    __shared__ float4 s[64]; int t = threadIdx.y * blockDim.x + threadIdx.x; if (t < spheres) s[t] = sphere[t];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
    float dx = (x - w * .5f) / h, dy = (y - h * .5f) / h, inv = rsqrtf(dx * dx + dy * dy + 1), ox = 0, oy = 0, oz = -4, light = 0, weight = 1; dx *= inv; dy *= inv; float dz = inv;
    for (int bounce = 0; bounce < 3; bounce++) {
        float near = 1e9f; int hit = -1;
        for (int i = 0; i < spheres; i++) {
            float cx = s[i].x - ox, cy = s[i].y - oy, cz = s[i].z - oz, b = cx * dx + cy * dy + cz * dz, d = b * b - (cx * cx + cy * cy + cz * cz) + s[i].w * s[i].w;
            if (d > 0) { float q = b - sqrtf(d); if (q > 1e-3f && q < near) { near = q; hit = i; } }
        }
        if (hit < 0) { light += weight * (.5f + .5f * dy); break; }
        ox += near * dx; oy += near * dy; oz += near * dz; float nx = (ox - s[hit].x) / s[hit].w, ny = (oy - s[hit].y) / s[hit].w, nz = (oz - s[hit].z) / s[hit].w, dn = 2 * (dx * nx + dy * ny + dz * nz);
        dx -= dn * nx; dy -= dn * ny; dz -= dn * nz; light += weight * .2f * fmaxf(0.f, ny); weight *= .6f;
    }
    unsigned char v = (unsigned char)(255 * fminf(light, 1.f)); image[y * w + x] = make_uchar4(v, v, v, 255);
}
extern "C" __global__ void game_of_life(const unsigned char *__restrict__ a, unsigned char *__restrict__ b, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
    int l = x ? x - 1 : w - 1, r = x + 1 < w ? x + 1 : 0, u = (y ? y - 1 : h - 1) * w, d = (y + 1 < h ? y + 1 : 0) * w, m = y * w;
    int n = a[u + l] + a[u + x] + a[u + r] + a[m + l] + a[m + r] + a[d + l] + a[d + x] + a[d + r];
    b[m + x] = n == 3 || (n == 2 && a[m + x]);
}
extern "C" __global__ void adam_step(float *__restrict__ w, const float *__restrict__ g, float *__restrict__ m, float *__restrict__ v, int n, float lr, float b1, float b2, float c1, float c2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    float x = g[i], a = b1 * m[i] + (1 - b1) * x, b = b2 * v[i] + (1 - b2) * x * x; m[i] = a; v[i] = b; w[i] -= lr * (a / c1) / (sqrtf(b / c2) + 1e-8f);
}
extern "C" __global__ void conv_depthwise(const float *__restrict__ in, const float *__restrict__ filter, float *__restrict__ out, int c, int h, int w)
{
    __shared__ float f[9]; int ch = blockIdx.z; if (threadIdx.y == 0 && threadIdx.x < 9) f[threadIdx.x] = filter[ch * 9 + threadIdx.x];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
    const float *p = in + (size_t)ch * h * w; float s = 0;
    for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h) s += f[(j + 1) * 3 + i + 1] * p[(y + j) * w + x + i];
    out[((size_t)ch * h + y) * w + x] = fmaxf(s, 0.f);
}
extern "C" __global__ void batchnorm_stats(const float *__restrict__ x, float *__restrict__ mean, float *__restrict__ var, int batch, int channels, int area)
{
    __shared__ float ps[16], pq[16]; int c = blockIdx.x; float s = 0, q = 0;
    for (int b = 0; b < batch; b++) for (int i = threadIdx.x; i < area; i += blockDim.x) { float v = x[((size_t)b * channels + c) * area + i]; s += v; q += v * v; }
    for (int d = 16; d; d >>= 1) { s += __shfl_down_sync(~0u, s, d); q += __shfl_down_sync(~0u, q, d); }
    if ((threadIdx.x & 31) == 0) { ps[threadIdx.x >> 5] = s; pq[threadIdx.x >> 5] = q; }
    __syncthreads();
    if (threadIdx.x == 0) { for (int w = 1; w < blockDim.x / 32; w++) { s += ps[w]; q += pq[w]; } s /= batch * area; mean[c] = s; var[c] = q / (batch * area) - s * s; }
}
extern "C" __global__ void kmeans_assign(const float *__restrict__ p, const float *__restrict__ centre, int *__restrict__ label, int n, int dim, int k)
{
    extern __shared__ float c[]; for (int i = threadIdx.x; i < k * dim; i += blockDim.x) c[i] = centre[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    float best = 1e30f; int at = 0;
    for (int j = 0; j < k; j++) { float d = 0; for (int f = 0; f < dim; f++) { float t = p[f * n + i] - c[j * dim + f]; d += t * t; } if (d < best) { best = d; at = j; } }
    label[i] = at;
}
extern "C" __global__ void bitonic_block(unsigned *__restrict__ key, int n)
{
    __shared__ unsigned s[1024]; int base = blockIdx.x * 1024; s[threadIdx.x] = key[base + threadIdx.x]; s[threadIdx.x + 512] = key[base + threadIdx.x + 512];
    for (int size = 2; size <= 1024; size <<= 1)
        for (int d = size >> 1; d; d >>= 1) {
            __syncthreads(); int i = 2 * threadIdx.x - (threadIdx.x & (d - 1)); bool up = (i & size) == 0; unsigned a = s[i], b = s[i + d]; if ((a > b) == up) { s[i] = b; s[i + d] = a; }
        }
    __syncthreads(); key[base + threadIdx.x] = s[threadIdx.x]; key[base + threadIdx.x + 512] = s[threadIdx.x + 512];
}
extern "C" __global__ void viterbi_step(const float *__restrict__ trans, const float *__restrict__ emit, const int *__restrict__ obs, float *__restrict__ score, unsigned char *__restrict__ back, int states, int symbols, int steps)
{
    __shared__ float cur[128]; int s = threadIdx.x, seq = blockIdx.x; cur[s] = emit[s * symbols + obs[seq * steps]];
    __syncthreads();
    for (int t = 1; t < steps; t++) {
        float best = -1e30f; int from = 0; for (int p = 0; p < states; p++) { float v = cur[p] + trans[p * states + s]; if (v > best) { best = v; from = p; } }
        best += emit[s * symbols + obs[seq * steps + t]]; back[((size_t)seq * steps + t) * states + s] = from;
        __syncthreads(); cur[s] = best; __syncthreads();
    }
    score[seq * states + s] = cur[s];
}
extern "C" __global__ void mandel_smooth(float *__restrict__ out, int w, int h, float x0, float y0, float scale, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
    float cx = x0 + x * scale, cy = y0 + y * scale, a = 0, b = 0; int i = 0; while (i < limit && a * a + b * b < 256.f) { float t = a * a - b * b + cx; b = 2 * a * b + cy; a = t; i++; }
    out[y * w + x] = i == limit ? 0.f : i + 1 - log2f(.5f * log2f(a * a + b * b));
}
extern "C" __global__ void lstm_cell(const float *__restrict__ gates, float *__restrict__ c, float *__restrict__ h, int hidden, int batch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= hidden * batch) return;
    int b = i / hidden, j = i % hidden; const float *g = gates + (size_t)b * 4 * hidden + j;
    float in = 1 / (1 + expf(-g[0])), forget = 1 / (1 + expf(-g[hidden])), cell = tanhf(g[2 * hidden]), o = 1 / (1 + expf(-g[3 * hidden])), n = forget * c[i] + in * cell; c[i] = n; h[i] = o * tanhf(n);
}
extern "C" __global__ void haar_wavelet(const float *__restrict__ in, float *__restrict__ low, float *__restrict__ high, int rows, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; if (i >= half) return;
    float2 p = ((const float2 *)in)[(size_t)r * half + i]; low[(size_t)r * half + i] = (p.x + p.y) * .70710678f; high[(size_t)r * half + i] = (p.x - p.y) * .70710678f;
}
