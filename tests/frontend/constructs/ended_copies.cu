// Objects that nothing but copies of bytes makes: their destructors are compiled.
template <int N> class H { public: int *t;
  __host__ __device__ H() {}
  __host__ __device__ ~H() { *t = N; }
  template <typename T> __device__ void put(T *x) { x[0] = N; } };
template <int N> struct W { H<N> h[2]; };
template <int N> __device__ H<N> id(H<N> *p) { return *p; }
__device__ void inner(int *o, H<1> h) { h.put<int>(o); }
__global__ void passed(int *o, H<1> h) { for (int i = 0; i < 3; ++i) inner(o, h); }
__global__ void returned(int *o, H<2> *h) { id(h).put(o); }
__global__ void extended(int *o, H<3> *h) { H<3> &&r = id(h); r.put(o); }
__global__ void member(int *o, W<4> *w) { W<4> own = *w; own.h[1].put(o); }
__global__ void captured(int *o, W<5> w) { auto f = [w, o] { o[0] = w.h[0].t[1]; }; f(); }
__global__ void chosen(int *o, W<6> *w) { o[0] = (o[1] ? *w : W<6>(w[1])).h[0].t[1]; }
