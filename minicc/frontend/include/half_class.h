// The classes of one 16-bit float type: H and H2 name them, MCC_K and MCC_K2 are the kinds of the built-ins, FROM(t)
// and TO(t) name the conversions from and to integers.
struct __align__(2) MCC_RAW { unsigned short x; };
struct __align__(4) MCC_RAW2 { unsigned short x, y; };

struct MCC_OTHER;

struct __align__(2) H {
    unsigned short __x;
    H() = default;
    constexpr __host__ __device__ H(const MCC_RAW &r) : __x(r.x) {}
    __host__ __device__ H(float v) : __x(MCC_OP(MCC_K, fromf)(v)) {}
    explicit __host__ __device__ H(const MCC_OTHER &v) : __x(MCC_OP(MCC_K, fromf)((float)v)) {}
    __host__ __device__ H(double v) { *this = MCC_FROM(double)(v); }
    __host__ __device__ H(short v) { *this = MCC_FROM(short)(v); }
    __host__ __device__ H(unsigned short v) { *this = MCC_FROM(ushort)(v); }
    __host__ __device__ H(int v) { *this = MCC_FROM(int)(v); }
    __host__ __device__ H(unsigned int v) { *this = MCC_FROM(uint)(v); }
    __host__ __device__ H(long v) { *this = MCC_FROM(ll)(v); }
    __host__ __device__ H(unsigned long v) { *this = MCC_FROM(ull)(v); }
    __host__ __device__ H(long long v) { *this = MCC_FROM(ll)(v); }
    __host__ __device__ H(unsigned long long v) { *this = MCC_FROM(ull)(v); }
    __host__ __device__ H &operator=(const MCC_RAW &r) { __x = r.x; return *this; }
    __host__ __device__ operator MCC_RAW() const { MCC_RAW r; r.x = __x; return r; }
    __host__ __device__ operator MCC_RAW() const volatile { MCC_RAW r; r.x = __x; return r; }
    __host__ __device__ operator float() const { return MCC_OP(MCC_K, tof)(__x); }
    __host__ __device__ operator bool() const { return (__x & 0x7fff) != 0; }
    __host__ __device__ operator char() const { return (char)MCC_TO(char)(*this); }
    __host__ __device__ operator signed char() const { return MCC_TO(char)(*this); }
    __host__ __device__ operator unsigned char() const { return MCC_TO(uchar)(*this); }
    __host__ __device__ operator short() const { return MCC_TO(short)(*this); }
    __host__ __device__ operator unsigned short() const { return MCC_TO(ushort)(*this); }
    __host__ __device__ operator int() const { return MCC_TO(int)(*this); }
    __host__ __device__ operator unsigned int() const { return MCC_TO(uint)(*this); }
    __host__ __device__ operator long() const { return MCC_TO(ll)(*this); }
    __host__ __device__ operator unsigned long() const { return MCC_TO(ull)(*this); }
    __host__ __device__ operator long long() const { return MCC_TO(ll)(*this); }
    __host__ __device__ operator unsigned long long() const { return MCC_TO(ull)(*this); }
};

struct __align__(4) H2 {
    H x, y;
    H2() = default;
    __host__ __device__ H2(const H &a, const H &b) : x(a), y(b) {}
    __host__ __device__ H2(const MCC_RAW2 &r) { x.__x = r.x; y.__x = r.y; }
    __host__ __device__ operator MCC_RAW2() const { MCC_RAW2 r; r.x = x.__x; r.y = y.__x; return r; }
};
