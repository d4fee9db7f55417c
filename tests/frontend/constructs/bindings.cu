// The types that structured bindings and variables begun in parentheses have for decltype.
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

struct S { int a; const float b; int &c; unsigned d : 3; };
template <class A, class B> constexpr bool same = cuda::std::is_same_v<A, B>;

__global__ void k(int *o) {
  int two[2] = {1, 2}, z = 3;
  S s{1, 2.f, z, 5};
  auto [a, b] = two;
  const auto &[c, d] = two;
  auto &[e, f, g, h] = s;
  const auto [p, q] = cuda::std::pair<int, short>(1, 2);
  auto [t, u] = cuda::std::tuple<int, float &>(z, *(float *)o);
  static_assert(same<decltype(a), int> && same<decltype((a)), int &> && same<decltype(c), const int>);
  static_assert(same<decltype(f), const float> && same<decltype(g), int &> && same<decltype(h), unsigned>);
  static_assert(same<decltype(q), const short> && same<decltype(t), int> && same<decltype(u), float &>);
  decltype(a) n = 3;
  auto v(z);
  auto *w(&s);
  const auto &x(s.b);
  decltype(auto) y(*o);
  static_assert(same<decltype(v), int> && same<decltype(w), S *> && same<decltype(x), const float &>);
  static_assert(same<decltype(y), int &>);
  o[0] = a + b + c + d + e + (int)f + g + h + p + q + t + n + v + w->a + (int)x + y;
}
