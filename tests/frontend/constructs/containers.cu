#include <deque>
#include <queue>
#include <random>
#include <set>
#include <unordered_set>
#include <vector>

// Templates of the host whose parameters are containers: what they launch is known by those.
template <class T> __global__ void kernel(T *p) { *p = 1; }
template <class T, class S> void launched(std::vector<T> &v, const S &known, const std::unordered_set<T> &more, std::deque<T> &rest) {
    for (auto x : known) kernel<<<1, 1>>>(&x);
    kernel<<<1, 1>>>(v.data());
}
template <class T, class R> std::vector<T> keys(int n, R &random) { return std::vector<T>(n, random()); }
int main() {
    std::mt19937_64 random(1);
    auto v = keys<unsigned>(10, random);
    std::set<short> s;
    s.insert(3);
    std::unordered_set<unsigned> u;
    std::deque<unsigned> d;
    std::queue<float> q;
    kernel<<<1, 1>>>(&q.front());
    launched(v, s, u, d);
}

// Members of one instance: constructors, destructors, templates whose parameters have the class's names.
enum class Where { host, device };
template <Where W> class Sums {
  public:
    using size_type = unsigned long;
    Sums();
    Sums(const Sums &o) noexcept : p(o.p) {}
    ~Sums();
    template <class V> void add(V *v, size_type n);
    __device__ void update(size_type n) { *p += n; }
    int *p;
};
template <> Sums<Where::host>::Sums() : p(nullptr) {}
template <> Sums<Where::device>::Sums() { p = nullptr; }
template <> Sums<Where::device>::~Sums() { p = nullptr; }
template <class V> __global__ void added(Sums<Where::device> s, V *v, unsigned long n) { s.update(v[n]); }
template <> template <class V> void Sums<Where::device>::add(V *v, size_type n) { added<<<1, 1>>>(*this, v, n); }
template void Sums<Where::device>::add(unsigned long *, size_type);
