class A { int x; int f() const { return x; } static const int S = 3; protected: int p; public: __device__ A() : x(1), p(2) {} int y; __device__ int g() const { return x + h(); } 
  template <class T> friend class Fr; friend __device__ int look(const A &); class In { int z; public: __device__ int q(const A &a) { return a.x; } };
  friend struct St;
private: __device__ int h() const; __device__ A(int); };
__device__ inline int A::h() const { auto l = [this](int k) { return x + k + S; }; return l(2); }
template <class T> class Fr { public: __device__ static int peek(A &a) { return a.x + a.h(); } };
__device__ int look(const A &a) { auto l = [&] { return a.x; }; return l() + A::S; }
struct B : A { __device__ int r() { return p + this->p; } using A::p; };
struct C : private A { using A::y; using A::g; __device__ int t() { return y + g(); } };
template <typename T> class V { T v; template <typename U> friend class V; template <typename U> friend __device__ U get(const V<U> &); public: __device__ V(T t) : v(t) {} template <typename U> __device__ V(const V<U> &o) : v(o.v) {} __device__ bool operator==(const V &o) const { return v == o.v; } };
template <typename U> __device__ U get(const V<U> &a) { return a.v; }
struct St { __device__ static int w(A &a) { return a.h(); } };
__global__ void k(int *o) { A a; B b; C c; A::In in; V<int> v(1); V<float> w(v); o[0] = a.y + a.g() + Fr<int>::peek(a) + look(a) + b.r() + b.p + c.t() + c.y + in.q(a) + (v == V<int>(3)) + get(w) + St::w(a); }
