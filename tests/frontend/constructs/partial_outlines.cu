// Members of partial specialisations, constructors' templates among them, defined outside of their classes.
template <int N, class T, int Q> struct Vec;
template <class T, int Q> struct Vec<2, T, Q> {
  T x, y;
  constexpr Vec() = default;
  constexpr Vec(Vec const &v) = default;
  template <int P> __device__ constexpr Vec(Vec<2, T, P> const &v);
  __device__ constexpr explicit Vec(T s);
  template <class A, class B> __device__ constexpr Vec(A x, B y);
  template <class U, int P> __device__ constexpr explicit Vec(Vec<2, U, P> const &v);
  template <class U> __device__ constexpr Vec &operator*=(U s) { x *= s, y *= s; return *this; }
  __device__ T sum() const;
  template <class U> __device__ U sum_as() const;
};
template <class T, int Q> struct Vec<3, T, Q> { T x, y, z; __device__ T sum() const; };

template <class T, int Q> template <int P> __device__ constexpr Vec<2, T, Q>::Vec(Vec<2, T, P> const &v) : x(v.x), y(v.y) {}
template <class T, int Q> __device__ constexpr Vec<2, T, Q>::Vec(T s) : x(s), y(s) {}
template <class T, int Q> template <class A, class B> __device__ constexpr Vec<2, T, Q>::Vec(A a, B b) : x(T(a)), y(T(b)) {}
template <class T, int Q> template <class U, int P>
__device__ constexpr Vec<2, T, Q>::Vec(Vec<2, U, P> const &v) : x(T(v.x)), y(T(v.y)) {}
template <class T, int Q> __device__ T Vec<2, T, Q>::sum() const { return x + y; }
template <class T, int Q> __device__ T Vec<3, T, Q>::sum() const { return x + y + z; }
template <class S, int R> template <class U> __device__ U Vec<2, S, R>::sum_as() const { return U(x) + U(y); }
template <class T, int Q> __device__ constexpr Vec<2, T, Q> operator*(Vec<2, T, Q> const &v, T s) { return Vec<2, T, Q>(v) *= s; }

template <class T> struct Box { T t; __device__ int kind() const; };
template <class T> struct Box<T *> { T *t; __device__ int kind() const; };
template <class T> __device__ int Box<T>::kind() const { static_assert(sizeof(t) == sizeof(T), ""); return 1; }
template <class T> __device__ int Box<T *>::kind() const { T one = *t; return 2 + one; }

__global__ void k(Vec<2, float, 0> *p, Vec<2, unsigned short, 0> *q, Vec<2, float, 1> *r, Vec<3, int, 0> *v, int *o) {
  Vec<2, unsigned short, 0> s(p[0] * 3.f);
  q[0] = s;
  r[0] = p[1];
  p[2] = Vec<2, float, 0>(o[0], 2.5);
  o[1] = v->sum() + p->sum_as<int>() + int(q->sum()) + Box<int>{1}.kind() + Box<int *>{o}.kind();
}
