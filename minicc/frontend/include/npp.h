// NPP's limits of types, which device code of its users names; its functions are the host's.
#pragma once
#define NPP_MIN_8U 0
#define NPP_MAX_8U 255
#define NPP_MIN_16U 0
#define NPP_MAX_16U 65535
#define NPP_MIN_32U 0
#define NPP_MAX_32U 4294967295U
#define NPP_MIN_8S (-127 - 1)
#define NPP_MAX_8S 127
#define NPP_MIN_16S (-32767 - 1)
#define NPP_MAX_16S 32767
#define NPP_MIN_32S (-2147483647 - 1)
#define NPP_MAX_32S 2147483647
