template <class F, class... A> __global__ void g(F f, A... a) { f(a...); }
template <class T, class U> void go(T t, U u) {
  g<<<1,1>>>([=] __device__(auto a) { *a = t; }, u);
  g<<<1,1>>>([=] __device__(auto a, auto b) { *a = b; }, u, t);
  g<<<1,1>>>([=] __device__(auto *a, auto b) { *a = b; }, u, t);
  g<<<1,1>>>([=] __device__(auto *a, auto *b) { *a = *b; }, u, u);
  g<<<1,1>>>([=] __device__(auto... a) { }, u, u);
  g<<<1,1>>>([=] __device__(U a, auto b) { *a = b; }, u, t);
  g<<<1,1>>>([=] __device__(T a, const auto &b, auto &&c) { }, t, u, u);
}
void host(float *x) { go(2.f, x); go(3, x); g<<<1,1>>>([] __device__(auto a, auto *b) { }, 1, x); g<<<1,1>>>([] __device__(auto a, int b) { }, x, 3);  }
template <class T, class U> void go2(T t, U u) {
  g<<<1,1>>>([=] __device__<class X>(X a, X b) { }, u, u);
  g<<<1,1>>>([=] __device__<class X, class Y>(X *a, Y b, X *c, Y d) { }, u, t, u, t);
}
void host2(float *x) { go2(2.f, x);  g<<<1,1>>>([] __device__<class X>(X *a, X *b) { }, x, x);  }
