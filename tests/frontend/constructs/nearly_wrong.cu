// std=c++20
// What stands beside an error: access through derived classes and friends, captures beside defaults, names like a
// template's parameter that are others, `<` behind a member's name.
template <class T> concept Small = sizeof(T) <= 4;
template <class T> concept Sums = requires(T a) { { a + a } -> Small; { a - a } noexcept -> Small; requires Small<T>; };

class Base {
 protected:
  int v = 1;
  static constexpr int fixed = 5;
  __device__ int get() const { return v; }
  struct Inner { int w; };
  __device__ ~Base() {}
  friend __device__ int befriended(const Base &b) { return b.v; }
};

struct Derived : Base {
  friend __device__ int peek(Derived &d) { return d.v + d.get(); }
  struct Nested { __device__ int f(Derived &d) { return d.v; } };
  __device__ int own(Derived &other) { return other.v + other.get() + this->v + Base::v + other.Base::v + Base::get(); }
  __device__ int inner() { Base::Inner i{3}; auto f = [this](Derived &d) { return d.v + v; }; return i.w + f(*this); }
  __device__ int common(Base &b) { return b.fixed; }
};

struct Further : Derived {
  __device__ int more(Further &f) { return f.v + f.Derived::v; }
};

class Closed {
  struct Part { int p; };
  __device__ ~Closed() {}

 public:
  using Open = Part;
  __device__ static int ended() { Closed c; Part p{2}; Closed::Part q{3}; return p.p + q.p; }
  __device__ Part part();
};

__device__ Closed::Part Closed::part() { return Closed::Part{4}; }

struct Has { template <int N> __device__ int get() const { return N; } int size; };

template <class T> __device__ int named(const T &t, Has h) {
  int less = t.size < 3;
  return t.template get<2>() + h.get<4>() + less;
}

template <class T> __device__ int shadows(T t) {
  auto inner = [](int U) { return U; };
  struct Local { int T2; } l{1};
  return inner(t) + l.T2;
}

template <int N> __device__ int again();
template <int M> __device__ int again() { int N = 2; return M + N; }

__device__ unsigned long long operator""_n(unsigned long long v) { return v; }
__device__ int operator""_c(char c) { return c; }
__device__ double operator""_d(long double v) { return v; }
__device__ unsigned long operator""_s(const char *text, unsigned long n) { return n + text[0]; }

__device__ int table[4];

[[deprecated("old")]] __device__ int old_one() { return 1; }
[[nodiscard]] __device__ int kept(int n = sizeof(table)) { return n; }

__global__ void k(int *o) {
  int a = 1, b = 2;
  static constexpr int fixed = 7;
  constexpr int local = 8;
  constexpr int *p = &table[2], *none = nullptr;
  constexpr const char *text = "text";
  auto f = [=, &a] { a = b; return b; };
  auto g = [&, a] { return a + b; };
  auto h = [local](int x = 3) { return x + fixed + local; };
  auto i = [=, c = a] { return c + b; };
  Derived d;
  Further e;
  o[0] = f() + g() + h() + i() + (p != none) + text[0];
  o[1] = d.own(d) + peek(d) + Derived::Nested().f(d) + befriended(d) + d.inner() + d.common(d) + e.more(e);
  Closed::Open part{6};
  o[2] = Closed::ended() + named(Has(), Has()) + shadows(1) + again<3>() + part.p + kept();
  o[3] = 3_n + 'x'_c + 1.5_d + "ab"_s + Sums<int> + Sums<double>;
}
// Arguments of launches that convert, or whose types their names alone do not tell.
__global__ void numbers(int *o, float x, const double *p, int n) { *o = x + p[n]; }
__global__ void anything(void *o) {}
void launches(int argc, char **argv, float *hidden) {
    int n = 1 << 20, a[4];
    float *h = nullptr, m = n * *h, **rows = &h;
    double *p = nullptr;
    int *q = a;
    const double *c = p;
    size_t bytes = n * sizeof(float);
    numbers<<<1, 1>>>(q, n, p, n);
    numbers<<<1, 1>>>(a, m, c, bytes);
    anything<<<1, 1>>>(p);
    anything<<<1, 1>>>(rows);
    for (double n = 0; n < 3; n++) numbers<<<1, 1>>>(q, n, p, n);
    for (float *q = h; q != h; q++) {
        int *h = a;
        numbers<<<1, 1>>>(h, *q, p, argc);
    }
    auto inner = [=](int *hidden) { numbers<<<1, 1>>>(hidden, 1, c, 2); };
    {
        int *hidden = q;
        numbers<<<1, 1>>>(hidden, 1, c, 2);
    }
    inner(q);
}
