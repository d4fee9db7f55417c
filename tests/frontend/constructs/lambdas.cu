template <typename F> __device__ float app_(F f, float x) { return f(x); }
template <typename F> __device__ void loop_(int n, F &&f) { for (int i = 0; i < n; i++) f(i); }
struct Ob_ {
    float k;
    __device__ float go(float x) {
        auto f = [this](float y) { return k * y; };
        auto g = [=](float y) { return y + k; };
        return f(x) + g(x);
    }
};
__global__ void lambdas_kernel(float *o, int n) {
    float s = 0;
    auto add = [&](float x) { s += x; return s; };
    add(1.f);
    add(o[1]);
    auto mul = [=](float x) -> float { return x * n; };
    auto gen = [](auto a, auto b) { return a * b; };
    loop_(n, [&](int i) { o[i] += s; });
    int c = 5;
    auto cnt = [c, &s, z = n + 1]() mutable { c++; s += 1; return c + z; };
    auto nested = [&](int i) { auto in = [&](int j) { return s + i + j; }; return in(2); };
    Ob_ ob{2.f};
    o[0] = add(2.f) + mul(3.f) + gen(2, 3.5f) + app_([](float v) { return v + 1; }, s) + cnt() + nested(3) + ob.go(1.f) + [] { return 4; }();
}
