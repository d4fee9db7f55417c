// Constructors are defined outside of their class without the words that they have there; a class names the host's types.
#include <chrono>
struct Flat;
struct Solid {
  __host__ __device__ inline Solid(float x = 0, float y = 0) : x(x), y(y) {}
  __host__ __device__ inline Solid(const Flat &a);
  Solid(const char *name);
  __device__ ~Solid();
  float x, y;
};
struct Flat {
  __host__ __device__ Flat(float x) : x(x) {}
  float x;
};
Solid::Solid(const Flat &a) : x(a.x), y(0) {}
Solid::Solid(const char *name) : x(std::chrono::system_clock::now().time_since_epoch().count()), y(name[0]) {}
Solid::~Solid() { x = 0; }
namespace timing {
struct Timer {
  typedef std::chrono::high_resolution_clock::rep rep;
  using ticks = std::chrono::system_clock;
  static rep read() { return ticks::now().time_since_epoch().count(); }
  __device__ static long long device() { return clock64(); }
};
}
__global__ void k(float *p) {
  Solid b = Flat(p[0]);
  p[1] = b.x + b.y + timing::Timer::device();
}
