"""Devices, modules, kernels, buffers, streams and events: what a user of `runtime` handles.

    gpu = runtime.Device()                      # the SM model of an H200; Device("cuda:0") is a real GPU
    vadd = gpu.load("vadd.cubin")["vadd"]
    launch = vadd[4096, 256](a, b, c, n)        # [grid, block, dynamic shared bytes, stream]

numpy arrays given as pointers are copied in, and back if the kernel may write them; such a call is synchronous. Data in
a `Buffer` stays on the device, launches on it are asynchronous, and reading it waits.
"""

from __future__ import annotations

import abc
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from minicc.binary.mangling import signature
from minicc.record import evolve
from runtime.driver import arguments
from runtime.driver.arguments import HostArray, Parameter
from runtime.errors import DeviceError, LaunchError

if TYPE_CHECKING:
    from runtime.device.texture import Texture

Dim = tuple[int, int, int]
Array = np.ndarray[Any, Any]
STREAM_PRIORITIES = (0, -5)
"""The least and the greatest priority of a stream, as an H200 has them; what is beyond counts as these."""


def dim3(value: object, what: str) -> Dim:
    """An int or a sequence of one to three ints as three."""
    parts = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(parts) <= 3 or not all(isinstance(p, int | np.integer) for p in parts):
        raise LaunchError("launch.configuration", f"{what} {value!r} is not one to three integers")
    numbers = [int(p) for p in parts] + [1, 1]
    return (numbers[0], numbers[1], numbers[2])


