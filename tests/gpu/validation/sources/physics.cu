#include <cuda_runtime.h>
// Fields and particles.
extern "C" __global__ void lbm_d2q9(const float *__restrict__ f, float *__restrict__ g, int nx, int ny, float omega)
{
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float w[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; if (x >= nx) return;
    float p[9], rho = 0, ux = 0, uy = 0; int n = nx * ny;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = (x - cx[k] + nx) % nx, sy = (y - cy[k] + ny) % ny;
        p[k] = f[k * n + sy * nx + sx]; rho += p[k]; ux += cx[k] * p[k]; uy += cy[k] * p[k];
    }
    ux /= rho; uy /= rho; float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) { float cu = 3 * (cx[k] * ux + cy[k] * uy); g[k * n + y * nx + x] = p[k] + omega * (w[k] * rho * (1 + cu + .5f * cu * cu - uu) - p[k]); }
}
extern "C" __global__ void heat3d(const float *__restrict__ a, float *__restrict__ b, int nx, int ny, int nz, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
    size_t plane = (size_t)nx * ny, at = j * nx + i + plane;
    float below = a[at - plane], here = a[at];
    for (int k = 1; k < nz - 1; k++, at += plane) {
        float above = a[at + plane];
        b[at] = here + c * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + above + below - 6 * here);
        below = here; here = above;
    }
}
extern "C" __global__ void lennard_jones_cells(const float4 *__restrict__ pos, const int *__restrict__ start, float4 *__restrict__ force, int side, float cut2)
{
    int cell = blockIdx.x, cx = cell % side, cy = cell / side % side, cz = cell / side / side;
    __shared__ float4 other[64];
    int first = start[cell], n = start[cell + 1] - first;
    float4 me = threadIdx.x < n ? pos[first + threadIdx.x] : make_float4(0, 0, 0, 0); float fx = 0, fy = 0, fz = 0, e = 0;
    for (int nb = 0; nb < 27; nb++) {
        int x = (cx + nb % 3 - 1 + side) % side, y = (cy + nb / 3 % 3 - 1 + side) % side, z = (cz + nb / 9 - 1 + side) % side, c = (z * side + y) * side + x;
        int s = start[c], m = start[c + 1] - s;
        __syncthreads();
        if (threadIdx.x < m) other[threadIdx.x] = pos[s + threadIdx.x];
        __syncthreads();
        if (threadIdx.x < n)
            for (int j = 0; j < m; j++) {
                float dx = me.x - other[j].x, dy = me.y - other[j].y, dz = me.z - other[j].z, r2 = dx * dx + dy * dy + dz * dz;
                if (r2 < cut2 && r2 > 1e-6f) { float i2 = 1 / r2, i6 = i2 * i2 * i2, f = i6 * (48 * i6 - 24) * i2; fx += f * dx; fy += f * dy; fz += f * dz; e += 4 * i6 * (i6 - 1); }
            }
    }
    if (threadIdx.x < n) force[first + threadIdx.x] = make_float4(fx, fy, fz, e);
}
extern "C" __global__ void nbody_tiles(const float4 *__restrict__ body, float4 *__restrict__ acc, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x; float4 p = body[i]; float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            float4 q = tile[j]; float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f), s = q.w * r * r * r;
            ax += dx * s; ay += dy * s; az += dz * s;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}
extern "C" __global__ void pic_deposit(const float2 *__restrict__ p, const float *__restrict__ charge, float *__restrict__ rho, int n, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    float2 a = p[i]; float q = charge[i]; int x = (int)a.x, y = (int)a.y; float fx = a.x - x, fy = a.y - y; int x1 = (x + 1) % nx, y1 = (y + 1) % ny;
    atomicAdd(&rho[y * nx + x], q * (1 - fx) * (1 - fy)); atomicAdd(&rho[y * nx + x1], q * fx * (1 - fy));
    atomicAdd(&rho[y1 * nx + x], q * (1 - fx) * fy); atomicAdd(&rho[y1 * nx + x1], q * fx * fy);
}
extern "C" __global__ void thomas_batch(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c, float *__restrict__ d, float *__restrict__ w, int n, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x; if (s >= systems) return;
    float cp = c[s] / b[s], dp = d[s] / b[s]; w[s] = cp; d[s] = dp;
    for (int i = 1; i < n; i++) { int k = i * systems + s; float m = 1 / (b[k] - a[k] * cp); cp = c[k] * m; dp = (d[k] - a[k] * dp) * m; w[k] = cp; d[k] = dp; }
    for (int i = n - 2; i >= 0; i--) { int k = i * systems + s; dp = d[k] - w[k] * dp; d[k] = dp; }
}
extern "C" __global__ void fdtd_ez(const double *__restrict__ hx, const double *__restrict__ hy, double *__restrict__ ez, const unsigned char *__restrict__ material, int nx, int ny)
{
    __shared__ double table[16];
    if (threadIdx.x < 16 && threadIdx.y == 0) table[threadIdx.x] = 0.5 / (1 + threadIdx.x);
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1; if (x >= nx || y >= ny) return;
    int k = y * nx + x;
    ez[k] += table[material[k] & 15] * ((hy[k] - hy[k - 1]) - (hx[k] - hx[k - nx]));
}
extern "C" __global__ void sph_density(const float4 *__restrict__ p, const int *__restrict__ neighbour, const int *__restrict__ count, float *__restrict__ rho, int n, int stride, float h2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    float4 a = p[i]; float sum = 0; int m = count[i];
    for (int k = 0; k < m; k++) {
        float4 b = __ldg(&p[neighbour[k * stride + i]]); float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, d = h2 - (dx * dx + dy * dy + dz * dz);
        if (d > 0) sum += b.w * d * d * d;
    }
    rho[i] = sum;
}
