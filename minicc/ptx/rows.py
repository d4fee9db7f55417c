"""The rows of `isa`: one PTX instruction form a line. Source: PTX ISA 9.0, "Instruction Set"; ptxas 13.0 was asked
where it is silent."""

from __future__ import annotations

_I = "u16,u32,u64,s16,s32,s64"
TYPES = {
    "int": _I,
    "i32": "u32,s32",
    "i64": "u64,s64",
    "i16": "u16,s16",
    "ints": "u8,u16,u32,u64,s8,s16,s32,s64",
    "signed": "s16,s32,s64",
    "unsigned": "u16,u32,u64",
    "bits": "pred,b16,b32,b64",
    "b": "b16,b32,b64",
    "mov": "pred,b16,b32,b64,b128,u16,u32,u64,s16,s32,s64,f32,f64",
    "any": "b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64",
    "mem": "b8,b16,b32,b64,b128,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64",
    "cvt": "u8,u16,u32,u64,s8,s16,s32,s64,f16,bf16,f32,f64",
    "half": "f16,f16x2,bf16,bf16x2",
    "eqs": "eq/ne",
    "signs": "eq/ne/lt/le/gt/ge",
    "unsigs": "eq/ne/lt/le/gt/ge/lo/ls/hi/hs",
    "floats": "eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan",
}
_SCOPE = "(cta/cluster/gpu/sys)?"
_EVICT = (
    "(L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate)? "
    "L2::cache_hint? (L2::64B/L2::128B/L2::256B)?"
)
_STORED = _EVICT.rsplit(" ", 1)[0]
_PACKED = "b8x16? (b6x16_p32/b4x16_p64)?"
_FIXED = "(const/local/param/param::entry/param::func/shared/shared::cta/shared::cluster)"
_WINDOW = "(global/shared/shared::cta/shared::cluster)?"
_LEVELS = "(L2::evict_last/L2::evict_normal/L2::evict_first/L2::evict_unchanged) (L2::evict_first/L2::evict_unchanged)?"
_ORDER = "(relaxed/acquire/release/acq_rel)?"