class Device(abc.ABC):
    """A device to run kernels on. `Device("sm_90")` is the SM model, `Device("cuda:0")` a real GPU.

    Options of the model: `timing` False runs functionally (cycles are 0); `hazards` is what a read before its time
    does: "report", "hardware" (reads the old value silently) or "off"; `trace` True (or a function that takes
    lines) logs every step of a launch; `cycle_limit` (default two seconds of an H200; 0: none), `runaway_limit`
    (warp instructions in which no block ends; 1e9, or 1e8 for each warp that the machine holds if that is less, a
    quarter of it with `check`) and `instruction_limit` (warp instructions; none) end a runaway kernel; `progress`
    is told, while a grid runs, its name, CTAs done, CTAs in all and the cycle; `memory` is its bytes; `stack` is
    those of a thread where the compiler cannot bound the need (recursion; cudaLimitStackSize, 1,024); `sample` is
    how many stretches of a big grid are simulated with timing (0: all of it is), and `Launch.outcome.sampled` then
    says what the estimate of its cycles rests on; `cores` is how many threads simulate, which changes nothing but
    the time that it takes; `count_bytes` counts the bytes that loads and stores name, for
    `smsp__sass_data_bytes_mem_*` (as `minicc prof` does; up to a quarter more time); `check` True runs without
    timing and looks for races in shared memory, for memory that is read before it is written and for barriers that
    a part of a warp comes to (`Launch.findings`)."""

    name: str
    """What the device calls itself."""
    is_gpu = False
    """Whether it takes arrays that other libraries have on a GPU (`__cuda_array_interface__`)."""
    _buffer_type: type[Buffer]

    def __new__(cls, name: str = "sm_90", **options: Any) -> Device:
        if cls is not Device:
            return object.__new__(cls)
        if name == "cuda" or name.startswith("cuda:"):
            from runtime.cuda.device import CudaDevice

            return object.__new__(CudaDevice)
        from runtime.model import ModelDevice

        return object.__new__(ModelDevice)

    @abc.abstractmethod
    def __init__(self, name: str = "sm_90", **options: Any) -> None: ...

    @abc.abstractmethod
    def load(self, source: object) -> Module:
        """A module from a path, bytes (cubin, fatbin, PTX text, host object), a `Program`, or what `minicc.compile`
        returned."""

    @abc.abstractmethod
    def allocate(self, size: int) -> int:
        """`size` bytes of device memory; returns the address."""

    @abc.abstractmethod
    def free(self, address: int) -> None:
        """Give memory back."""

    @abc.abstractmethod
    def write(self, address: int, data: memoryview | bytes, stream: Stream | None = None) -> None:
        """Copy host bytes to the device; they are there when later work of the stream runs."""

    @abc.abstractmethod
    def read(self, address: int, size: int, stream: Stream | None = None) -> bytearray:
        """Copy device bytes to the host, after all earlier work of the stream (of every stream if None)."""

    @abc.abstractmethod
    def synchronize(self) -> None:
        """Wait for all work; raises `DeviceError` for a kernel that failed and was not reported yet."""

    @abc.abstractmethod
    def stream(self, priority: int = 0) -> Stream:
        """A new queue of work, in order within itself. Where several have kernels, those of a lower `priority`
        (STREAM_PRIORITIES) get places first."""

    @abc.abstractmethod
    def event(self) -> Event:
        """A new event."""

    @abc.abstractmethod
    def _launch(self, kernel: Kernel, request: Configuration, parameters: bytes) -> Launch:
        """Start a kernel with a packed parameter area."""

    def buffer(self, array: object, stream: Stream | None = None) -> Buffer:
        """A device copy of an array (or of anything `numpy.asarray` takes)."""
        host = np.asarray(array, order="C")
        if host.dtype.hasobject:
            raise LaunchError("buffer.type", "an array of Python objects cannot be on a device")
        out = self.empty(host.shape, host.dtype)
        if host.nbytes:
            self.write(out.address, host.reshape(-1).view(np.uint8).data, stream)
        return out

    def texture(
        self,
        array: object,
        *,
        channels: int = 1,
        layers: bool = False,
        filter: str = "point",
        address: str | Sequence[str] = "clamp",
        normalized: bool = False,
        fractions: bool = False,
        border: Sequence[float] = (),
    ) -> Texture:
        """A texture or surface object over a copy of an array[[[z,] y,] x[, channel]] (`channels` > 1: the last
        dimension; `layers`: the first one counts layers). `filter` is point or linear; `address` wrap, clamp, mirror or
        border, for all dimensions or each; `normalized`: coordinates from 0 to 1; `fractions`: integers are read as
        fractions of their largest value. On the model only, so far."""
        raise LaunchError("device.texture", f"{self.name}: texture objects are provided by the SM model only")

    def empty(self, shape: int | Sequence[int], dtype: Any = np.float32) -> Buffer:
        """A device array with unspecified contents."""
        extents = tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else (shape,)
        if not all(isinstance(n, int | np.integer) and n >= 0 for n in extents):
            raise LaunchError("buffer.shape", f"{shape!r} is not the shape of an array: one or more extents from 0 on")
        return self._buffer_type(self, tuple(int(n) for n in extents), np.dtype(dtype))

    def zeros(self, shape: int | Sequence[int], dtype: Any = np.float32) -> Buffer:
        """A device array of zeros."""
        out = self.empty(shape, dtype)
        if out.nbytes:
            self.write(out.address, bytes(out.nbytes))
        return out


