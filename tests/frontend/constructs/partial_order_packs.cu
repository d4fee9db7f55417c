// Of two templates for class templates with a pack, the one without a pack of its own is the more specialised.
template <class... T> class Tup;
template <class T> class Tup<T> {
  public:
    T first;
};
template <class T, class... R> class Tup<T, R...> {
  public:
    T first;
    Tup<R...> rest;
};

template <class A> __device__ unsigned sum(Tup<A> x, unsigned m, unsigned char j = 0) { return x.first + m * j; }
template <class A, class... R> __device__ unsigned sum(Tup<A, R...> x, unsigned m, unsigned char j = 0) {
    return x.first + sum(x.rest, m, j + 1);
}

template <class A> __device__ int count(const Tup<A> &) { return 1; }
template <class A, class B> __device__ int count(const Tup<A, B> &) { return 2; }
template <class... T> __device__ int count(const Tup<T...> &) { return 3; }

__global__ void kernel(Tup<int> a, Tup<int, float> b, Tup<int, int, char> c, unsigned *p) {
    p[0] = sum(a, 3);
    p[1] = sum(b, 4) + sum(c, 5);
    p[2] = count(a) * 100 + count(b) * 10 + count(c);
}
