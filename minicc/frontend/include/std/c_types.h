// Types of the C library that nvcc's own headers bring in: the host's, with the host's layout.
typedef struct _IO_FILE FILE;
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
struct timespec {
    long tv_sec, tv_nsec;
};
struct timeval {
    long tv_sec, tv_usec;
};
typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
