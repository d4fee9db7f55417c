// What C headers are written like: a class and a variable or function of one name, restrict before the type, a declarator
// in brackets twice, CUDA's own functions declared once more, the size of a variable of the host, types of POSIX.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>
#include <experimental/source_location>

struct work { int size; int pad[3]; };
extern struct work *work;
extern __thread struct work *mine;
static __thread int count = 3;
struct job { error_t error; pthread_t by; };
struct look { int a; };
__device__ int look(const struct look *l) { return l->a + 1; }
enum level { low, high };
__device__ enum level level(enum level l) { return l == low ? high : low; }

extern __device__ __device_builtin__ void __syncthreads(void);

__device__ uint32_t sum(const uint8_t ((*table)[16]), int row)
{
    uint32_t s = 0;
    for (int i = 0; i < 16; i++) s += table[row][i];
    return s;
}

static const uint8_t table[24][4] = {{0, 1, 2, 3}};

__global__ void k(const __restrict__ uint32_t *p, uint32_t *o, const uint8_t *t, off_t n, struct job *j)
{
    __shared__ uint32_t s[64];
    struct work w;
    w.size = p[threadIdx.x];
    struct look l = {w.size};
    s[threadIdx.x] = look(&l) + level(high);
    __syncthreads();
    decltype(count) rows = sizeof(table) / sizeof((table)[0]) + sizeof(count);
    if (threadIdx.x == 0) *j = {(error_t)sizeof(struct job), (pthread_t)rows << 33};
    if (threadIdx.x < n) o[threadIdx.x] = rows + s[63 - threadIdx.x] + sum((const uint8_t (*)[16])t, threadIdx.x);
}
