// <bitset>, in words of 64 bits.
namespace std {
template <size_t N> struct bitset {
    unsigned long long words_[N == 0 ? 1 : (N + 63) / 64];
    struct reference {
        unsigned long long *word_;
        unsigned at_;
        __host__ __device__ constexpr operator bool() const { return *word_ >> at_ & 1; }
        __host__ __device__ constexpr reference &operator=(bool v) { *word_ = (*word_ & ~(1ull << at_)) | ((unsigned long long)v << at_); return *this; }
        __host__ __device__ constexpr reference &operator=(const reference &o) { return *this = (bool)o; }
        __host__ __device__ constexpr reference &flip() { *word_ ^= 1ull << at_; return *this; }
    };
    __host__ __device__ constexpr bitset() : words_() {}
    __host__ __device__ constexpr bitset(unsigned long long v) : words_() { words_[0] = v; trim_(); }
    __host__ __device__ constexpr void trim_() { if (N % 64) words_[N / 64] &= (1ull << N % 64) - 1; }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ constexpr bool test(size_t i) const { return words_[i / 64] >> i % 64 & 1; }
    __host__ __device__ constexpr bool operator[](size_t i) const { return test(i); }
    __host__ __device__ constexpr reference operator[](size_t i) { return reference{words_ + i / 64, (unsigned)(i % 64)}; }
    __host__ __device__ constexpr bitset &set() { for (auto &w : words_) w = ~0ull; trim_(); return *this; }
    __host__ __device__ constexpr bitset &set(size_t i, bool v = true) { (*this)[i] = v; return *this; }
    __host__ __device__ constexpr bitset &reset() { for (auto &w : words_) w = 0; return *this; }
    __host__ __device__ constexpr bitset &reset(size_t i) { (*this)[i] = false; return *this; }
    __host__ __device__ constexpr bitset &flip() { for (auto &w : words_) w = ~w; trim_(); return *this; }
    __host__ __device__ constexpr bitset &flip(size_t i) { (*this)[i].flip(); return *this; }
    __host__ __device__ constexpr size_t count() const { size_t n = 0; for (auto w : words_) n += popcount(w); return n; }
    __host__ __device__ constexpr bool any() const { for (auto w : words_) if (w) return true; return false; }
    __host__ __device__ constexpr bool none() const { return !any(); }
    __host__ __device__ constexpr bool all() const { return count() == N; }
    __host__ __device__ constexpr unsigned long to_ulong() const { return words_[0]; }
    __host__ __device__ constexpr unsigned long long to_ullong() const { return words_[0]; }
    __host__ __device__ constexpr bitset &operator&=(const bitset &o) { for (size_t i = 0; i < sizeof(words_) / 8; i++) words_[i] &= o.words_[i]; return *this; }
    __host__ __device__ constexpr bitset &operator|=(const bitset &o) { for (size_t i = 0; i < sizeof(words_) / 8; i++) words_[i] |= o.words_[i]; return *this; }
    __host__ __device__ constexpr bitset &operator^=(const bitset &o) { for (size_t i = 0; i < sizeof(words_) / 8; i++) words_[i] ^= o.words_[i]; return *this; }
    __host__ __device__ constexpr bitset operator~() const { bitset r = *this; return r.flip(); }
    __host__ __device__ constexpr bitset operator<<(size_t n) const { bitset r; for (size_t i = n; i < N; i++) r.set(i, test(i - n)); return r; }
    __host__ __device__ constexpr bitset operator>>(size_t n) const { bitset r; for (size_t i = n; i < N; i++) r.set(i - n, test(i)); return r; }
    __host__ __device__ constexpr bitset &operator<<=(size_t n) { return *this = *this << n; }
    __host__ __device__ constexpr bitset &operator>>=(size_t n) { return *this = *this >> n; }
    __host__ __device__ friend constexpr bitset operator&(bitset a, const bitset &b) { return a &= b; }
    __host__ __device__ friend constexpr bitset operator|(bitset a, const bitset &b) { return a |= b; }
    __host__ __device__ friend constexpr bitset operator^(bitset a, const bitset &b) { return a ^= b; }
    __host__ __device__ friend constexpr bool operator==(const bitset &a, const bitset &b) { return (a ^ b).none(); }
    __host__ __device__ friend constexpr bool operator!=(const bitset &a, const bitset &b) { return (a ^ b).any(); }
};
}
