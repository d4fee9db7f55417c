// std=c++20 Defaulted comparisons without execution spaces are both sides' ones; <=> of device members is the device's.
struct Shape_ { int rows = 1, cols = 1; constexpr bool operator==(const Shape_ &) const = default; };
struct Outer_ {
    Shape_ s;
    int b;
    friend bool operator==(const Outer_ &, const Outer_ &) = default;
};
template <Shape_ S> struct Tile_ { static constexpr Shape_ shape = S; };
__global__ void kernel(int *o) {
    static_assert(Tile_<Shape_{2, 3}>::shape == Shape_{2, 3});
    Outer_ a{{o[0], o[1]}, o[2]}, b{};
    o[3] = (a == b) + (a.s != b.s) * 2;
}
bool on_the_host(Shape_ a, Shape_ b) { return a == b; }
