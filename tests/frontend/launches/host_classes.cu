// Classes of the host's own that have bases and members which are not known here, and launch kernels.
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>

template <class T, int Site> __global__ void k(T *p) { *p = T(Site); }

class Job : public std::enable_shared_from_this<Job> {
  public:
    void run() {
        int *p = nullptr;
        k<int, 1><<<1, 1>>>(p);
    }
    std::thread worker;
};

class Task : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    void go();
    float *data;
};
void Task::go() { k<float, 2><<<1, 1>>>(data); }

template <class T> class Solver : public std::enable_shared_from_this<Solver<T>> {
    T *mem;
    template <int Site> void launch() { k<T, Site><<<1, 1>>>(mem); }

  public:
    Solver() { launch<3>(); }
    void solve() { launch<4>(); }
    void never() { launch<5>(); }
};
void use() {
    Solver<double> s;
    s.solve();
}

class Outer {
    struct Impl;
    std::unique_ptr<Impl> impl;
    std::condition_variable changed;
    void all();
};
struct Outer::Impl {
    std::atomic<int> n;
    void run() { k<short, 6><<<1, 1>>>(nullptr); }
};
void Outer::all() { k<char, 7><<<2, 2>>>(nullptr); }

struct Table {
    std::unordered_map<std::string, std::function<void(int)>> work;
    std::ofstream out;
    Table() {
        work["x"] = [](int) { k<unsigned, 8><<<1, 1>>>(nullptr); };
    }
    void each(std::function<void()> f, long *q, int n = 1 < 2) {
        k<long, 9><<<n, 1>>>(q);
        f();
    }
};

template <class T, int Site> void start(T *p) { k<T, Site><<<1, 1>>>(p); }
void other(std::function<void(int)> f, std::thread &&t, double *d, int n) { start<double, 10>(d); }

int main() { return 0; }
