// Kernels of several streams at once on a GPU: where their CTAs go, when they begin and end.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -o together together.cu
//   CUDA_MODULE_LOADING=EAGER CUDA_DEVICE_MAX_CONNECTIONS=32 ./together OUT     (a minute at most; OUT.bin, OUT.json)
//   python -m tests.gpu.together.record OUT tests/gpu/data/together.json
//
// Every CTA leaves a row: launch, CTA, SM, clock at its begin and end, global timer at its begin and end, clock at which
// griddepcontrol.wait returned. OUT.json says which rows each experiment has, and what it launched.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>
#include <cuda_runtime.h>
typedef long long i64;
#define OK(x) do { cudaError_t code_ = (x); if (code_ != cudaSuccess) { \
    fprintf(stderr, "%d: %s: %s\n", __LINE__, #x, cudaGetErrorString(code_)); exit(1); } } while (0)

__device__ __forceinline__ i64 timer() { i64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ int sm() { int s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ void note(i64 *rows, i64 launch, i64 clock, i64 time, i64 waited)
{
    if (threadIdx.x == 0) {
        i64 *r = rows + 8 * (i64)blockIdx.x;
        r[0] = launch; r[1] = blockIdx.x; r[2] = sm(); r[3] = clock; r[5] = time; r[7] = waited; r[6] = timer(); r[4] = clock64();
    }
}
__global__ void spin(i64 *rows, i64 launch, i64 base, i64 step)
{
    i64 clock = clock64(), time = timer();
    while (clock64() - clock < base + step * blockIdx.x) ;
    note(rows, launch, clock, time, 0);
}
// `mode`: 1 lets the next kernel begin at once, 2 at the end; 4 waits for the one before at once, 8 at the end.
__global__ void dependent(i64 *rows, i64 launch, i64 base, i64 mode)
{
    i64 clock = clock64(), time = timer(), waited = 0;
    if (mode & 1) asm volatile("griddepcontrol.launch_dependents;");
    if (mode & 4) { asm volatile("griddepcontrol.wait;" ::: "memory"); waited = clock64(); }
    while (clock64() - clock < base) ;
    if (mode & 2) asm volatile("griddepcontrol.launch_dependents;");
    if (mode & 8) { asm volatile("griddepcontrol.wait;" ::: "memory"); waited = clock64(); }
    note(rows, launch, clock, time, waited);
}
__global__ void copy(i64 *rows, i64 launch, const float4 *from, float4 *to, int n)
{
    i64 clock = clock64(), time = timer();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
    note(rows, launch, clock, time, 0);
}
__global__ void multiply(i64 *rows, i64 launch, float *out, int rounds)
{
    i64 clock = clock64(), time = timer();
    float x = threadIdx.x, y = x + 1, z = x + 2, u = x + 3;
    for (int i = 0; i < rounds; i++) { x = x * 0.99f + 1; y = y * 0.99f + 1; z = z * 0.99f + 1; u = u * 0.99f + 1; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + u;
    note(rows, launch, clock, time, 0);
}
__global__ void gate(volatile int *open) { while (*open == 0) __nanosleep(200); }

const i64 ROWS = 1 << 18;
const int MIDDLE = 8, HIGH = 12;  // streams of higher priorities, from these numbers on
static i64 *rows, used, first;
static FILE *json;
static bool comma;
static cudaStream_t gates, s[16];
static cudaEvent_t opened;
static int *open_, *open_device;
static float *data;
static std::string launches;

static i64 *take(int n) { i64 *r = rows + 8 * used; used += n; if (used > ROWS) exit(2); return r; }
static void begin() { OK(cudaDeviceSynchronize()); first = used; launches = ""; }
static void end(const char *name, int round)
{
    OK(cudaDeviceSynchronize());
    fprintf(json, "%s{\"name\": \"%s\", \"round\": %d, \"first\": %lld, \"rows\": %lld, \"launches\": [%s]}", comma ? ",\n" : "", name, round, first, used - first, launches.c_str());
    comma = true;
}
// What is put into the first `streams` streams of all priorities waits until `let`.
static void hold() { *open_ = 0; gate<<<1, 32, 0, gates>>>(open_device); OK(cudaEventRecord(opened, gates)); for (auto x : s) OK(cudaStreamWaitEvent(x, opened, 0)); }
static double seconds() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static void pause_(double microseconds) { double t = seconds(); while (seconds() - t < 1e-6 * microseconds) ; }
static void let() { OK(cudaGetLastError()); pause_(300); *(volatile int *)open_ = 1; }
static void said(const char *kernel, int grid, int block, int shared, int stream, i64 base, i64 step)
{
    char text[200];
    snprintf(text, sizeof text, "%s[\"%s\", %d, %d, %d, %d, %lld, %lld]", launches.empty() ? "" : ", ", kernel, grid, block, shared, stream, base, step);
    launches += text;
}
static void run(int grid, int block, int shared, int stream, i64 launch, i64 base, i64 step = 0)
{
    said("spin", grid, block, shared, stream, base, step);
    spin<<<grid, block, shared, s[stream]>>>(take(grid), launch, base, step);
}
static void after(int grid, int block, int stream, i64 launch, i64 base, i64 mode, bool programmatic)
{
    said("dependent", grid, block, programmatic, stream, base, mode);
    cudaLaunchConfig_t c = {};
    c.gridDim = grid; c.blockDim = block; c.stream = s[stream];
    cudaLaunchAttribute a;
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization; a.val.programmaticStreamSerializationAllowed = 1;
    c.attrs = &a; c.numAttrs = programmatic;
    OK(cudaLaunchKernelEx(&c, dependent, take(grid), launch, base, mode));
}
static void moves(int grid, int block, int stream, i64 launch, int place, int n)
{
    said("copy", grid, block, place, stream, n, 0);
    copy<<<grid, block, 0, s[stream]>>>(take(grid), launch, (float4 *)data + ((i64)place << 20), (float4 *)data + ((i64)(place + 4) << 20), n);
}
static void counts(int grid, int block, int stream, i64 launch, int rounds)
{
    said("multiply", grid, block, 0, stream, rounds, 0);
    multiply<<<grid, block, 0, s[stream]>>>(take(grid), launch, data + (120 << 20) + (launch << 20), rounds);
}

int main(int argc, char **argv)
{
    std::string out = argv[1];
    json = fopen((out + ".json").c_str(), "w");
    fprintf(json, "[");
    OK(cudaMalloc(&rows, ROWS * 64)); OK(cudaMemset(rows, 0, ROWS * 64));
    OK(cudaMalloc(&data, 512 << 20)); OK(cudaMemset(data, 0, 512 << 20));
    OK(cudaHostAlloc(&open_, 4, cudaHostAllocMapped)); OK(cudaHostGetDevicePointer(&open_device, open_, 0));
    int low, high;
    OK(cudaDeviceGetStreamPriorityRange(&low, &high));
    for (int k = 0; k < 16; k++) OK(cudaStreamCreateWithPriority(&s[k], cudaStreamNonBlocking, k < MIDDLE ? low : k < HIGH ? low - 1 : high));
    OK(cudaStreamCreateWithFlags(&gates, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&opened, cudaEventDisableTiming));
    OK(cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    begin(); run(132, 64, 0, 0, 0, 100); after(132, 64, 0, 1, 100, 0, false); moves(132, 64, 0, 2, 0, 1 << 16); counts(132, 64, 0, 3, 10); end("warm", 0);
    for (int round = 0; round < 3; round++) {
        struct { const char *name; int ga, ba, sa, gb, bb, sb; i64 t; } pairs[] = {
            {"few", 10, 32, 0, 10, 32, 0, 20000}, {"half", 66, 256, 0, 66, 256, 0, 20000}, {"uneven", 100, 256, 0, 300, 256, 0, 20000},
            {"full", 264, 1024, 0, 132, 256, 0, 10000}, {"waves", 600, 1024, 0, 200, 256, 0, 10000}, {"both_waves", 500, 512, 0, 500, 384, 0, 10000},
            {"none_then_64K", 132, 128, 0, 132, 128, 65536, 20000}, {"64K_then_none", 132, 128, 65536, 132, 128, 0, 20000},
            {"64K_64K", 132, 128, 65536, 264, 128, 65536, 20000}, {"8K_64K", 132, 128, 8192, 132, 128, 65536, 20000},
            {"96_160", 660, 96, 0, 660, 160, 0, 20000}};
        for (auto &p : pairs) {
            // The second comes surely after the first.
            begin(); run(p.ga, p.ba, p.sa, 0, 0, p.t * 3); pause_(15); run(p.gb, p.bb, p.sb, 1, 1, p.t); end(p.name, round);
        }
        begin(); run(264, 1024, 0, 0, 0, 60000, 300); pause_(15); run(264, 512, 0, 1, 1, 10000); end("stairs", round);
        begin(); hold(); for (int k = 0; k < 3; k++) run(300, 512, 0, k, k, 20000); let(); end("three", round);
        begin(); hold(); for (int k = 0; k < 8; k++) run(20, 256, 0, k, k, 60000); let(); end("eight", round);
        // Priorities: of what waits when CTAs end.
        begin(); run(132 * 6, 1024, 0, 0, 0, 60000); pause_(15); run(132, 1024, 0, HIGH, 1, 10000); end("later_high", round);
        begin(); run(132 * 4, 1024, 0, 0, 0, 60000); pause_(10); run(132 * 2, 1024, 0, MIDDLE, 1, 10000); pause_(10); run(132 * 2, 1024, 0, HIGH, 2, 10000); end("three_priorities", round);
        // A small CTA behind one that has no room: of the same priority, of a lower one.
        begin(); run(132, 1024, 0, 0, 0, 120000); pause_(10); run(132, 1024, 131072, 1, 1, 10000); pause_(10); run(132, 128, 0, 2, 2, 10000); end("behind", round);
        begin(); run(264, 512, 0, 0, 0, 120000, 100); pause_(10); run(264, 1024, 0, 1, 1, 10000); pause_(10); run(132, 128, 0, 2, 2, 10000); end("behind_wide", round);
        begin(); run(264, 512, 0, 0, 0, 120000, 100); pause_(10); run(264, 1024, 0, HIGH, 1, 10000); pause_(10); run(132, 128, 0, 0 + 2, 2, 10000); end("behind_high", round);
        struct { const char *name; int grid, block; i64 t; } chains[] = {{"chain_1", 1, 32, 2000}, {"chain_132", 132, 128, 2000}, {"chain_1056", 1056, 256, 2000}, {"chain_4224", 4224, 256, 500}};
        for (auto &c : chains) { begin(); hold(); for (int k = 0; k < 6; k++) run(c.grid, c.block, 0, 0, k, c.t); let(); end(c.name, round); }
        {
            cudaEvent_t e[6];
            for (auto &x : e) OK(cudaEventCreateWithFlags(&x, cudaEventDisableTiming));
            begin(); hold();
            for (int k = 0; k < 6; k++) { run(132, 128, 0, k & 1, k, 2000); OK(cudaEventRecord(e[k], s[k & 1])); OK(cudaStreamWaitEvent(s[~k & 1], e[k], 0)); }
            let(); end("chain_events", round);
            for (auto &x : e) cudaEventDestroy(x);
        }
        {
            cudaGraph_t graph; cudaGraphExec_t executable;
            begin();
            OK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeThreadLocal));
            for (int k = 0; k < 4; k++) run(132, 128, 0, 0, k, 2000);
            OK(cudaStreamEndCapture(s[0], &graph)); OK(cudaGraphInstantiate(&executable, graph, 0)); OK(cudaGraphUpload(executable, s[0]));
            OK(cudaStreamSynchronize(s[0])); OK(cudaGraphLaunch(executable, s[0])); end("chain_graph", round);
            cudaGraphExecDestroy(executable); cudaGraphDestroy(graph);
        }
        struct { const char *name; int ga, ba, gb, bb; i64 a, b; } depends[] = {
            {"at_once", 132, 128, 132, 128, 1, 4}, {"at_end", 132, 128, 132, 128, 2, 4}, {"never", 132, 128, 132, 128, 0, 4},
            {"at_once_no_wait", 132, 128, 132, 128, 1, 0}, {"at_once_late", 132, 128, 132, 128, 1, 8}, {"at_once_full", 264, 1024, 264, 1024, 1, 4},
            {"at_once_waves", 600, 1024, 300, 1024, 1, 4}};
        for (auto &d : depends) {
            begin(); hold(); after(d.ga, d.ba, 0, 0, 20000, d.a, false); after(d.gb, d.bb, 0, 1, 2000, d.b, true); after(132, 128, 0, 2, 500, 4, true); let();
            end((std::string("dependent_") + d.name).c_str(), round);
        }
        // What they cost one another: alone and together.
        for (int which = 1; which < 8; which++) {
            char name[20]; snprintf(name, sizeof name, "mix_%d", which);
            begin(); hold();
            if (which & 1) moves(66, 1024, 0, 0, 0, 4 << 20);
            if (which & 2) moves(66, 1024, 1, 1, 8, 4 << 20);
            if (which & 4) counts(132, 512, 2, 2, 20000);
            let(); end(name, round);
        }
        begin(); hold(); counts(132, 512, 0, 0, 5000); let(); end("multiply", round);
        begin(); hold(); counts(132, 512, 0, 0, 5000); counts(132, 512, 1, 1, 5000); let(); end("multiply_2", round);
        begin(); hold(); counts(132, 512, 0, 0, 5000); moves(132, 512, 1, 1, 16, 2 << 20); let(); end("multiply_copy", round);
        begin(); hold(); moves(132, 512, 1, 1, 16, 2 << 20); let(); end("copy", round);
    }
    fprintf(json, "]\n"); fclose(json);
    std::vector<i64> all(8 * used);
    OK(cudaMemcpy(all.data(), rows, 64 * used, cudaMemcpyDeviceToHost));
    FILE *f = fopen((out + ".bin").c_str(), "wb"); fwrite(all.data(), 64, used, f); fclose(f);
    fprintf(stderr, "%lld rows\n", used);
    return 0;
}
