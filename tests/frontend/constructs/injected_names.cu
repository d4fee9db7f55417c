// A base's own name in what derives from it, constructors that are inherited, and where using-directives' names lie.
template <class D> struct Base { int v; __device__ Base() {} __device__ explicit Base(int const &a) : v(a * 3) {} };
class Short : public Base<Short> { using Own = Base<Short>; public: using Base::Base; };
struct Long : Base<Long> { using Base<Long>::Base; };
struct Below : Short { __device__ Base *up() { return this; } using Short::Short; };
struct Number { int x; };
template <class D> struct Holds { Number n; __device__ explicit Holds(Number const &a) : n(a) {} };
struct Holder : Holds<Holder> { using Holds::Holds; };
template <class S> struct Runs { struct Params { Number n; }; __device__ int run(Params const &p) { S s{p.n}; return s.n.x; } };
namespace far { namespace detail { constexpr int w = 1; } constexpr int z = 2; template <class T> struct Box { T t; }; }
namespace outer {
namespace near {
namespace detail { constexpr int m = 3; }
constexpr int z = 7;
template <class T> struct E { __device__ int f() { using namespace far; Box<T> b{4}; return detail::m + z + b.t; } };
__device__ int g() { using namespace far; return z + detail::m; }
}
}
template <int N> __global__ void known(int *o) { o[0] = N; }
template __global__ void known<outer::near::z>(int *);
static_assert(noexcept(Long{3}) == false && sizeof(Below) == 4, "made by Base's constructor");
__global__ void k(int *o)
{
    Short s{o[0]};
    Long l{o[0]};
    Below b{o[0]};
    Holder h{Number{5}};
    o[1] = s.v + l.v + b.up()->v + h.n.x + Runs<Holder>().run({h.n}) + outer::near::E<int>().f() + outer::near::g();
}
