template <typename T> struct Is_ { static const bool v = false; };
template <typename T> struct Is_<T *> { static const bool v = true; };
template <typename T, typename U> struct Same_ { enum { v = 0 }; };
template <typename T> struct Same_<T, T> { enum { v = 1 }; };
template <typename T> struct Rem_ { using type = T; };
template <typename T> struct Rem_<const T> { using type = T; };
template <typename T> struct Rem_<T &> { using type = typename Rem_<T>::type; };
template <typename T, int N> struct Rem_<T[N]> { using type = T; };
template <typename T, bool B> struct Op_ { __device__ static T f(T x) { return x; } };
template <typename T> struct Op_<T, true> { __device__ static T f(T x) { return -x; } };
template <bool B, typename T = void> struct En_ {};
template <typename T> struct En_<true, T> { using type = T; };
template <bool B, typename T = void> using En_t_ = typename En_<B, T>::type;
template <typename T> __device__ En_t_<Same_<T, int>::v, int> pick_(T) { return 1; }
template <typename T, En_t_<!Same_<T, int>::v, int> = 0> __device__ int pick_(T) { return 2; }
template <typename T> __device__ auto pick2_(T x) -> typename En_<(sizeof(T) == 4), T>::type { return x; }
template <typename T, typename = typename En_<(sizeof(T) == 8)>::type> __device__ T pick2_(T x) { return x + 1; }
__global__ void partial_kernel(float *o, int n) {
    o[0] = Is_<int>::v + Is_<int *>::v + Same_<int, float>::v + Same_<int, int>::v;
    Rem_<const float &>::type a = o[1];
    Rem_<int[3]>::type b = n;
    o[2] = Op_<float, true>::f(a) + Op_<int, false>::f(b) + pick_(n) + pick_(a) + pick2_(n) + pick2_(1.0);
}
// [temp.arg.nontype]: a number is no enumerator, a scoped enumerator no number.
enum class Red_ { add, max };
template <typename T, Red_ A, int W = 32> __device__ void reduce_(T *d) { d[0] = W; }
template <typename T, Red_ A, Red_ B, int W = 32> __device__ void reduce_(T *d) { d[0] = W; d[1] = 2; }
__global__ void enumerator_arguments(float *o)
{
    reduce_<float, Red_::add, 4>(o);
    reduce_<float, Red_::add, Red_::max, 8>(o + 4);
    reduce_<float, Red_::max>(o + 8);
}
