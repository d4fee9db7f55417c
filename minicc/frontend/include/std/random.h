// Thrust's random numbers: linear congruential engines, the default one among them, and what is drawn from one.
namespace std {
template <typename T, T A, T C, T M> struct linear_congruential_engine {
    typedef T result_type;
    static const T multiplier = A;
    static const T increment = C;
    static const T modulus = M;
    static const T min = C == 0 ? 1 : 0;
    static const T max = M - 1;
    static const T default_seed = 1;
    T x_;
    __host__ __device__ explicit linear_congruential_engine(T s = default_seed) { seed(s); }
    __host__ __device__ void seed(T s = default_seed) { x_ = C % M == 0 && s % M == 0 ? 1 : s % M; }
    __host__ __device__ T operator()() { x_ = (T)(((unsigned long long)A * x_ + C) % M); return x_; }
    __host__ __device__ void discard(unsigned long long n) {
        // A^n: an engine that adds something is not asked for it.
        unsigned long long power = 1, base = A;
        for (; n > 0; n >>= 1) {
            if (n & 1)
                power = power * base % M;
            base = base * base % M;
        }
        x_ = (T)(power * x_ % M);
    }
    __host__ __device__ friend bool operator==(const linear_congruential_engine &a, const linear_congruential_engine &b) { return a.x_ == b.x_; }
    __host__ __device__ friend bool operator!=(const linear_congruential_engine &a, const linear_congruential_engine &b) { return a.x_ != b.x_; }
};
typedef linear_congruential_engine<unsigned, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;
template <typename T = double> struct uniform_real_distribution {
    typedef T result_type;
    T a_, b_;
    __host__ __device__ explicit uniform_real_distribution(T a = T(0), T b = T(1)) : a_(a), b_(b) {}
    __host__ __device__ T a() const { return a_; }
    __host__ __device__ T b() const { return b_; }
    __host__ __device__ T min() const { return a_; }
    __host__ __device__ T max() const { return b_; }
    __host__ __device__ void reset() {}
    template <typename G> __host__ __device__ T operator()(G &g) { return (T)(g() - G::min) / (T(1) + (T)(G::max - G::min)) * (b_ - a_) + a_; }
};
template <typename T = int> struct uniform_int_distribution {
    typedef T result_type;
    T a_, b_;
    __host__ __device__ explicit uniform_int_distribution(T a = 0, T b = ::std::numeric_limits<T>::max()) : a_(a), b_(b) {}
    __host__ __device__ T a() const { return a_; }
    __host__ __device__ T b() const { return b_; }
    __host__ __device__ T min() const { return a_; }
    __host__ __device__ T max() const { return b_; }
    __host__ __device__ void reset() {}
    template <typename G> __host__ __device__ T operator()(G &g) { return (T)uniform_real_distribution<double>((double)a_, (double)b_ + 1)(g); }
};
template <typename T = double> struct normal_distribution {
    typedef T result_type;
    T mean_, deviation_;
    __host__ __device__ explicit normal_distribution(T mean = T(0), T deviation = T(1)) : mean_(mean), deviation_(deviation) {}
    __host__ __device__ T mean() const { return mean_; }
    __host__ __device__ T stddev() const { return deviation_; }
    __host__ __device__ void reset() {}
    // Of the two halves of the engine's range one is below the mean, the other above.
    template <typename G> __device__ T operator()(G &g) {
        constexpr unsigned range = G::max - G::min;
        constexpr T step = (T)(1. / (double)range);
        unsigned u = g() - G::min;
        T root = (T)-1.4142135623730950488;
        if (u > range / 2) {
            u = range - u;
            root = -root;
        }
        return mean_ + deviation_ * root * erfcinv(2 * (u * step + step / 2));
    }
};
namespace random {
using std::linear_congruential_engine;
using std::minstd_rand0;
using std::minstd_rand;
using std::default_random_engine;
using std::uniform_real_distribution;
using std::uniform_int_distribution;
using std::normal_distribution;
}
}