class Buffer:
    """An array in device memory, freed with the last reference to it. `buffer[3:9]`, `buffer[2]`, `.reshape(...)`
    and `.view(dtype)` are views: the same memory, which they keep."""

    _base: Buffer | None = None
    """The buffer that a view is of."""

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.device, self.shape, self.dtype = device, shape, dtype
        self.size = int(np.prod(shape, dtype=np.int64))
        self.nbytes = self.size * dtype.itemsize
        self.address = device.allocate(max(self.nbytes, 1))
        self._finalizer = weakref.finalize(self, device.free, self.address)

    def __repr__(self) -> str:
        return f"<Buffer {self.dtype}{list(self.shape)} at 0x{self.address:x} on {self.device.name}>"

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 0

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def __getitem__(self, key: object) -> Buffer:
        """The view of a part that is contiguous: an index or a range of the first dimensions."""
        shape, offset, whole = list(self.shape), 0, 0
        keys = [k for k in (key if isinstance(key, tuple) else (key,)) if k is not Ellipsis]
        if len(keys) > len(shape):
            raise IndexError(f"{len(keys)} indices for a buffer of shape {self.shape}")
        for k, count in zip(keys, shape, strict=False):
            if isinstance(k, int | np.integer) and not -count <= k < count:
                raise IndexError(f"index {k} of a buffer of shape {self.shape}")
        step = self.dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        for k in keys:
            count = shape[whole]
            step //= max(count, 1)
            if isinstance(k, slice):
                start, stop, stride = k.indices(count)
                if stride != 1 or (any(n != 1 for n in shape[:whole]) and (start, stop) != (0, count)):
                    raise LaunchError("buffer.slice", f"{key!r} of a buffer of shape {self.shape} is not contiguous")
                shape[whole] = max(stop - start, 0)
                offset += start * step
                whole += 1
            elif isinstance(k, int | np.integer):
                if any(n != 1 for n in shape[:whole]):
                    raise LaunchError("buffer.slice", f"{key!r} of a buffer of shape {self.shape} is not contiguous")
                offset += int(k) % count * step
                del shape[whole]
            else:
                raise LaunchError("buffer.slice", f"a buffer is indexed by numbers and ranges, not {k!r}")
        return self._view(tuple(shape), offset)

    def __setitem__(self, key: object, value: object) -> None:
        part = self[key]
        part.write(value.numpy() if isinstance(value, Buffer) else np.broadcast_to(np.asarray(value), part.shape))

    def reshape(self, *shape: Any) -> Buffer:
        """The same memory in another shape; one extent may be -1."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
        try:
            return self._view(np.empty(self.size, np.bool_).reshape(wanted).shape, 0)
        except (ValueError, TypeError):
            raise LaunchError("buffer.shape", f"a buffer of shape {self.shape} cannot be one of {wanted}") from None

    def view(self, dtype: Any) -> Buffer:
        """The same memory as elements of another type; the last extent changes as in numpy."""
        kind, shape = np.dtype(dtype), self.shape
        old, new = self.dtype.itemsize, kind.itemsize
        if new != old:
            if not shape or not new or (old % new if new < old else shape[-1] * old % new):
                raise LaunchError(
                    "buffer.type", f"a buffer of {self.dtype}{list(shape)} cannot be seen as one of {kind}"
                )
            shape = (*shape[:-1], shape[-1] * old // new)
        out = self._view(shape, 0)
        out.dtype, out.nbytes = kind, self.nbytes
        return out

    def _view(self, shape: tuple[int, ...], offset: int) -> Buffer:
        out: Buffer = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out._base, out.shape, out.size = self, shape, int(np.prod(shape, dtype=np.int64))
        out.nbytes, out.address = out.size * self.dtype.itemsize, self.address + offset
        return out

    def copy(self) -> Buffer:
        """Another buffer with the same contents."""
        return self.device.buffer(self.numpy())

    def __copy__(self) -> Buffer:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Buffer:
        return self.copy()

    def numpy(self, stream: Stream | None = None) -> Array:
        """The contents as a new numpy array; waits for the kernels that write it."""
        data = self.device.read(self.address, self.nbytes, stream)
        return np.frombuffer(data, dtype=self.dtype).reshape(self.shape)

    def get(self, stream: Stream | None = None) -> Array:
        """`numpy` under CuPy's name."""
        return self.numpy(stream)

    def copy_to_host(self, array: Array | None = None, stream: Stream | None = None) -> Array:
        """`numpy` under numba's name; into `array` if one is given."""
        if array is None:
            return self.numpy(stream)
        array[...] = self.numpy(stream)
        return array

    def item(self) -> Any:
        """The only element, as a Python number."""
        return self.numpy().item()

    def fill(self, value: object, stream: Stream | None = None) -> None:
        """Set every element."""
        self.write(np.full(self.shape, value, self.dtype), stream)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        out = self.numpy()
        return out if dtype is None else out.astype(dtype)

    def write(self, array: object, stream: Stream | None = None) -> None:
        """Replace the contents; shape and type must match."""
        host = np.ascontiguousarray(array, dtype=self.dtype)
        if host.size != self.size:
            raise LaunchError("buffer.shape", f"{host.shape} given for a buffer of shape {self.shape}")
        if self.nbytes:
            self.device.write(self.address, host.tobytes(), stream)

    @property
    def alive(self) -> bool:
        """Whether the memory has not been freed."""
        return bool(self._finalizer.alive)

    def free(self) -> None:
        """Give the memory back now. A view has none of its own."""
        if self._base is None:
            self._finalizer()

    def __dlpack__(self, *, stream: object = None, **rest: object) -> object:
        """DLPack: for the SM model a view of its memory, which is the host's; see the device for a real GPU."""
        return self._dlpack_view().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def _dlpack_view(self) -> Array:
        self.device.synchronize()
        view = getattr(self.device, "view", None)
        if view is None:
            return self.numpy()
        out: Array = view(self.address, self.nbytes).view(self.dtype).reshape(self.shape)
        return out


