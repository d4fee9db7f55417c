// <bit>. In constant expressions, which know no intrinsics, the bits are counted one by one.
namespace std {
enum class endian { little = 1234, big = 4321, native = 1234 };
template <typename To, typename From> __host__ __device__ To bit_cast(const From &v) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast of types of different sizes");
    To r;
    memcpy(&r, &v, sizeof(To));
    return r;
}
template <typename T> __host__ __device__ constexpr int __counted_bits(T v, bool ones, bool low) {
    int n = 0, all = 8 * (int)sizeof(T);
    while (n < all && ((v >> (low ? n : all - 1 - n)) & 1) == (T)ones) n++;
    return n;
}
template <typename T> __host__ __device__ constexpr int popcount(T v) {
    if (__builtin_is_constant_evaluated()) {
        int n = 0;
        for (; v; v = v & (v - 1)) n++;
        return n;
    }
    return sizeof(T) == 8 ? __popcll((unsigned long long)v) : __popc((unsigned)v);
}
template <typename T> __host__ __device__ constexpr int countl_zero(T v) {
    if (__builtin_is_constant_evaluated()) return __counted_bits(v, false, false);
    return sizeof(T) == 8 ? __clzll((long long)v) : __clz((int)(unsigned)v) - (32 - 8 * (int)sizeof(T));
}
template <typename T> __host__ __device__ constexpr int countr_zero(T v) {
    if (__builtin_is_constant_evaluated()) return __counted_bits(v, false, true);
    return v == 0 ? 8 * (int)sizeof(T) : sizeof(T) == 8 ? __ffsll((long long)v) - 1 : __ffs((int)v) - 1;
}
template <typename T> __host__ __device__ constexpr int countl_one(T v) { return countl_zero((T)~v); }
template <typename T> __host__ __device__ constexpr int countr_one(T v) { return countr_zero((T)~v); }
template <typename T> __host__ __device__ constexpr bool has_single_bit(T v) { return v != 0 && (v & (v - 1)) == 0; }
template <typename T> __host__ __device__ constexpr int bit_width(T v) { return 8 * (int)sizeof(T) - countl_zero(v); }
template <typename T> __host__ __device__ constexpr T bit_floor(T v) { return v == 0 ? (T)0 : (T)((T)1 << (bit_width(v) - 1)); }
template <typename T> __host__ __device__ constexpr T bit_ceil(T v) { return v <= 1 ? (T)1 : (T)((T)1 << bit_width((T)(v - 1))); }
template <typename T> __host__ __device__ constexpr T rotl(T v, int s) {
    return s % (8 * (int)sizeof(T)) == 0 ? v : (T)((v << (s & (8 * (int)sizeof(T) - 1))) | (v >> (-s & (8 * (int)sizeof(T) - 1))));
}
template <typename T> __host__ __device__ constexpr T byteswap(T v) {
    T out = 0;
    for (int k = 0; k < (int)sizeof(T); k++) out = (T)(out | (T)((v >> 8 * k & 255) << 8 * ((int)sizeof(T) - 1 - k)));
    return out;
}
template <typename T> __host__ __device__ constexpr T rotr(T v, int s) { return rotl(v, -s); }
}
