// thrust::device_ptr: a pointer by another name.
namespace std {
template <typename T> struct device_ptr {
    T *__p;
    __host__ __device__ device_ptr() : __p(nullptr) {}
    __host__ __device__ explicit device_ptr(T *p) : __p(p) {}
    template <typename U> __host__ __device__ device_ptr(const device_ptr<U> &o) : __p(o.__p) {}
    __host__ __device__ T *get() const { return __p; }
    __host__ __device__ T &operator*() const { return *__p; }
    __host__ __device__ T *operator->() const { return __p; }
    __host__ __device__ T &operator[](long i) const { return __p[i]; }
    __host__ __device__ device_ptr operator+(long i) const { return device_ptr(__p + i); }
    __host__ __device__ device_ptr operator-(long i) const { return device_ptr(__p - i); }
    __host__ __device__ long operator-(const device_ptr &o) const { return __p - o.__p; }
    __host__ __device__ device_ptr &operator++() {
        ++__p;
        return *this;
    }
    __host__ __device__ bool operator==(const device_ptr &o) const { return __p == o.__p; }
    __host__ __device__ bool operator!=(const device_ptr &o) const { return __p != o.__p; }
};
template <typename T> __host__ __device__ T *raw_pointer_cast(const device_ptr<T> &p) { return p.__p; }
template <typename T> __host__ __device__ T *raw_pointer_cast(T *p) { return p; }
}