Device._buffer_type = Buffer


class Stream(abc.ABC):
    """A queue of work: what is put in runs in order."""

    @abc.abstractmethod
    def synchronize(self) -> None:
        """Wait until everything put in so far is done; `DeviceError` if a kernel of it failed."""

    @abc.abstractmethod
    def wait(self, event: Event) -> None:
        """Work put in from now on runs after the event."""


class Event(abc.ABC):
    """A point in a stream."""

    @abc.abstractmethod
    def record(self, stream: Stream | None = None) -> Event:
        """Mark the work put into the stream so far; returns the event itself."""

    @abc.abstractmethod
    def synchronize(self) -> None:
        """Wait until the marked work is done."""

    @property
    @abc.abstractmethod
    def done(self) -> bool:
        """Whether it is."""

    @abc.abstractmethod
    def elapsed(self, since: Event) -> float:
        """Milliseconds of device time from `since` to this event."""


@attrs.frozen
class Configuration:
    """grid, block, dynamic shared memory in bytes, stream, blocks of a cluster."""

    grid: Dim
    block: Dim
    shared: int = 0
    stream: Stream | None = None
    cluster: Dim | None = None

    def __str__(self) -> str:
        return ", ".join("x".join(map(str, dims)) for dims in (self.grid, self.block))


class Launch(abc.ABC):
    """A kernel that was started. Reading a result waits for it."""

    @abc.abstractmethod
    def wait(self) -> Launch:
        """Wait until it is done; `DeviceError` if it failed."""

    @property
    @abc.abstractmethod
    def cycles(self) -> int:
        """SM cycles from first block to last (gpc__cycles_elapsed.max)."""

    @property
    @abc.abstractmethod
    def stats(self) -> dict[str, float]:
        """Counters under the names Nsight Compute has for them."""

    @property
    @abc.abstractmethod
    def output(self) -> str:
        """What the kernel printed."""

    @property
    def hazards(self) -> tuple[Any, ...]:
        """Reads that came before their value, if the device looks for them."""
        return ()

    @property
    def findings(self) -> tuple[Any, ...]:
        """What is wrong though the kernel ended, on a device made with `check`: the `.text` of each says it."""
        return ()

    @property
    def trace(self) -> str:
        """The log of the launch's steps, if the device was made with `trace`."""
        return ""

    @abc.abstractmethod
    def summary(self) -> str:
        """A few lines: registers, cycles, time, instructions, what the warps waited for."""

    def report(self) -> str:
        """The whole profile as text."""
        return self.summary()


@attrs.define(eq=False, repr=False)
class Kernel:
    """A kernel of a module. `kernel[grid, block, shared, stream](*args)` launches it."""

    module: Module
    name: str
    """The (mangled) symbol."""
    parameters: tuple[Parameter, ...]
    parameter_bytes: int
    registers: int
    shared: int
    """Static shared memory in bytes."""
    local: int

    def __repr__(self) -> str:
        return f"<Kernel {self.name}: {self.registers} registers>"

    @property
    def shown(self) -> str:
        """The kernel as C++ writes it, with the types of its parameters where its name tells them."""
        return signature(self.name).shown

    def __getitem__(self, key: object) -> Configured:
        """The kernel with its launch shape: [grid, block, dynamic shared bytes, stream], or in numba's order with the
        stream third."""
        parts = key if isinstance(key, tuple) else (key,)
        if not 2 <= len(parts) <= 4:
            raise LaunchError("launch.configuration", "a launch is kernel[grid, block, dynamic shared bytes, stream]")
        shared, stream = parts[2] if len(parts) > 2 else 0, parts[3] if len(parts) > 3 else None
        if isinstance(shared, Stream):
            shared, stream = stream or 0, shared
        if not isinstance(shared, int | np.integer) or shared < 0:
            raise LaunchError("launch.configuration", f"dynamic shared memory {shared!r} is not a number of bytes")
        if stream is not None and not isinstance(stream, Stream):
            raise LaunchError("launch.configuration", f"{stream!r} is not a stream")
        return Configured(self, Configuration(dim3(parts[0], "grid"), dim3(parts[1], "block"), int(shared), stream))

    def __call__(self, *args: Any, shared_mem: int = 0, stream: Stream | None = None) -> Launch:
        """CuPy's way to launch: kernel(grid, block, args), grid and block as tuples."""
        if len(args) != 3 or not all(isinstance(arg, tuple | list) for arg in args):
            raise LaunchError(
                "launch.configuration", f"kernel '{self.shown}' needs a launch shape: kernel[grid, block](...)"
            )
        grid, block, given = args
        return self[tuple(grid), tuple(block), shared_mem, stream](*given)


