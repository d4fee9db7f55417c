// Containers and pointers of the host, as far as the types of what a kernel is launched with come from them.
namespace std {
struct type_info {
    void *table_;
    const char *name_;
    const char *name() const;
    size_t hash_code() const;
    bool operator==(const type_info &o) const;
};
struct type_index {
    const type_info *target_;
    type_index(const type_info &t);
    const char *name() const;
    size_t hash_code() const;
    bool operator==(const type_index &o) const;
    bool operator<(const type_index &o) const;
};
template <typename T> struct hash { size_t operator()(const T &v) const; };
template <typename T> struct allocator {
    typedef T value_type;
    template <typename U> struct rebind { typedef allocator<U> other; };
};
template <typename A, typename U> struct __rebound { typedef typename A::template rebind<U>::other type; };
template <template <typename, typename...> class A, typename T, typename... Rest, typename U>
struct __rebound<A<T, Rest...>, U> { typedef A<U, Rest...> type; };
template <typename A> struct allocator_traits {
    typedef A allocator_type;
    typedef typename A::value_type value_type;
    typedef value_type *pointer;
    typedef const value_type *const_pointer;
    typedef size_t size_type;
    typedef long difference_type;
    template <typename U> using rebind_alloc = typename __rebound<A, U>::type;
    template <typename U> using rebind_traits = allocator_traits<rebind_alloc<U>>;
};
template <typename T> struct __container {
    typedef T value_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef size_t size_type;
    typedef long difference_type;
    typedef T *iterator;
    typedef const T *const_iterator;
    T *first_, *last_, *room_;
    T &operator[](size_t i);
    const T &operator[](size_t i) const;
    T &at(size_t i);
    const T &at(size_t i) const;
    T &front();
    const T &front() const;
    T &back();
    const T &back() const;
    T *begin();
    const T *begin() const;
    T *end();
    const T *end() const;
    const T *cbegin() const;
    const T *cend() const;
    size_t size() const;
    size_t capacity() const;
    bool empty() const;
    void clear();
    void reserve(size_t n);
    void resize(size_t n);
    void resize(size_t n, const T &v);
    void assign(size_t n, const T &v);
    void push_back(const T &v);
    void pop_back();
    void shrink_to_fit();
    template <typename... A> T &emplace_back(A &&...a);
    template <typename... A> T *insert(A &&...a);
};
template <typename T, typename A = allocator<T>> struct vector : __container<T> {
    vector();
    explicit vector(size_t n);
    vector(size_t n, const T &v);
    template <typename I, typename J> vector(I first, J last);
    vector(initializer_list<T> l);
    vector(const vector &o);
    T *data();
    const T *data() const;
};
template <typename T, typename A = allocator<T>> struct host_vector : __container<T> {
    host_vector();
    explicit host_vector(size_t n);
    host_vector(size_t n, const T &v);
    template <typename I, typename J> host_vector(I first, J last);
    host_vector(initializer_list<T> l);
    template <typename U> host_vector(const U &o);
    T *data();
    const T *data() const;
};
template <typename T> struct device_reference {
    T *at_;
    device_ptr<T> operator&() const;
    operator T() const;
    device_reference &operator=(const T &v);
};
template <typename T, typename A = allocator<T>> struct device_vector {
    typedef T value_type;
    typedef device_ptr<T> iterator;
    typedef device_ptr<T> pointer;
    typedef device_reference<T> reference;
    T *first_, *last_, *room_;
    device_vector();
    explicit device_vector(size_t n);
    device_vector(size_t n, const T &v);
    template <typename I, typename J> device_vector(I first, J last);
    device_vector(initializer_list<T> l);
    template <typename U> device_vector(const U &o);
    device_reference<T> operator[](size_t i) const;
    device_reference<T> front() const;
    device_reference<T> back() const;
    device_ptr<T> begin() const;
    device_ptr<T> end() const;
    device_ptr<T> data();
    device_ptr<const T> data() const;
    size_t size() const;
    bool empty() const;
    void clear();
    void resize(size_t n);
    void resize(size_t n, const T &v);
    void push_back(const T &v);
};
struct string : __container<char> {
    static const size_t npos = -1;
    char short_[8];
    string();
    string(const char *text);
    string(const string &o);
    const char *c_str() const;
    char *data();
    const char *data() const;
    size_t length() const;
    size_t find(const string &text) const;
    string substr(size_t at) const;
    string substr(size_t at, size_t n) const;
    string &operator+=(const string &o);
    string &operator=(const char *text);
    bool operator==(const string &o) const;
    bool operator!=(const string &o) const;
};
template <typename T> __host__ string to_string(const T &v);
__host__ int stoi(const string &text);
__host__ long stol(const string &text);
__host__ float stof(const string &text);
__host__ double stod(const string &text);
template <typename T> struct __pointer_of { typedef T type; };
template <typename T> struct __pointer_of<T[]> { typedef T type; };
template <typename T> struct __owner {
    typedef typename __pointer_of<T>::type element_type;
    element_type *p_;
    element_type *get() const;
    element_type &operator*() const;
    element_type *operator->() const;
    element_type &operator[](size_t i) const;
    explicit operator bool() const;
    void reset();
    void reset(element_type *p);
    element_type *release();
};
template <typename T> struct default_delete {};
template <typename T, typename D = default_delete<T>> struct unique_ptr : __owner<T> {
    unique_ptr();
    explicit unique_ptr(typename __pointer_of<T>::type *p);
    unique_ptr(const unique_ptr &o);
};
template <typename T> struct shared_ptr : __owner<T> {
    void *count_;
    shared_ptr();
    explicit shared_ptr(typename __pointer_of<T>::type *p);
    shared_ptr(const shared_ptr &o);
};
template <typename T, typename... A> __host__ unique_ptr<T> make_unique(A &&...a) {
    return unique_ptr<T>(new T(a...));
}
template <typename T, typename... A> __host__ shared_ptr<T> make_shared(A &&...a) {
    return shared_ptr<T>(new T(a...));
}
template <typename F> struct function;
template <typename R, typename... A> struct function<R(A...)> {
    void *data_[4];
    function();
    template <typename F> function(F f);
    R operator()(A... a) const;
    explicit operator bool() const;
};
template <typename K, typename V, typename... Rest> struct map : __container<pair<const K, V>> {
    typedef K key_type;
    typedef V mapped_type;
    void *more_[3];
    V &operator[](const K &k);
    V &at(const K &k);
    pair<const K, V> *find(const K &k);
    size_t count(const K &k) const;
};
template <typename K, typename V, typename... Rest> struct multimap : map<K, V> {};
template <typename K, typename V, typename... Rest> struct unordered_map : map<K, V> { void *rest_; };
template <typename K, typename... Rest> struct set : __container<K> {
    typedef K key_type;
    void *more_[3];
    set();
    template <typename I, typename J> set(I first, J last);
    const K *find(const K &k) const;
    size_t count(const K &k) const;
    size_t erase(const K &k);
};
template <typename K, typename... Rest> struct multiset : set<K> {};
template <typename K, typename... Rest> struct unordered_set : set<K> { void *rest_; };
template <typename T, typename... Rest> struct list : __container<T> {
    list();
    explicit list(size_t n);
    void push_front(const T &v);
    void pop_front();
};
template <typename T, typename... Rest> struct deque : list<T> {
    void *more_[7];
    deque();
    explicit deque(size_t n);
};
template <typename T, typename... Rest> struct queue : deque<T> {
    void push(const T &v);
    void pop();
};
template <typename T, typename... Rest> struct stack : queue<T> { T &top(); };
template <typename T, int N> struct __random_engine {
    typedef T result_type;
    unsigned long state_[N];
    __random_engine();
    explicit __random_engine(unsigned long seed);
    T operator()();
};
typedef __random_engine<unsigned long, 625> mt19937;
typedef __random_engine<unsigned long, 313> mt19937_64;
typedef __random_engine<unsigned long, 1> default_random_engine;
typedef __random_engine<unsigned, 625> random_device;
}
