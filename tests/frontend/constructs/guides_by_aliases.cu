// Constructors whose parameters have types that the class names itself: arguments are deduced through those names.
template <class T> struct Cell {
    T value;
};

template <class K, class V> struct Table {
    using Item = Cell<V>;
    using Items = Item *;
    typedef const K *Keys;
    Items items;
    Keys keys;
    int n;
    __host__ __device__ Table(int n, Items items, const Keys keys) : items(items), keys(keys), n(n) {}
    __host__ __device__ Table(const Item &one, K) : items(nullptr), keys(nullptr), n(int(one.value)) {}
};

template <class K, class V> __global__ void fill(Table<K, V> t, V v) { t.items[threadIdx.x].value = v + V(t.keys[t.n]); }
template <class T> __global__ void show(T t, int *p) { *p = t.n; }

__global__ void device(Cell<float> *items, const short *keys, int *p) {
    Table t(3, items, keys);
    Table one(Cell<double>{2.0}, 'c');
    p[0] = t.n + one.n;
    t.items[1].value = t.keys[0];
}

void host(Cell<float> *items, const short *keys) {
    fill<<<1, 1>>>(Table(3, items, keys), 1.f);
    show<<<1, 1>>>(Table(Cell<double>{2.0}, 'c'), (int *)nullptr);
}

#include <cuda/std/expected>
// A guide that takes by value makes pointers of arrays.
__device__ cuda::std::expected<int, const char *> parse(int x) {
    if (x & 1) return x * 2;
    return cuda::std::unexpected("even");
}
__global__ void parsed(int *p) {
    auto e = parse(p[0]);
    p[1] = e.has_value() ? *e : e.error()[0];
}
