// Members closer than their alignment: #pragma pack, attributes, bit-fields.
#pragma pack(push, 1)
struct P1 { char a; int b; short c; double d; int f : 5; int g : 30; };
#pragma pack(pop)
static_assert(sizeof(P1) == 20, "");
struct __attribute__((packed)) P2 { char a; unsigned b; };
static_assert(sizeof(P2) == 5 && alignof(P2) == 1, "");
typedef struct { char a; double b; } __attribute__((packed)) P3;
static_assert(sizeof(P3) == 9, "");
#pragma pack(2)
struct P4 { char a; int b; template <typename T> struct In { char c; T t; }; };
#pragma pack()
static_assert(sizeof(P4) == 6 && alignof(P4) == 2, "");
static_assert(sizeof(P4::In<double>) == 10, "");
struct P5 { char a; int b; }; static_assert(sizeof(P5) == 8, "");
struct P6 { int a : 5; int b : 30; char c; short d : 9; short e : 9; }; static_assert(sizeof(P6) == 12 + 4, "");
__global__ void k(P1 *p, P6 *q) { p->f = q->a; p->g += q->b; q->e = p->c + p->d; }
