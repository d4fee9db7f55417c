// Numbers that depend on template parameters, in the names of kernels.
#include <type_traits>
namespace ns {
template <typename T> struct V { static constexpr bool v = sizeof(T) > 4; static const int n = 3; enum { e = 3 }; };
template <bool B, typename T = void> struct If { typedef T type; };
template <typename T> constexpr bool big = sizeof(T) > 4;
}
template <bool B, typename T> struct R { typedef T *Type; };
template <typename T> struct R<true, T> { typedef const T *Type; };
template <int N, typename T> struct Q { typedef T *Type; };
#define KERNEL template <typename T> __global__
KERNEL typename std::enable_if<std::is_same<T, float>::value>::type a1(T *p) {}
KERNEL typename std::enable_if<!std::is_same<T, double>::value, void>::type a2(T *p) {}
KERNEL std::enable_if_t<std::is_floating_point<T>::value> a3(T *p) {}
KERNEL std::enable_if_t<std::is_floating_point_v<T>> a4(T *p) {}
KERNEL typename ns::If<ns::V<T>::v>::type a5(T *p) {}
KERNEL typename ns::If<(sizeof(T) == 4) && (ns::V<T>::n > 2)>::type a6(T *p) {}
KERNEL void a7(typename Q<T::n, float>::Type p, T t) {}
KERNEL void a8(typename Q<alignof(T), T>::Type p, T t) {}
KERNEL void a9(typename Q<sizeof(T *) / sizeof(T), T>::Type p, T t) {}
KERNEL void b1(typename R<!ns::V<T>::v, T>::Type p) {}
KERNEL void b2(typename R<ns::V<T>::v && sizeof(T) == 8, T>::Type p) {}
KERNEL void b3(typename R<!ns::big<T>, T>::Type p) {}
KERNEL void b4(typename Q<ns::V<T>::e == 3, T>::Type p) {}
KERNEL void b5(typename Q<std::is_same<T, float>::value || std::is_same<T, double>::value, T>::Type p) {}
template <typename T, typename... A> __global__ void c1(typename R<!sizeof...(A), T>::Type p) {}
template <typename T, typename... A> __global__ void c2(typename Q<sizeof...(A) + 1, T>::Type p, A... a) {}
template <typename T, int... A> __global__ void c3(typename Q<sizeof...(A) * 2, T>::Type p) {}
template <typename T, typename... A> __global__ std::enable_if_t<(sizeof...(A) > 1)> c4(T t, A... a) {}
template <typename T, int N> __global__ void c5(typename R<!(N > 3), T>::Type p) {}
template <typename T, bool N> __global__ void c6(typename R<!N, T>::Type p) {}
template <typename T, int N> __global__ void c7(Q<N * 2 + sizeof(T), T> p) {}
#define MAKE(...) template __global__ __VA_ARGS__;
MAKE(void a1(float *)) MAKE(void a2(float *)) MAKE(void a3(float *)) MAKE(void a4(float *)) MAKE(void a5(double *))
MAKE(void a6(float *)) MAKE(void a7(float *, ns::V<int>)) MAKE(void a8(int *, int)) MAKE(void a9(int *, int))
MAKE(void b1<float>(const float *)) MAKE(void b2<double>(const double *)) MAKE(void b3<float>(const float *))
MAKE(void b4<float>(float *)) MAKE(void b5<float>(float *)) MAKE(void c1<float, int>(float *))
MAKE(void c2<float, int>(float *, int)) MAKE(void c3<float, 1, 2>(float *)) MAKE(void c4(int, int, float))
MAKE(void c5<double, 2>(const double *)) MAKE(void c6<double, false>(const double *)) MAKE(void c7<short, 3>(Q<8, short>))