@attrs.frozen(eq=False)
class Configured:
    """A kernel with its launch shape."""

    kernel: Kernel
    configuration: Configuration

    def cluster(self, x: int, y: int = 1, z: int = 1) -> Configured:
        """The same launch in clusters of that many blocks: kernel[grid, block].cluster(2)(...)."""
        return Configured(self.kernel, evolve(self.configuration, cluster=dim3((x, y, z), "cluster")))

    def __call__(self, *args: object) -> Launch:
        device, stream = self.kernel.module.device, self.configuration.stream
        held: list[Buffer] = []

        def upload(array: Array) -> int:
            held.append(device.buffer(array, stream))
            return held[-1].address

        args = tuple(map(arguments.adopted, args))
        for position, arg in enumerate(args):
            if isinstance(arg, arguments.GpuArray) and not device.is_gpu:
                raise LaunchError("launch.argument", f"argument {position} is on a GPU, and {device.name} is none")
            if isinstance(arg, Buffer):
                why = "is on another device" if arg.device is not device else "was freed" if not arg.alive else ""
                if why:
                    where = f"kernel '{self.kernel.shown}', argument {position}"
                    raise LaunchError("launch.argument", f"{where}: {arg!r} {why}")
        parameters, arrays = arguments.pack(
            self.kernel.shown, self.kernel.parameters, args, upload, self.kernel.parameter_bytes
        )
        launch = device._launch(self.kernel, self.configuration, parameters)
        if arrays:
            launch.wait()
            for one in arrays:
                _copy_back(device, self.kernel.shown, one, stream)
        return launch


def _copy_back(device: Device, kernel: str, one: HostArray, stream: Stream | None) -> None:
    if not one.written or not one.array.nbytes:
        return
    data = device.read(one.address, one.array.nbytes, stream)
    if one.array.flags.writeable:
        one.array[...] = np.frombuffer(data, dtype=one.array.dtype).reshape(one.array.shape)
    elif data != one.array.tobytes():
        what = f"an array of {one.array.dtype}{list(one.array.shape)} that it wrote is read-only; give a copy of it"
        raise LaunchError("launch.read-only", f"kernel '{kernel}': {what}")


@attrs.define(eq=False)
class Variable:
    """A `__device__` or `__constant__` variable of a module."""

    device: Device
    name: str
    address: int
    size: int

    def write(self, value: object) -> None:
        """Replace its bytes, from the start, with those of an array, a number of the variable's size, or bytes."""
        data = bytes(value) if isinstance(value, bytes | bytearray) else self._encode(value)
        if len(data) > self.size:
            raise LaunchError("variable.size", f"{len(data)} bytes for variable '{self.name}' of {self.size}")
        if data:
            self.device.write(self.address, data)

    def _encode(self, value: object) -> bytes:
        array = np.asarray(value)
        if isinstance(value, int) and self.size in (1, 2, 4, 8):
            if not -(1 << 8 * self.size - 1) <= value < 1 << 8 * self.size:
                raise LaunchError(
                    "variable.size", f"{value} does not fit in variable '{self.name}' of {self.size} bytes"
                )
            return (value & (1 << 8 * self.size) - 1).to_bytes(self.size, "little")
        if array.dtype.kind not in "biufcV":
            raise LaunchError(
                "variable.type", f"variable '{self.name}': cannot write {value!r}; a number, an array, bytes"
            )
        if isinstance(value, float) and self.size == 4:
            array = np.float32(value)  # type: ignore[assignment]
        return array.tobytes()

    def numpy(self, dtype: Any = np.uint8, shape: int | Sequence[int] = -1) -> Array:
        """`read`: as a `Buffer` has it."""
        return self.read(dtype, shape)

    def read(self, dtype: Any = np.uint8, shape: int | Sequence[int] = -1) -> Array:
        """Its contents as a new array."""
        data = self.device.read(self.address, self.size)
        kind = np.dtype(dtype)
        return np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], dtype=kind).reshape(shape)


