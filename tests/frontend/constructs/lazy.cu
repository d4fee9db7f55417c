// Instances of class templates are read when they are needed, their members when these are used.
template <typename T, int N> struct Mat {
    T m[N][N];
    __device__ Mat<T, N - 1> minor_of(int r, int c) const
    {
        Mat<T, N - 1> out;
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++)
                out.m[i][j] = m[i + (i >= r)][j + (j >= c)];
        return out;
    }
    __device__ T det() const;
    __device__ void bad() { T::nothing(); m.nope(); }
    struct Inner : T::base {
        T x[T::size];
        __device__ int f() { return T::zzz; }
    };
    __device__ Inner *inner() const;
};
template <typename T, int N> struct Det {
    __device__ static T of(const Mat<T, N> &a)
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += (i % 2 ? -1 : 1) * a.m[0][i] * Det<T, N - 1>::of(a.minor_of(0, i));
        return s;
    }
};
template <typename T> struct Det<T, 1> {
    __device__ static T of(const Mat<T, 1> &a) { return a.m[0][0]; }
};
template <typename T, int N> __device__ T Mat<T, N>::det() const { return Det<T, N>::of(*this); }

// A template that is defined, or specialised, after its instances were named.
template <typename T> struct Later;
__device__ Later<int> *g_later;
__device__ const Later<char> *g_special;
template <typename T> __device__ int use(T *p) { return p->x; }
template <typename T> struct Later { int x; };
template <> struct Later<char> { float y; short x; };
static_assert(sizeof(const Later<char>) == 8 && sizeof(Later<int>) == 4, "");

// What does not exist for T, and is not asked for.
template <typename T> struct Opt {
    static constexpr int n = T::size;
    static constexpr unsigned bytes = sizeof(Opt);
    T *p;
    long q;
};
template <typename T> struct BadBase : T::base {};
template <typename T> struct Refused { static_assert(sizeof(T) == 0, "not this"); };
__device__ BadBase<int> *never;
__device__ Refused<int> *neither(Refused<float> *);

// Each names the next: without an end, if naming were reading.
template <int N> struct Chain { Chain<N + 1> *next; __device__ Chain<2 * N> other(); enum { value = N }; };

template <typename T> struct Outer {
    struct Node { Outer *owner; T value; __device__ T get() const { return value + owner->bias; } };
    T bias;
    Node nodes[2];
};

__global__ void k(float *o, Chain<1> c)
{
    Mat<float, 4> a;
    for (int i = 0; i < 16; i++)
        a.m[i / 4][i % 4] = o[i];
    o[0] = a.det() + use(g_later) + use(g_special);
    Opt<int> q{nullptr};
    o[1] = (q.p == nullptr) + Opt<int>::bytes;
    BadBase<float> *z = nullptr;
    o[2] = (z == nullptr) + Chain<7>::value + (c.next == nullptr);
    Outer<float> u;
    u.bias = o[3];
    u.nodes[1] = {&u, 2.f};
    o[3] = u.nodes[1].get();
}
