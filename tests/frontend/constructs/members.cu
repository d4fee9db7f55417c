// What templates libraries do with members: packs of base classes, qualifiers of functions, conversions, namespaces.
template <int I, class T> struct Leaf {
    T v;
    __device__ constexpr Leaf(T x) : v(x) {}
    __device__ constexpr Leaf() : v() {}
};
template <int... I> struct Seq {};
template <class S, class... T> struct Base;
template <int... I, class... T> struct Base<Seq<I...>, T...> : Leaf<I, T>... {
    __device__ constexpr Base() {}
    template <class... U> __device__ constexpr explicit Base(U const &...u) : Leaf<I, T>(u)... {}
};
template <class... T> struct Count : Base<Seq<sizeof...(T)>, int> {
    __device__ Count(int n) : Base<Seq<sizeof...(T)>, int>(n) {}
};
struct Mid : Base<Seq<0, 1>, int, float> {
    using B = Base<Seq<0, 1>, int, float>;
    int z;
    __device__ Mid(int a) : B(a, 2.f), z{a} {}
    __device__ Mid() : Mid(4) {}
};
namespace n {
template <class T> struct X {
    T t;
    __device__ X(T a) : t(a) {}
};
template <class T> struct Y : X<T>, X<T *> {
    __device__ Y(T a) : X<T>(a), X<T *>{nullptr} {}
};
template <class T> struct Z : n::X<T> {
    int q;
    __device__ Z(T a) : n::X<T>(a), q(3) {}
};
struct Tag {};
__device__ int pick(Tag) { return 1; }
}
namespace m {
using namespace n;
template <class T> __device__ int pick(T) { return 2; }
// A qualified name is not looked up by the arguments' classes.
__device__ int call(Tag t) { return m::pick(t) * 10 + m::pick<n::Tag>(t); }
}
namespace n {
using namespace m;
constexpr int seven = 7;
}

struct Held {
    int a[4];
    template <class... C> __device__ decltype(auto) operator()(C const &...c) { return (a[(c + ...)]); }
    template <class... C> __device__ decltype(auto) operator()(C const &...c) const { return (a[(c + ...)]); }
    template <class C> __device__ auto &one(C c) { return a[c]; }
    template <class C> __device__ auto const &one(C c) const { return a[c]; }
    __device__ int &get() & { return a[0]; }
    __device__ const int &get() const & { return a[1]; }
    __device__ int &&get() && { return static_cast<int &&>(a[2]); }
};

template <bool B, class T> struct If {};
template <class T> struct If<true, T> { using type = T; };
template <class T> struct Is { static constexpr bool value = true; };
template <class T> struct View {
    enum : bool { atomic = sizeof(T) == 8 };
    static constexpr int rank = 1;
    T *p;
    template <typename... I> __device__ typename If<(Is<I>::value && ...) && sizeof...(I) == rank && !atomic, T &>::type operator()(I... i) const { return p[(i + ...)]; }
    template <typename... I> __device__ typename If<(Is<I>::value && ...) && sizeof...(I) == rank && atomic, T>::type operator()(I... i) const { return p[(i + ...)]; }
};

// One conversion by a class's function or constructor in a row: `float + Fixed` is not `Number + Number`.
struct Number {
    float f;
    __device__ Number(float x) : f(x) {}
    __device__ Number(int x) : f(x) {}
};
__device__ Number operator+(Number a, Number b) { return a.f + b.f; }
template <int N> struct Fixed { __device__ constexpr operator int() const { return N; } };

template <typename T> struct Bits { static int const value = 8 * sizeof(T); };
template <typename T, int N, bool Whole = Bits<T>::value >= 32> struct Array;
template <typename T, int N> struct Array<T, N, true> { T d[N]; };
template <typename T, int N> struct Array<T, N, false> { unsigned d[N * sizeof(T) / 4]; };

__global__ void k(int *o, float x, View<int> v, View<double> w)
{
    Mid a(3), d;
    o[0] = static_cast<Leaf<0, int> &>(a).v + d.z + static_cast<Leaf<2, int> &&>(Count<int, int>(5)).v;
    n::Y<int> y(5);
    o[1] = static_cast<n::X<int> &>(y).t;
    n::Z<float> z(2.f);
    o[2] = z.t + z.q + m::call(n::Tag()) + m::seven;
    Held h = {};
    const Held &c = h;
    h(0, 1) = 3;
    h.one(2) = h.get();
    o[3] = c(0, 1) + c.one(2) + c.get() + Held{}.get();
    v(1) = w(2);
    o[4] = x + Fixed<3>();
    o[5] = sizeof(Array<char, 8>) + sizeof(Array<float, 8>);
}
