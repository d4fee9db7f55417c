// Lookup: inline namespaces, hidden members, members of nested templates, declarations before definitions.
// namespaces, using, templates of constants, ADL, friend, inline variables, anonymous ns, nested class templates, out-of-class definitions
namespace geo { inline namespace v1 { template <class T, int N> class Vec { T d[N]; public: Vec() = default; template <class... A> __host__ __device__ constexpr Vec(A... a) : d{static_cast<T>(a)...} {} __host__ __device__ T &operator[](int i) { return d[i]; } __host__ __device__ const T &operator[](int i) const; template <class U> __host__ __device__ auto cast() const -> Vec<U, N>; struct Proxy { T *p; __device__ operator T() const { return *p; } __device__ Proxy &operator=(T v) { *p = v; return *this; } }; __device__ Proxy at(int i) { return {d + i}; } static const int size = N; friend __device__ T dot(const Vec &a, const Vec &b) { T s = 0; for (int i = 0; i < N; i++) s += a.d[i] * b.d[i]; return s; } }; } 
template <class T, int N> __host__ __device__ const T &Vec<T, N>::operator[](int i) const { return d[i]; }
template <class T, int N> template <class U> __host__ __device__ auto Vec<T, N>::cast() const -> Vec<U, N> { Vec<U, N> r; for (int i = 0; i < N; ++i) r[i] = U(d[i]); return r; }
template <class T, int N> __host__ __device__ Vec<T, N> operator*(T s, Vec<T, N> v) { for (int i = 0; i < N; ++i) v[i] *= s; return v; } 
template <class T> using Vec3 = Vec<T, 3>; using V3f = Vec3<float>; template <class T> constexpr T pi = T(3.14159265358979L); }
__device__ int hidden(int x) { return x ^ 0x55; }
namespace alias = geo; inline constexpr int kShift = 3; extern __device__ int later; static __device__ int counter;
namespace geo::detail { enum { A = 1, B = A << 2, C }; template <int V> struct Int { enum : int { value = V }; }; }
__global__ void k(float *o, int *n) { using namespace alias; V3f a(1, 2, 3.5), b = 2.f * a; b.at(1) = 9.f; float x = b.at(1); o[threadIdx.x] = dot(a, b) + pi<float> + x + a.cast<int>()[2] + V3f::size; n[threadIdx.x] = hidden(threadIdx.x) << kShift | detail::C; later = detail::Int<7>::value; atomicAdd(&counter, 1); }
__device__ int later = 4;
namespace deep { template <typename T> struct Outer { template <int N> struct Inner { T v[N]; __device__ T sum() const; }; }; template <typename T> template <int N> __device__ T Outer<T>::Inner<N>::sum() const { T s{}; for (const T &x : v) s += x; return s; } }
__global__ void k2(deep::Outer<float>::Inner<4> in, float *o) { o[0] = in.sum(); goto end; end: o[1] = sizeof(in); do { if (o[1] > 3) break; continue; } while (false); for (int i = 0, j = 9; i < j; ++i, --j) o[i] += j; }

template <typename... T> struct Pack; template <> struct Pack<> { __device__ int total() const { return 0; } };
template <typename H, typename... T> struct Pack<H, T...> : Pack<T...> { H h; __device__ Pack(H a, T... b) : Pack<T...>(b...), h(a) {} __device__ auto total() const { return h + Pack<T...>::total(); } };
__global__ void pack(float *o) { o[0] = Pack<int, float, char>(1, 2.5f, 1).total(); }
// A specialisation is read where it stands, whatever namespace its arguments are of.
namespace formats_ { struct coarse {}; }
namespace casts_ {
template <class T> __device__ float cast_(float v);
__device__ float coarsely(float v) { return v + 1; }
template <> __device__ float cast_<formats_::coarse>(float v) { return coarsely(v); }
}
__global__ void casting_(float *p) { p[0] = casts_::cast_<formats_::coarse>(p[1]); }