class Module(abc.ABC):
    """A loaded program. `module["vadd"]` is the kernel of that symbol, or the only one with that base name;
    `module["fill<int>"]` the instance of a template."""

    device: Device
    signatures: Mapping[str, str] = {}
    """What `minicc.compile` knows of extern "C" kernels: names that tell the types of their parameters."""

    def __repr__(self) -> str:
        return f"<Module {_listed(self.kernels) or 'without kernels'} on {self.device.name}>"

    @property
    @abc.abstractmethod
    def kernels(self) -> list[str]:
        """Symbols of the kernels."""

    @abc.abstractmethod
    def _kernel(self, symbol: str) -> Kernel:
        """The kernel of exactly that symbol."""

    @abc.abstractmethod
    def variable(self, name: str) -> Variable:
        """A module-scope variable, by symbol or unique base name."""

    def __getitem__(self, name: str) -> Kernel:
        kernel = self._kernel(resolve(name, self.kernels, "kernel"))
        if known := self.signatures.get(kernel.name):
            kernel.parameters = typed_parameters(known, [(p.offset, p.size) for p in kernel.parameters])
        return kernel

    def get_function(self, name: str) -> Kernel:
        """`module[name]` under PyCUDA's and CuPy's name."""
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __contains__(self, name: object) -> bool:
        return bool(_called(str(name), self.kernels))


def _called(name: str, symbols: Sequence[str]) -> list[str]:
    """The symbols that a user may mean by `name`: the symbol itself, else those with that base name, with template
    arguments or without."""
    if name in symbols:
        return [name]
    wanted = name.replace(" ", "")
    known = [(symbol, signature(symbol)) for symbol in symbols]
    return [symbol for symbol, s in known if wanted in (s.base, (s.base + s.template).replace(" ", ""))]


def resolve(name: str, symbols: Sequence[str], what: str) -> str:
    """The symbol called `name`: exactly, or by its unique C++ base name. `LaunchError` lists what there is."""
    found = _called(name, symbols)
    if len(found) == 1:
        return found[0]
    if found:
        raise LaunchError("load.ambiguous", f"'{name}' could be any of: {_listed(found)}")
    raise LaunchError("load.no-symbol", f"there is no {what} '{name}'; there are: {_listed(symbols) or 'none'}")


def _listed(symbols: Sequence[str]) -> str:
    """Names as a user may write them: without parameters where that tells them apart."""
    names = [s.base + s.template for s in map(signature, symbols)]
    return ", ".join(n if names.count(n) == 1 else symbol for n, symbol in zip(names, symbols, strict=True))


def typed_parameters(name: str, places: Sequence[tuple[int, int]]) -> tuple[Parameter, ...]:
    """Parameters from (offset, size) pairs, with the types that the mangled name tells where they agree in size."""
    types = signature(name).params
    out = []
    for i, (offset, size) in enumerate(places):
        known = types[i] if types is not None and len(types) == len(places) else None
        agrees = known is not None and (known.size in (0, size))
        out.append(Parameter(offset, size, known) if known is not None and agrees else Parameter(offset, size))
    return tuple(out)


__all__ = ["Buffer", "Configuration", "Device", "DeviceError", "Event", "Kernel", "Launch", "LaunchError", "Module",
           "Stream", "Variable"]  # fmt: skip
