#include <cmath>
#include <iostream>
using namespace std;

// What both :: and the directive lead to is one function.
__global__ void doubles(double *x) {
    x[0] = sin(x[1]) + cos(x[1]) + tan(x[1]) + exp(x[1]) + sqrt(x[1]) + pow(x[1], 2.0) + fabs(x[1]) + abs(x[1]);
    x[1] = log(x[2]) + tanh(x[2]) + fmin(x[1], x[2]) + ceil(x[3]) + tan(3.14159265 / 4.0);
}

__global__ void floats(float *y, int n) {
    y[0] = sin(y[1]) + cos(y[1]) + tan(y[1]) + exp(y[1]) + sqrt(y[1]) + pow(y[1], 2.0f) + fabs(y[1]) + abs(y[1]);
    y[1] = log(y[1]) + atan2(y[1], y[2]) + max(y[1], y[2]) + min(n, 3) + abs(n) + std::sin(y[2]) + ::cos(y[3]);
    static_assert(sizeof(sin(y[1])) == sizeof(float), "its own overload");
    static_assert(sizeof(sin(1.0)) == sizeof(double), "its own overload");
}
