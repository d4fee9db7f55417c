#include <vector>
#include <string>
#include <iostream>
#include <map>
#include <getopt.h>
static struct option options[] = {{"name", 1, 0, 'n'}, {0, 0, 0, 0}};
class App {
    std::vector<float> v;
    std::string s;
    public: App() : v(10) {}
    ~App() { v.clear(); }
    virtual void go() = 0;
    void run();
};
template <typename T> class Hold {
    std::map<int, T> m;
    public: Hold(int n);
    ~Hold();
    T *get() { return &m[0]; }
};
template <typename T> Hold<T>::Hold(int n) { m[n] = T(); }
void App::run() {
    for (auto &x : v) x += 1;
    auto f = [](int a) { return a; };
    std::cout << f(1) << std::endl;
}
struct Timer { std::string n; ~Timer() { std::cout << n; } };
static std::vector<int> glob;
std::string name() { return "x"; }
std::ostream &operator<<(std::ostream &o, const Timer &t) { return o << t.n; }
template <typename T> __global__ void kt_(T *p, int n) { p[n] += 1; }
template <typename T> void launch(std::vector<T> &v, T *p) { kt_<T><<<1, 32>>>(p, (int)v.size()); }
__global__ void hostskip_kernel(int *o) { o[0] = 1; }
int main(int argc, char **argv) {
    std::vector<float> v(3);
    float *p = nullptr;
    launch(v, p);
    launch<float>(v, p);
    kt_<<<1, 1>>>(p, 1);
    return 0;
}
