// std=c++20
#include <concepts>
#include <type_traits>
template <typename T> concept Small = sizeof(T) <= 4;
template <typename T> concept SmallInt = Small<T> && std::integral<T>;
template <typename T> __device__ int rank(T) { return 1; }
template <Small T> __device__ int rank(T) { return 2; }
template <SmallInt T> __device__ int rank(T) { return 3; }
template <typename T> struct Tr { static constexpr int v = 1; };
template <std::integral T> struct Tr<T> { static constexpr int v = 2; };
template <typename T> requires std::floating_point<T> && (sizeof(T) == 8) struct Tr<T> { static constexpr int v = 3; };
template <typename F, typename... A> concept Call = requires(F f, A... a) { { f(a...) } -> std::convertible_to<float>; };
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
template <typename F> requires Call<F, float, float> __device__ float use(F f) { return f(1.f, 2.f); }
template <typename F> requires (!Call<F, float, float>) __device__ float use(F f) { return -1.f; }
__device__ auto sum(std::integral auto... v) { return (v + ... + 0); }
__device__ float mix(auto a, const auto &b, Small auto c) { return a + b * c; }
template <std::same_as<float> T> __device__ T only(T t) { return t * 2; }
template <typename T> class Vec { T d[4]; public: __device__ Vec() requires std::is_default_constructible_v<T> : d{} {} __device__ T &operator[](auto i) { return d[i]; } __device__ T dot(const Vec &o) const requires requires(T a, T b) { a * b; } { T s{}; for (int i = 0; i < 4; i++) s += d[i] * o.d[i]; return s; } template <std::convertible_to<T> U> __device__ void fill(U u) { for (auto &x : d) x = u; } };
template <typename T> concept HasSize = requires(T t) { typename T::value_type; t.size(); requires std::same_as<typename T::value_type, int>; };
struct Con { using value_type = int; __device__ int size() const { return 9; } };
template <typename T> __device__ int size_of(const T &t) { if constexpr (HasSize<T>) return t.size(); else return -1; }
template <typename T, int N> requires (N > 0) struct Arr { T v[N]; };
template <auto V> __device__ int val() { return V; }
enum class E : int { A = 5 };
static_assert(Tr<int>::v == 2 && Tr<double>::v == 3 && Tr<float>::v == 1);
static_assert(Call<Add, float, float> && !Call<int, float> && HasSize<Con> && !HasSize<int>);
static_assert(SmallInt<short> && !SmallInt<long> && !SmallInt<float> && requires(int a) { a + 1; });
__global__ void k(int *o, float *f) { int i = threadIdx.x; if (i) return;
 o[0]=rank(1.0); o[1]=rank(1.f); o[2]=rank(1); o[3]=rank(1ll); o[4]=Tr<int>::v*100+Tr<double>::v*10+Tr<float>::v; f[0]=use(Add{}); f[1]=use(3); o[5]=sum(1,2,3)+sum(); f[2]=mix(1, 2.5, 3.f); f[3]=only(2.f);
 Vec<float> v, w; v.fill(2); w[1]=3.f; w[2u]=f[5]; f[4]=v.dot(w); o[6]=size_of(Con{})+size_of(3); Arr<int,3> a{1,2,3}; o[7]=a.v[2]; o[8]=val<7>()+val<'a'>()+val<(int)E::A>();
 auto l=[](std::integral auto x, auto y) { return x+y; }; f[6]=l(1,2.5f); auto t=[]<typename T, int N>(T (&arr)[N]) requires (N > 1) { return arr[N-1]; }; int z[3]={4,5,6}; o[9]=t(z); using enum E; o[10]=(int)A; 
 auto [p, q] = [&]{ struct R { int a; float b; }; return R{3, f[7]}; }(); f[8]=p+q; for (int n = 0; auto x : z) o[11] += x * ++n; constexpr auto sq = [](auto x) consteval { return x * x; }; o[12] = sq(4); if (i == 0) [[likely]] o[13] = 1; }

consteval unsigned hashed(const char *s) { unsigned h = 0; while (*s) h = h * 31 + *s++; return h; }
__global__ void immediate(int *o) { o[0] = hashed("kernel"); }

template <typename T> struct Spare { T a; ; };
__global__ void of_spare(int *o) { Spare s{1}; o[0] = s.a; }
