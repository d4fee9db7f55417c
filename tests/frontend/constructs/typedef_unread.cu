// A typedef reads no class: this one's body is wrong for int, and nobody needs it.
template <class T> struct Wrong { static_assert(sizeof(T) == 1, "only bytes"); T t; };
typedef Wrong<int> Named;
typedef const Wrong<int> Other;
using Third = const Named;
__global__ void k(Named *a, Other *b, Third **c, int *o) { o[0] = a != nullptr && b == a && c; }
