// What device code asks of graphs: the driver links it.
extern "C" __device__ cudaError_t cudaGraphKernelNodeSetEnabled(cudaGraphDeviceNode_t node, bool enable);

__global__ void decide(cudaGraphConditionalHandle h, const int *left) { cudaGraphSetConditional(h, *left > 0); }

__global__ void update(cudaGraphDeviceNode_t node, float v, int *results) {
    float w = v + 1;
    results[0] = cudaGraphKernelNodeSetEnabled(node, v > 0);
    results[1] = cudaGraphKernelNodeSetParam(node, 8, w);
}
