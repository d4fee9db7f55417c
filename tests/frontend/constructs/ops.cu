template <typename T> struct V3_ {
    T x, y, z;
    __host__ __device__ V3_() {}
    __host__ __device__ V3_(T a, T b, T c) : x(a), y(b), z(c) {}
    template <typename U> __host__ __device__ V3_(const V3_<U> &o) : x(o.x), y(o.y), z(o.z) {}
    __host__ __device__ T operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    __host__ __device__ T &operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    __host__ __device__ V3_ operator-() const { return V3_(-x, -y, -z); }
    __host__ __device__ V3_ &operator*=(T s) { x *= s; y *= s; z *= s; return *this; }
    __host__ __device__ bool operator==(const V3_ &o) const { return x == o.x && y == o.y && z == o.z; }
};
template <typename T> __host__ __device__ inline V3_<T> operator+(const V3_<T> &a, const V3_<T> &b) { return V3_<T>(a.x + b.x, a.y + b.y, a.z + b.z); }
template <typename T> __host__ __device__ inline V3_<T> operator*(T s, const V3_<T> &a) { return V3_<T>(s * a.x, s * a.y, s * a.z); }
template <typename T, typename U> __host__ __device__ inline V3_<T> operator*(const V3_<T> &a, U s) { return V3_<T>(s * a.x, s * a.y, s * a.z); }
template <typename T> __host__ __device__ T dot_(const V3_<T> &a, const V3_<T> &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
typedef V3_<float> v3f_;
__device__ v3f_ glob_(const v3f_ *p, int i) { return p[i]; }
__global__ void ops_kernel(v3f_ *o, float s) {
    v3f_ a = o[0], b(1, 2, 3), c;
    c = a + 2.f * b * s;
    c *= 3;
    c[1] = -a[2];
    V3_<double> d(a);
    V3_<double> e = d;
    o[1] = c;
    o[2] = V3_<float>(d);
    o[3] = a == b ? -a : glob_(o, 2);
    o[4].x = dot_(a, b) + e.x;
}
