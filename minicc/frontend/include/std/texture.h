// Texture and surface objects: templates over built-ins that become PTX's tex, tld4, suld and sust (emit/texture.py).
template <typename T> struct __mcc_texel;
#define TEXEL(T, E, K) template <> struct __mcc_texel<T> { static const int kind = K, size = sizeof(E); };
#define TEXELS(name, E, K) TEXEL(E, E, K) TEXEL(name##1, E, K) TEXEL(name##2, E, K) TEXEL(name##3, E, K) TEXEL(name##4, E, K)
TEXEL(char, char, 1)
TEXELS(char, signed char, 1)
TEXELS(uchar, unsigned char, 2)
TEXELS(short, short, 1)
TEXELS(ushort, unsigned short, 2)
TEXELS(int, int, 1)
TEXELS(uint, unsigned int, 2)
TEXELS(long, long, 1)
TEXELS(ulong, unsigned long, 2)
TEXELS(longlong, long long, 1)
TEXELS(ulonglong, unsigned long long, 2)
TEXELS(float, float, 0)

#define LIST(...) __VA_ARGS__
#define GIVES(name, handle, parameters, arguments) template <typename T> __device__ inline T name(handle, parameters) { T r; name(&r, t, arguments); return r; }
// place: layer, x, y, z. more: level, then the two gradients.
#define TEXTURE(name, geometry, extra, parameters, arguments, place, more) template <typename T> __device__ inline void name(T *p, cudaTextureObject_t t, parameters) { __tex_fetch(__mcc_texel<T>::kind, __mcc_texel<T>::size, (int)sizeof(T), geometry, extra, p, t, place, more); } GIVES(name, cudaTextureObject_t t, LIST(parameters), LIST(arguments))
#define PLAIN 0, 0, 0, 0, 0, 0, 0
#define LEVEL lod, 0, 0, 0, 0, 0, 0
#define GRADIENT1 0, dx, 0, 0, dy, 0, 0
#define GRADIENT2 0, dx.x, dx.y, 0, dy.x, dy.y, 0
#define GRADIENT3 0, dx.x, dx.y, dx.z, dy.x, dy.y, dy.z
#define FAMILY(name, tail, geometry, parameters, arguments, place, vector, gradient) TEXTURE(name##tail, geometry, 0, LIST(parameters), LIST(arguments), LIST(place), LIST(PLAIN)) TEXTURE(name##tail##Lod, geometry, 1, LIST(parameters, float lod), LIST(arguments, lod), LIST(place), LIST(LEVEL)) TEXTURE(name##tail##Grad, geometry, 2, LIST(parameters, vector dx, vector dy), LIST(arguments, dx, dy), LIST(place), LIST(gradient))
TEXTURE(tex1Dfetch, 0, 0, int x, x, LIST(x, 0, 0, 0), LIST(PLAIN))
FAMILY(tex1D, , 1, float x, x, LIST(0, x, 0, 0), float, GRADIENT1)
FAMILY(tex2D, , 2, LIST(float x, float y), LIST(x, y), LIST(0, x, y, 0), float2, GRADIENT2)
FAMILY(tex3D, , 3, LIST(float x, float y, float z), LIST(x, y, z), LIST(0, x, y, z), float4, GRADIENT3)
FAMILY(tex1D, Layered, 4, LIST(float x, int layer), LIST(x, layer), LIST(layer, x, 0, 0), float, GRADIENT1)
FAMILY(tex2D, Layered, 5, LIST(float x, float y, int layer), LIST(x, y, layer), LIST(layer, x, y, 0), float2, GRADIENT2)
FAMILY(texCubemap, , 6, LIST(float x, float y, float z), LIST(x, y, z), LIST(0, x, y, z), float4, GRADIENT3)
FAMILY(texCubemap, Layered, 7, LIST(float x, float y, float z, int layer), LIST(x, y, z, layer), LIST(layer, x, y, z), float4, GRADIENT3)
#define GATHER(extra) __tex_fetch(__mcc_texel<T>::kind, __mcc_texel<T>::size, (int)sizeof(T), 2, extra, p, t, 0, x, y, 0, PLAIN)
template <typename T> __device__ inline void tex2Dgather(T *p, cudaTextureObject_t t, float x, float y, int component = 0) {
    if (component == 1) GATHER(4);
    else if (component == 2) GATHER(5);
    else if (component == 3) GATHER(6);
    else GATHER(3);
}
template <typename T> __device__ inline T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) { T r; tex2Dgather(&r, t, x, y, component); return r; }

// x counts bytes. A cubemap is a layered surface of six faces.
#define SURFACE(store, mode, geometry, p, place) __surf_access(store, mode, __mcc_texel<T>::size, (int)sizeof(T), geometry, p, s, place)
#define ACCESS(store, geometry, p, place) if (mode == cudaBoundaryModeClamp) SURFACE(store, 1, geometry, p, LIST(place)); else if (mode == cudaBoundaryModeZero) SURFACE(store, 0, geometry, p, LIST(place)); else SURFACE(store, 2, geometry, p, LIST(place));
#define MODE cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
#define SURFACES(name, geometry, parameters, arguments, place) template <typename T> __device__ inline void name##read(T *p, cudaSurfaceObject_t s, parameters, MODE) { ACCESS(0, geometry, p, LIST(place)) } template <typename T> __device__ inline T name##read(cudaSurfaceObject_t s, parameters, MODE) { T r; name##read(&r, s, arguments, mode); return r; } template <typename T> __device__ inline void name##write(T v, cudaSurfaceObject_t s, parameters, MODE) { ACCESS(1, geometry, &v, LIST(place)) }
SURFACES(surf1D, 1, int x, x, LIST(0, x, 0, 0))
SURFACES(surf2D, 2, LIST(int x, int y), LIST(x, y), LIST(0, x, y, 0))
SURFACES(surf3D, 3, LIST(int x, int y, int z), LIST(x, y, z), LIST(0, x, y, z))
SURFACES(surf1DLayered, 4, LIST(int x, int layer), LIST(x, layer), LIST(layer, x, 0, 0))
SURFACES(surf2DLayered, 5, LIST(int x, int y, int layer), LIST(x, y, layer), LIST(layer, x, y, 0))
SURFACES(surfCubemap, 5, LIST(int x, int y, int face), LIST(x, y, face), LIST(face, x, y, 0))
SURFACES(surfCubemapLayered, 5, LIST(int x, int y, int layer), LIST(x, y, layer), LIST(layer, x, y, 0))