ROWS = f"""
add | T:int | d:T a:T b:T
add | sat T:s32 | d:T a:T b:T
add | cc T:i32,i64 | d:T a:T b:T
add | (rn/rz/rm/rp)? ftz? sat? T:f32 | d:T a:T b:T
add | (rn/rz/rm/rp)? T:f64 | d:T a:T b:T
add | rn? ftz? sat? T:f16,f16x2 | d:T g:T g:T | 4.2, 53
add | rn? T:bf16,bf16x2 | d:T g:T g:T | 7.8, 90
add | T:u16x2,s16x2 | d:T g:T g:T | 8.0, 90
add | (rn/rz/rm/rp)? ftz? T:f32x2 | d:b64 a:b64 b:b64 | 8.6, 100
sub | T:int | d:T a:T b:T
sub | sat T:s32 | d:T a:T b:T
sub | cc T:i32,i64 | d:T a:T b:T
sub | (rn/rz/rm/rp)? ftz? sat? T:f32 | d:T a:T b:T
sub | (rn/rz/rm/rp)? T:f64 | d:T a:T b:T
sub | rn? ftz? sat? T:f16,f16x2 | d:T g:T g:T | 4.2, 53
sub | rn? T:bf16,bf16x2 | d:T g:T g:T | 7.8, 90
addc | cc? T:i32,i64 | d:T a:T b:T
addc | T:i16 | d:T a:T b:T
addc | sat T:s32 | d:T a:T b:T
subc | cc? T:i32,i64 | d:T a:T b:T
subc | T:i16 | d:T a:T b:T
subc | sat T:s32 | d:T a:T b:T
mul | (hi/lo) T:int | d:T a:T b:T
mul | wide T:i16 | d:u32 a:T b:T
mul | wide T:i32 | d:u64 a:T b:T
mul | (rn/rz/rm/rp)? ftz? sat? T:f32 | d:T a:T b:T
mul | (rn/rz/rm/rp)? T:f64 | d:T a:T b:T
mul | rn? ftz? sat? T:f16,f16x2 | d:T g:T g:T | 4.2, 53
mul | rn? T:bf16,bf16x2 | d:T g:T g:T | 7.8, 90
mad | (hi/lo) T:int | d:T a:T b:T c:T
mad | hi sat T:s32 | d:T a:T b:T c:T
mad | (hi/lo) cc T:i32,i64 | d:T a:T b:T c:T
mad | wide T:i16 | d:u32 a:T b:T c:u32
mad | wide T:i32 | d:u64 a:T b:T c:u64
mad | (rn/rz/rm/rp)? ftz? sat? T:f32 | d:T a:T b:T c:T
mad | (rn/rz/rm/rp) T:f64 | d:T a:T b:T c:T
madc | (hi/lo) cc? T:i32,i64 | d:T a:T b:T c:T
madc | (hi/lo) T:i16 | d:T a:T b:T c:T
madc | hi sat T:s32 | d:T a:T b:T c:T
fma | (rn/rz/rm/rp) ftz? sat? T:f32 | d:T a:T b:T c:T
fma | (rn/rz/rm/rp) T:f64 | d:T a:T b:T c:T
fma | rn ftz? sat? T:f16,f16x2 | d:T g:T g:T g:T | 4.2, 53
fma | rn ftz? relu T:f16,f16x2 | d:T g:T g:T g:T | 7.0, 80
fma | rn relu? T:bf16,bf16x2 | d:T g:T g:T g:T | 7.0, 80
fma | rn oob relu? T:half | d:T g:T g:T g:T | 8.1, 90
mul24 | (hi/lo) T:i32 | d:T a:T b:T
mad24 | (hi/lo) T:i32 | d:T a:T b:T c:T
mad24 | hi sat T:s32 | d:T a:T b:T c:T
sad | T:int | d:T a:T b:T c:T
div | T:int | d:T a:T b:T
div | (approx/full/rn/rz/rm/rp) ftz? T:f32 | d:T a:T b:T
div | (rn/rz/rm/rp) T:f64 | d:T a:T b:T
rem | T:int | d:T a:T b:T
abs | T:s16,s32,s64 | d:T a:T
abs | ftz? T:f32 | d:T a:T
abs | T:f64 | d:T a:T
abs | ftz? T:f16,f16x2 | d:T g:T | 6.5, 53
abs | T:bf16,bf16x2 | d:T g:T
neg | T:s16,s32,s64 | d:T a:T
neg | ftz? T:f32 | d:T a:T
neg | T:f64 | d:T a:T
neg | ftz? T:f16,f16x2 | d:T g:T | 6.0, 53
neg | T:bf16,bf16x2 | d:T g:T
min | T:int | d:T a:T b:T
min | relu T:s32 | d:T a:T b:T | 8.0, 90
min | T:u16x2 | d:T g:T g:T | 8.0, 90
min | relu? T:s16x2 | d:T g:T g:T | 8.0, 90
min | ftz? NaN? T:f32 | d:T a:T b:T
min | ftz? NaN? xorsign abs T:f32 | d:T a:T b:T | 7.2, 86
min | ftz? NaN? abs? T:f32 | d:T a:T b:T c:T | 8.8, 100
min | T:f64 | d:T a:T b:T
min | ftz? NaN? T:f16,f16x2 | d:T g:T g:T | 7.0, 80
min | ftz? NaN? xorsign abs T:f16,f16x2 | d:T g:T g:T | 7.2, 86
min | NaN? T:bf16,bf16x2 | d:T g:T g:T
min | NaN? xorsign abs T:bf16,bf16x2 | d:T g:T g:T | 7.2, 86
max | T:int | d:T a:T b:T
max | relu T:s32 | d:T a:T b:T | 8.0, 90
max | T:u16x2 | d:T g:T g:T | 8.0, 90
max | relu? T:s16x2 | d:T g:T g:T | 8.0, 90
max | ftz? NaN? T:f32 | d:T a:T b:T
max | ftz? NaN? xorsign abs T:f32 | d:T a:T b:T | 7.2, 86
max | ftz? NaN? abs? T:f32 | d:T a:T b:T c:T | 8.8, 100
max | T:f64 | d:T a:T b:T
max | ftz? NaN? T:f16,f16x2 | d:T g:T g:T | 7.0, 80
max | ftz? NaN? xorsign abs T:f16,f16x2 | d:T g:T g:T | 7.2, 86
max | NaN? T:bf16,bf16x2 | d:T g:T g:T
max | NaN? xorsign abs T:bf16,bf16x2 | d:T g:T g:T | 7.2, 86
popc | T:b32,b64 | d:u32 a:T
clz | T:b32,b64 | d:u32 a:T
bfind | shiftamt? T:i32,i64 | d:u32 a:T
brev | T:b32,b64 | d:T a:T
bfe | T:i32,i64 | d:T a:T b:u32..255 c:u32..255
bfi | T:b32,b64 | d:T a:T b:T c:u32..255 e:u32..255
bmsk | (clamp/wrap) T:b32 | d:u32 a:u32 b:u32 | 7.6, 70
szext | (clamp/wrap) T:i32 | d:T a:T b:u32 | 7.6, 70
fns | T:b32 | d:T a:T b:b32 c:b32 | 6.0, 0
dp4a | T:i32 S:i32 | d:u32 a:T b:S c:u32 | 5.0, 61
dp2a | (lo/hi) T:i32 S:i32 | d:u32 a:T b:S c:u32 | 5.0, 61
rcp | (approx/rn/rz/rm/rp) ftz? T:f32 | d:T a:T
rcp | (rn/rz/rm/rp) ftz? T:f64 | d:T a:T
rcp | approx ftz T:f64 | d:T a:T
sqrt | (approx/rn/rz/rm/rp) ftz? T:f32 | d:T a:T
sqrt | (rn/rz/rm/rp) T:f64 | d:T a:T
rsqrt | approx ftz? T:f32,f64 | d:T a:T
sin | approx ftz? T:f32 | d:T a:T
cos | approx ftz? T:f32 | d:T a:T
lg2 | approx ftz? T:f32 | d:T a:T
ex2 | approx ftz? T:f32 | d:T a:T
ex2 | approx T:f16,f16x2 | d:T a:T | 7.0, 75
ex2 | approx ftz T:bf16,bf16x2 | d:T a:T | 7.8, 90
tanh | approx T:f32,f16,f16x2 | d:T a:T | 7.0, 75
tanh | approx T:bf16,bf16x2 | d:T a:T | 7.8, 90
copysign | T:f32,f64 | d:T a:T b:T
testp | (finite/infinite/number/notanumber/normal/subnormal) T:f32,f64 | P a:T
and | T:bits | d:T a:T b:T
or | T:bits | d:T a:T b:T
xor | T:bits | d:T a:T b:T
not | T:bits | d:T a:T
cnot | T:b | d:T a:T
lop3 | T:b32 | d:T a:T b:T c:T # | 4.3, 50
lop3 | (or/and) T:b32 | d|p:T a:T b:T c:T # c! | 8.2, 70
shl | T:b | d:T a:T b:u32
shr | T:b,int | d:T a:T b:u32
shf | (l/r) (clamp/wrap) T:b32 | d:T a:T b:T c:u32 | 3.1, 32
prmt | T:b32 (f4e/b4e/rc8/ecl/ecr/rc16)? | d:T a:T b:T c:b32
setp | (eqs) T:b | p|q a:T a:T
setp | (eqs) (and/or/xor) T:b | p|q a:T a:T c!
setp | (signs) T:signed | p|q a:T a:T
setp | (signs) (and/or/xor) T:signed | p|q a:T a:T c!
setp | (unsigs) T:unsigned | p|q a:T a:T
setp | (unsigs) (and/or/xor) T:unsigned | p|q a:T a:T c!
setp | (floats) ftz? T:f32 | p|q a:T a:T
setp | (floats) (and/or/xor) ftz? T:f32 | p|q a:T a:T c!
setp | (floats) T:f64 | p|q a:T a:T
setp | (floats) (and/or/xor) T:f64 | p|q a:T a:T c!
setp | (floats) ftz? T:f16 | p g:T g:T
setp | (floats) (and/or/xor) ftz? T:f16 | p g:T g:T c!
setp | (floats) ftz? T:f16x2 | p|q g:T g:T
setp | (floats) (and/or/xor) ftz? T:f16x2 | p|q g:T g:T c!
setp | (floats) T:bf16 | p g:T g:T | 7.8, 90
setp | (floats) (and/or/xor) T:bf16 | p g:T g:T P | 7.8, 90
setp | (floats) T:bf16x2 | p|q g:T g:T | 7.8, 90
setp | (floats) (and/or/xor) T:bf16x2 | p|q g:T g:T P | 7.8, 90
set | (eqs) S:u32,s32,f32,f16 T:b | d:S a:T a:T
set | (eqs) S:bf16 T:b | d:S a:T a:T | 7.8, 90
set | (eqs) (and/or/xor) S:u32,s32,f32,f16 T:b | d:S a:T a:T c!
set | (eqs) (and/or/xor) S:bf16 T:b | d:S a:T a:T P | 7.8, 90
set | (signs) S:u32,s32,f32,f16 T:signed | d:S a:T a:T
set | (signs) S:bf16 T:signed | d:S a:T a:T | 7.8, 90
set | (signs) (and/or/xor) S:u32,s32,f32,f16 T:signed | d:S a:T a:T c!
set | (signs) (and/or/xor) S:bf16 T:signed | d:S a:T a:T P | 7.8, 90
set | (unsigs) S:u32,s32,f32,f16 T:unsigned | d:S a:T a:T
set | (unsigs) S:bf16 T:unsigned | d:S a:T a:T | 7.8, 90
set | (unsigs) (and/or/xor) S:u32,s32,f32,f16 T:unsigned | d:S a:T a:T c!
set | (unsigs) (and/or/xor) S:bf16 T:unsigned | d:S a:T a:T P | 7.8, 90
set | (floats) ftz? S:u32,s32,f32,f16 T:f32 | d:S a:T a:T
set | (floats) S:bf16 T:f32 | d:S a:T a:T | 7.8, 90
set | (floats) (and/or/xor) ftz? S:u32,s32,f32,f16 T:f32 | d:S a:T a:T c!
set | (floats) (and/or/xor) S:bf16 T:f32 | d:S a:T a:T P | 7.8, 90
set | (floats) S:u32,s32,f32,f16 T:f64 | d:S a:T a:T
set | (floats) S:bf16 T:f64 | d:S a:T a:T | 7.8, 90
set | (floats) (and/or/xor) S:u32,s32,f32,f16 T:f64 | d:S a:T a:T c!
set | (floats) (and/or/xor) S:bf16 T:f64 | d:S a:T a:T P | 7.8, 90
set | (floats) ftz? S:u16,s16,u32,s32 T:f16 | d:S g:T g:T | 6.5, 53
set | (floats) ftz? S:f16 T:f16 | d:S g:T g:T
set | (floats) S:bf16 T:f16 | d:S g:T g:T | 7.8, 90
set | (floats) (and/or/xor) ftz? S:u16,s16,u32,s32 T:f16 | d:S g:T g:T c! | 6.5, 53
set | (floats) (and/or/xor) ftz? S:f16 T:f16 | d:S g:T g:T c!
set | (floats) (and/or/xor) S:bf16 T:f16 | d:S g:T g:T P | 7.8, 90
set | (floats) ftz? S:u32,s32 T:f16x2 | d:S g:T g:T | 6.5, 53
set | (floats) ftz? S:f16x2 T:f16x2 | d:S g:T g:T
set | (floats) (and/or/xor) ftz? S:u32,s32 T:f16x2 | d:S g:T g:T c! | 6.5, 53
set | (floats) (and/or/xor) ftz? S:f16x2 T:f16x2 | d:S g:T g:T c!
set | (floats) S:u16,s16,u32,s32,bf16 T:bf16 | d:S g:T g:T | 7.8, 90
set | (floats) (and/or/xor) S:u16,s16,u32,s32,bf16 T:bf16 | d:S g:T g:T P | 7.8, 90
set | (floats) S:u32,s32,bf16x2 T:bf16x2 | d:S g:T g:T | 7.8, 90
set | (floats) (and/or/xor) S:u32,s32,bf16x2 T:bf16x2 | d:S g:T g:T P | 7.8, 90
selp | T:any | d:T a:T b:T c!
slct | T:any S:s32,f32 | d:T a:T b:T c:S
slct | ftz T:any S:f32 | d:T a:T b:T c:S
mov | T:mov | x:T x:T
mov | (v2/v4) T:b16,b32,u16,u32,s16,s32,f32 | v:T s:T
mov | v2 T:b64,u64,s64,f64 | v:T s:T
cvt | T:u8,u16,u32,u64,s16,s32,s64 S:u8 | d:~T a:~S
cvt | sat? T:s8 S:u8 | d:~T a:~S
cvt | T:u16,u32,u64,s32,s64 S:u16 | d:~T a:~S
cvt | sat? T:u8,s8,s16 S:u16 | d:~T a:~S
cvt | T:u32,u64,s64 S:u32 | d:~T a:~S
cvt | sat? T:u8,u16,s8,s16,s32 S:u32 | d:~T a:~S
cvt | T:u64 S:u64 | d:~T a:~S
cvt | sat? T:u8,u16,u32,s8,s16,s32,s64 S:u64 | d:~T a:~S
cvt | T:s8,s16,s32,s64 S:s8 | d:~T a:~S
cvt | sat? T:u8,u16,u32,u64 S:s8 | d:~T a:~S
cvt | T:s16,s32,s64 S:s16 | d:~T a:~S
cvt | sat? T:u8,u16,u32,u64,s8 S:s16 | d:~T a:~S
cvt | T:s32,s64 S:s32 | d:~T a:~S
cvt | sat? T:u8,u16,u32,u64,s8,s16 S:s32 | d:~T a:~S
cvt | T:s64 S:s64 | d:~T a:~S
cvt | sat? T:u8,u16,u32,u64,s8,s16,s32 S:s64 | d:~T a:~S
cvt | (rni/rzi/rmi/rpi) sat? T:ints S:f16 | d:~T g:~S
cvt | (rni/rzi/rmi/rpi) sat? T:ints S:f64 | d:~T a:~S
cvt | (rni/rzi/rmi/rpi) ftz? sat? T:ints S:f32 | d:~T a:~S
cvt | (rni/rzi/rmi/rpi) T:int S:bf16 | d:~T g:S | 7.8, 90
cvt | (rni/rzi/rmi/rpi) T:u8,s8 S:bf16 | d:T g:S | 7.8, 90
cvt | (rn/rz/rm/rp) sat? T:f16,f64 S:ints | d:~T a:~S
cvt | (rn/rz/rm/rp) ftz? sat? T:f32 S:ints | d:~T a:~S
cvt | (rn/rz/rm/rp) T:bf16 S:int | d:T a:~S | 7.8, 90
cvt | (rni/rzi/rmi/rpi)? sat? T:f16 S:f16 | d:~T g:~S
cvt | (rni/rzi/rmi/rpi)? sat? T:f64 S:f64 | d:~T a:~S
cvt | (rni/rzi/rmi/rpi)? ftz? sat? T:f32 S:f32 | d:~T a:~S
cvt | (rni/rzi/rmi/rpi)? T:bf16 S:bf16 | d:T g:S | 7.8, 90
cvt | (rn/rz/rm/rp) sat? T:f16 S:f64 | d:~T a:~S
cvt | (rn/rz/rm/rp) ftz? sat? T:f16 S:f32 | d:~T a:~S
cvt | (rn/rz/rm/rp) ftz? sat? T:f32 S:f64 | d:~T a:~S
cvt | (rn/rz/rm/rp) T:bf16 S:f64 | d:T a:~S | 7.8, 90
cvt | (rn/rz/rm/rp) ftz? T:bf16 S:f32 | d:T a:~S | 7.0, 80
cvt | (rn/rz) relu T:f16 S:f32 | d:~T a:~S
cvt | (rn/rz) satfinite relu? T:f16 S:f32 | d:~T a:~S | 8.1, 70
cvt | (rn/rz) relu T:bf16 S:f32 | d:T a:~S | 7.0, 80
cvt | (rn/rz) satfinite relu? T:bf16 S:f32 | d:T a:~S | 8.1, 80
cvt | sat? T:f64 S:f16 | d:~T g:~S
cvt | ftz? sat? T:f32 S:f16 | d:~T g:~S
cvt | ftz? sat? T:f64 S:f32 | d:~T a:~S
cvt | (rn/rz/rm/rp)? T:f16,f64 S:bf16 | d:T g:S | 7.8, 90
cvt | (rn/rz/rm/rp)? T:bf16 S:f16 | d:T g:~S | 7.8, 90
cvt | (rn/rz/rm/rp)? T:f32 S:bf16 | d:~T g:S | 7.1, 80
cvt | (rn/rz/rm/rp)? ftz T:f32 S:bf16 | d:~T g:S | 7.8, 90
cvt | (rn/rz) relu? T:f16x2,bf16x2 S:f32 | d:T a:f32 b:f32 | 7.0, 80
cvt | (rn/rz) satfinite relu? T:f16x2,bf16x2 S:f32 | d:T a:f32 b:f32 | 8.1, 80
cvt | rs satfinite? relu? T:f16x2,bf16x2 S:f32 | d:b32 a:f32 b:f32 e:b32 | 8.7, 100
cvt | rn satfinite relu? T:e4m3x2,e5m2x2 S:f32 | d:T a:f32 b:f32 | 7.8, 89
cvt | rn satfinite relu? T:e4m3x2,e5m2x2 S:f16x2 | d:T a:S | 7.8, 89
cvt | rn relu? T:f16x2 S:e4m3x2,e5m2x2 | d:T a:S | 7.8, 89
cvt | rna T:tf32 S:f32 | d:T a:f32 | 7.0, 80
cvt | rna satfinite T:tf32 S:f32 | d:T a:f32 | 8.1, 80
cvt | (rn/rz) relu? T:tf32 S:f32 | d:T a:f32 | 7.8, 90
cvt | (rn/rz) satfinite relu? T:tf32 S:f32 | d:b32 a:f32 | 8.6, 100
cvt | pack sat T:u16,s16 S:s32 | d:u32 a:u32 b:u32 | 6.5, 72
cvt | pack sat T:u8,s8,u4,s4,u2,s2 S:s32 U:b32 | d:u32 a:u32 b:u32 c:u32 | 6.5, 72
cvta | (const/global/local/shared/shared::cta/shared::cluster/param/param::entry) T:u32,u64 | d:T n:T
cvta | to (const/global/local/shared/shared::cta/shared::cluster/param/param::entry) T:u32,u64 | d:T n:T
isspacep | (const/global/local/shared/shared::cta/shared::cluster/param/param::entry) | P a:u64
isspacep | (const/global/local/shared/shared::cta/shared::cluster/param/param::entry) | P a:u32
ld | weak? (global)? (ca/cg/cs/lu/cv)? L2::cache_hint? (L2::64B/L2::128B/L2::256B)? (v2/v4/v8)? T:mem | v:~T @ k
ld | weak? (global)? {_EVICT} (v2/v4/v8)? T:mem | v:~T @ k
ld | weak? {_FIXED} (ca/cg/cs/lu/cv)? (v2/v4/v8)? T:mem | v:~T @
ld | (relaxed/acquire) (cta/cluster/gpu/sys) (global)? {_EVICT} (v2/v4/v8)? T:mem | v:~T @ k
ld | (relaxed/acquire) (cta/cluster/gpu/sys) (shared/shared::cta/shared::cluster) (v2/v4/v8)? T:mem | v:~T @
ld | volatile {_WINDOW} (v2/v4/v8)? T:mem | v:~T @
ld | mmio relaxed sys (global)? T:mem | v:~T @
ld | global (ca/cg/cs)? nc L2::cache_hint? (L2::64B/L2::128B/L2::256B)? (v2/v4/v8)? T:mem | v:~T @ k
ld | global nc {_EVICT} (v2/v4/v8)? T:mem | v:~T @ k
ldu | (global)? (v2/v4)? T:mem | v:~T @
st | weak? (global)? (wb/cg/cs/wt)? L2::cache_hint? (v2/v4/v8)? T:mem | @ v:~T k
st | weak? (global)? {_STORED} (v2/v4/v8)? T:mem | @ v:~T k
st | weak? (local/param/param::func/shared/shared::cta/shared::cluster) (wb/cg/cs/wt)? (v2/v4/v8)? T:mem | @ v:~T
st | (relaxed/release) (cta/cluster/gpu/sys) (global)? {_STORED} (v2/v4/v8)? T:mem | @ v:~T k
st | (relaxed/release) (cta/cluster/gpu/sys) (shared/shared::cta/shared::cluster) (v2/v4/v8)? T:mem | @ v:~T
st | volatile {_WINDOW} (v2/v4/v8)? T:mem | @ v:~T
st | mmio relaxed sys (global)? T:mem | @ v:~T
st | async weak? shared::cluster? mbarrier::complete_tx::bytes (v2/v4)? T:b32,b64,u32,u64,s32,s64,f32,f64 | @ v:T @
atom | {_ORDER} {_SCOPE} {_WINDOW} (and/or/xor) L2::cache_hint? T:b32,b64 | u:T @ a:T k
atom | {_ORDER} {_SCOPE} {_WINDOW} add L2::cache_hint? T:u32,s32,u64,f32,f64 | u:T @ a:T k
atom | {_ORDER} {_SCOPE} {_WINDOW} add noftz L2::cache_hint? T:f16,f16x2 | u:T @ a:T k
atom | {_ORDER} {_SCOPE} {_WINDOW} add noftz L2::cache_hint? T:bf16,bf16x2 | u:T @ a:T k | 7.8, 90
atom | {_ORDER} {_SCOPE} {_WINDOW} (min/max) L2::cache_hint? T:u32,s32,u64,s64 | u:T @ a:T k
atom | {_ORDER} {_SCOPE} {_WINDOW} (inc/dec) L2::cache_hint? T:u32 | u:T @ a:T k
atom | {_ORDER} {_SCOPE} (global)? (min/max) noftz L2::cache_hint? (v2/v4/v8) T:f16,bf16 | u:T @ v:T k | 8.1, 90
atom | {_ORDER} {_SCOPE} (global)? (min/max) noftz L2::cache_hint? (v2/v4) T:f16x2,bf16x2 | u:T @ v:T k | 8.1, 90
atom | {_ORDER} {_SCOPE} (global)? add noftz L2::cache_hint? (v2/v4/v8) T:f16,bf16 | u:T @ v:T k | 8.1, 90
atom | {_ORDER} {_SCOPE} (global)? add noftz L2::cache_hint? (v2/v4) T:f16x2,bf16x2 | u:T @ v:T k | 8.1, 90
atom | {_ORDER} {_SCOPE} (global)? add L2::cache_hint? (v2/v4) T:f32 | u:T @ v:T k | 8.1, 90
atom | {_ORDER} {_SCOPE} {_WINDOW} exch L2::cache_hint? T:b32,b64 | u:T @ a:T k
atom | {_ORDER} {_SCOPE} {_WINDOW} exch L2::cache_hint? T:b128 | u:T @ a:T k | 8.3, 90
atom | {_ORDER} {_SCOPE} {_WINDOW} cas T:b16,b32,b64 | u:T @ a:T b:T
atom | {_ORDER} {_SCOPE} {_WINDOW} cas T:b128 | u:T @ a:T b:T | 8.3, 90
red | async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes (min/max) T:u32,s32 | @ a:T @ | 8.1, 90
red | async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add T:u32,s32,u64,s64 | @ a:T @ | 8.1, 90
red | async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes (and/or/xor) T:b32 | @ a:T @ | 8.1, 90
red | async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes (inc/dec) T:u32 | @ a:T @ | 8.1, 90
red | (relaxed/release)? {_SCOPE} {_WINDOW} (and/or/xor) L2::cache_hint? T:b32,b64 | @ a:T k
red | (relaxed/release)? {_SCOPE} {_WINDOW} add L2::cache_hint? T:u32,s32,u64,f32,f64 | @ a:T k
red | (relaxed/release)? {_SCOPE} {_WINDOW} add noftz L2::cache_hint? T:f16,f16x2 | @ a:T k
red | (relaxed/release)? {_SCOPE} {_WINDOW} add noftz L2::cache_hint? T:bf16,bf16x2 | @ a:T k | 7.8, 90
red | (relaxed/release)? {_SCOPE} {_WINDOW} (min/max) L2::cache_hint? T:u32,s32,u64,s64 | @ a:T k
red | (relaxed/release)? {_SCOPE} {_WINDOW} (inc/dec) L2::cache_hint? T:u32 | @ a:T k
red | (relaxed/release)? {_SCOPE} (global)? (min/max) noftz L2::cache_hint? (v2/v4/v8) T:f16,bf16 | @ v:T k | 8.1, 90
red | (relaxed/release)? {_SCOPE} (global)? (min/max) noftz L2::cache_hint? (v2/v4) T:f16x2,bf16x2 | @ v:T k | 8.1, 90
red | (relaxed/release)? {_SCOPE} (global)? add noftz L2::cache_hint? (v2/v4/v8) T:f16,bf16 | @ v:T k | 8.1, 90
red | (relaxed/release)? {_SCOPE} (global)? add noftz L2::cache_hint? (v2/v4) T:f16x2,bf16x2 | @ v:T k | 8.1, 90
red | (relaxed/release)? {_SCOPE} (global)? add L2::cache_hint? (v2/v4) T:f32 | @ v:T k | 8.1, 90
bra | uni? | l
brx | idx uni? | a:u32 l
ret | uni? |
exit | |
trap | |
brkpt | |
call | uni? | *
bar | warp sync | a:u32 | 6.0, 0
bar | (cta)? sync | a:u32..15 w:u32?
bar | (cta)? arrive | a:u32..15 w:u32+
bar | (cta)? red popc T:u32 | d:T a:u32..15 c!
bar | (cta)? red popc T:u32 | d:T a:u32..15 w:u32 c!
bar | (cta)? red (and/or) T:pred | P a:u32..15 c!
bar | (cta)? red (and/or) T:pred | P a:u32..15 w:u32 c!
barrier | (cta)? sync aligned? | a:u32..15 w:u32? | 6.0, 0
barrier | (cta)? arrive aligned? | a:u32..15 w:u32+ | 6.0, 0
barrier | (cta)? red popc aligned? T:u32 | d:T a:u32..15 c! | 6.0, 0
barrier | (cta)? red popc aligned? T:u32 | d:T a:u32..15 w:u32 c! | 6.0, 0
barrier | (cta)? red (and/or) aligned? T:pred | P a:u32..15 c! | 6.0, 0
barrier | (cta)? red (and/or) aligned? T:pred | P a:u32..15 w:u32 c! | 6.0, 0
barrier | cluster arrive (release/relaxed)? aligned? | | 7.8, 90
barrier | cluster wait acquire? aligned? | | 7.8, 90
membar | (cta/gl/sys) |
membar | proxy alias | | 7.5, 60
fence | (sc/acq_rel/acquire/release)? (cta/cluster/gpu/sys) | | 6.0, 70
fence | acquire sync_restrict::shared::cluster cluster |
fence | release sync_restrict::shared::cta cluster |
fence | proxy (alias/async) | | 7.5, 70
fence | proxy async (global/shared::cta/shared::cluster) | | 8.0, 90
fence | proxy tensormap::generic release (cta/cluster/gpu/sys) | | 8.3, 90
fence | proxy tensormap::generic acquire (cta/cluster/gpu/sys) | @ #128 | 8.3, 90
fence | proxy async::generic acquire sync_restrict::shared::cluster cluster |
fence | proxy async::generic release sync_restrict::shared::cta cluster |
fence | mbarrier_init release cluster | | 8.0, 90
shfl | (up/down/bfly/idx) T:b32 | dp:T a:T b:b32 c:b32
shfl | sync (up/down/bfly/idx) T:b32 | dp:T a:T b:b32 c:b32 e:u32 | 6.0, 0
vote | (all/any/uni) T:pred | P c!
vote | ballot T:b32 | d:T c!
vote | sync (all/any/uni) T:pred | P c! a:u32 | 6.0, 0
vote | sync ballot T:b32 | d:T c! a:u32 | 6.0, 0
match | any sync T:b32,b64 | d:u32 a:T b:u32 | 6.0, 70
match | all sync T:b32,b64 | op:b32 a:T b:u32 | 6.0, 70
redux | sync (add/min/max) T:i32 | d:T a:T b:u32 | 7.0, 80
redux | sync (and/or/xor) T:b32 | d:u32 a:u32 b:u32 | 7.0, 80
redux | sync (min/max) abs? NaN? T:f32 | d:T a:T b:u32 | 8.6, 100
activemask | T:b32 | d:T | 6.2, 0
elect | sync | d|p:u32 a:u32 | 8.0, 90
nanosleep | T:u32 | a:T | 6.2, 70
prefetch | (global/local)? (L1/L2) | @
prefetch | global? (L2::evict_last/L2::evict_normal) | @ | 7.4, 80
prefetch | (const/param)? tensormap | @ | 8.0, 90
prefetchu | L1 | @
griddepcontrol | (launch_dependents/wait) | | 7.8, 90
applypriority | global? L2::evict_normal | @ #128 | 7.4, 80
discard | global? L2 | @ #128 | 7.4, 80
createpolicy | fractional {_LEVELS} b64 | d:u64 %? | 7.4, 80
createpolicy | range global? {_LEVELS} b64 | d:u64 @ a:u32 a:u32 | 7.4, 80
createpolicy | cvt L2 b64 | d:u64 a:u64 | 7.4, 80
pmevent | | #..15
pmevent | mask | #
mma | * | B B B B * | 6.4, 70
wmma | load * | B @ * | 6.0, 70
wmma | store * | @ B * | 6.0, 70
wmma | mma * | B B B B | 6.0, 70
ldmatrix | sync aligned m8n8 x1 trans? (shared/shared::cta)? b16 | v1:b32 @ | 6.5, 75
ldmatrix | sync aligned m8n8 x2 trans? (shared/shared::cta)? b16 | v2:b32 @ | 6.5, 75
ldmatrix | sync aligned m8n8 x4 trans? (shared/shared::cta)? b16 | v4:b32 @ | 6.5, 75
ldmatrix | sync aligned (m16n16/m8n16) (x1/x2/x4) trans? (shared/shared::cta)? b8 {_PACKED} | * | 8.6, 100
stmatrix | sync aligned m8n8 x1 trans? (shared/shared::cta)? b16 | @ v1:b32 | 7.8, 90
stmatrix | sync aligned m8n8 x2 trans? (shared/shared::cta)? b16 | @ v2:b32 | 7.8, 90
stmatrix | sync aligned m8n8 x4 trans? (shared/shared::cta)? b16 | @ v4:b32 | 7.8, 90
stmatrix | sync aligned m16n8 (x1/x2/x4) trans (shared/shared::cta)? b8 | * | 8.6, 100
movmatrix | sync aligned m8n8 trans b16 | d:b32 g:b32 | 7.8, 75
mapa | shared::cluster? T:i32,i64 | d:T n:T b:u32 | 7.8, 90
getctarank | shared::cluster? T:i32,i64 | d:u32 n:T | 7.8, 90
wgmma | * | * | 8.0, 90
setmaxnreg | * | * | 8.0, 90
stacksave | T:u32,u64 | d:T | 7.3, 52
stackrestore | T:u32,u64 | g:T | 7.3, 52
alloca | T:u32,u64 | d:T a:T #? | 7.3, 52
tcgen05 | * | * | 8.6, 100
clusterlaunchcontrol | * | * | 8.6, 100
"""
