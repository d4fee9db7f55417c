// std=c++20
// What <type_traits> says of classes with special functions of their own.
#include <type_traits>
#define D __host__ __device__
struct Plain { int a; double b; };
struct Made { D Made() {} D Made(int) noexcept {} int a; };
struct Ends { D ~Ends() {} };
struct Holds { Ends e; int a; };
struct Fixed { Fixed() = default; Fixed(const Fixed &) = delete; Fixed &operator=(const Fixed &) = delete; int a; };
struct Moves { Moves() = default; Moves(Moves &&) = default; Moves &operator=(Moves &&) = default; int a; };
struct Moved { Moves m; };
struct Copies { D Copies(const Copies &) {} D Copies &operator=(const Copies &) { return *this; } int a; };
struct Virtual { D virtual int f() { return 1; } };
struct Whole { D virtual ~Whole() {} virtual D int g() = 0; };
struct Refers { int &r; };
struct Begins final { int a = 3; };
struct Explicit { D explicit Explicit(int) {} D explicit operator bool() const { return true; } };
class Mixed { int a; public: int b; };
enum class Scoped { a };

template <bool... B> constexpr bool all() { return (B && ...); }
template <bool... B> constexpr bool none() { return !(B || ...); }

__global__ void k()
{
    using namespace std;
    static_assert(all<is_aggregate_v<Plain>, is_aggregate_v<Begins>, is_aggregate_v<int[2]>, is_aggregate_v<Holds>>());
    static_assert(none<is_aggregate_v<Made>, is_aggregate_v<Mixed>, is_aggregate_v<Virtual>, is_aggregate_v<Fixed>>());
    static_assert(all<is_trivial_v<Plain>, is_trivially_copyable_v<Begins>, is_trivially_copyable_v<Moves>>());
    static_assert(none<is_trivial_v<Made>, is_trivially_copyable_v<Copies>, is_trivially_copyable_v<Virtual>,
                       is_trivially_default_constructible_v<Begins>, is_trivially_copyable_v<Holds>>());
    static_assert(all<is_trivially_destructible_v<Made>, is_trivially_destructible_v<Copies>, is_destructible_v<Ends>>());
    static_assert(none<is_trivially_destructible_v<Ends>, is_trivially_destructible_v<Holds[2]>>());
    static_assert(all<is_copy_constructible_v<Copies>, is_copy_constructible_v<Refers>, is_copy_assignable_v<Copies>>());
    static_assert(none<is_copy_constructible_v<Fixed>, is_copy_constructible_v<Moves>, is_copy_assignable_v<Moves>,
                       is_copy_assignable_v<Fixed>, is_copy_assignable_v<Refers>, is_move_constructible_v<Fixed>,
                       is_copy_constructible_v<Whole>, is_copy_constructible_v<Moved>>());
    static_assert(all<is_move_constructible_v<Moves>, is_move_assignable_v<Moved>, is_trivially_move_constructible_v<Moves>>());
    static_assert(all<is_nothrow_constructible_v<Made, int>, is_nothrow_copy_constructible_v<Plain>,
                      is_nothrow_default_constructible_v<Virtual>>());
    static_assert(none<is_nothrow_copy_constructible_v<Copies>, is_nothrow_default_constructible_v<Made>>());
    static_assert(all<is_constructible_v<Explicit, int>, is_constructible_v<bool, Explicit>, is_convertible_v<int, Made>>());
    static_assert(none<is_convertible_v<int, Explicit>, is_constructible_v<int, int *>, is_constructible_v<int &, int>,
                       is_default_constructible_v<Refers>, is_convertible_v<Scoped, int>, is_assignable_v<int, int>>());
    static_assert(all<is_standard_layout_v<Plain>, is_final_v<Begins>, has_virtual_destructor_v<Whole>>());
    static_assert(none<is_standard_layout_v<Mixed>, is_standard_layout_v<Virtual>, has_virtual_destructor_v<Virtual>>());
}
