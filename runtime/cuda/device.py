"""A real GPU as a `Device`, through libcuda: the same modules, kernels, buffers, streams and events as on the model.

`Launch.cycles` and `stats` are what can be measured without a profiler: the time between two events.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path
from typing import Any

import attrs

from runtime import api
from runtime.api import Buffer, Configuration, Device, Event, Kernel, Launch, Module, Stream, Variable
from runtime.cuda import libcuda
from runtime.cuda.libcuda import driver
from runtime.errors import DeviceError, LaunchError

_ref = ctypes.byref


class CudaBuffer(Buffer):
    """A buffer that CuPy, numba and PyTorch can use where it is, through `__cuda_array_interface__`. `__dlpack__` gives
    a host copy."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3}


class CudaDevice(Device):
    """`Device("cuda:0")`. Uses the device's primary context, as the CUDA runtime does."""

    is_gpu = True
    _buffer_type = CudaBuffer

    def __init__(self, name: str = "cuda:0", **options: Any) -> None:
        index = name.partition(":")[2] or "0"
        if not index.isdigit():
            raise LaunchError("device.name", f"'{name}' is not cuda:N")
        if options.get("check"):
            raise LaunchError("device.option", f"{name}: checks are the model's; here compute-sanitizer looks for them")
        self.options = options  # of the model; they mean nothing here
        cuda = driver()
        self._device, self._context = ctypes.c_int(), ctypes.c_void_p()
        cuda("cuDeviceGet", _ref(self._device), ctypes.c_int(int(index)))
        text = ctypes.create_string_buffer(256)
        cuda("cuDeviceGetName", text, ctypes.c_int(256), self._device)
        self.name = text.value.decode()
        version = ctypes.c_int()
        cuda("cuDriverGetVersion", _ref(version))
        self.driver_version = (version.value // 1000, version.value % 1000 // 10)
        self._retain()

    def _retain(self) -> None:
        driver()("cuDevicePrimaryCtxRetain", _ref(self._context), self._device)
        self.bind()

    def bind(self) -> None:
        """Make the device's context current on this thread."""
        driver()("cuCtxSetCurrent", self._context)

    def __repr__(self) -> str:
        return f"<Device {self.name}>"

    def load(self, source: object) -> Module:
        self.bind()
        module = CudaModule(self, _image(source))
        module.signatures = getattr(source, "signatures", {})
        return module

    def allocate(self, size: int) -> int:
        self.bind()
        pointer = ctypes.c_uint64()
        driver()("cuMemAlloc_v2", _ref(pointer), ctypes.c_size_t(max(size, 1)))
        return pointer.value

    def free(self, address: int) -> None:
        # Also runs from finalizers, where the context may be lost or gone already: nothing to report then.
        cuda = driver()
        cuda.lib.cuCtxSetCurrent(self._context)
        cuda.lib.cuMemFree_v2(ctypes.c_uint64(address))

    def write(self, address: int, data: memoryview | bytes, stream: Stream | None = None) -> None:
        self.bind()
        raw = bytes(data)
        if raw:
            size, target = ctypes.c_size_t(len(raw)), ctypes.c_uint64(address)
            driver()("cuMemcpyHtoDAsync_v2", target, raw, size, _handle(stream))
            driver()("cuStreamSynchronize", _handle(stream))  # `raw` must live until it was read

    def read(self, address: int, size: int, stream: Stream | None = None) -> bytearray:
        self.bind()
        if stream is None:
            self.synchronize()
        out = bytearray(size)
        if size:
            target = (ctypes.c_char * size).from_buffer(out)
            driver()("cuMemcpyDtoHAsync_v2", target, ctypes.c_uint64(address), ctypes.c_size_t(size), _handle(stream))
            driver()("cuStreamSynchronize", _handle(stream))
        return out

    def synchronize(self) -> None:
        self.bind()
        driver()("cuCtxSynchronize")

    def stream(self, priority: int = 0) -> Stream:
        return CudaStream(self, priority)

    def event(self) -> Event:
        return CudaEvent(self)

    def _launch(self, kernel: Kernel, request: Configuration, parameters: bytes) -> Launch:
        self.bind()
        module = kernel.module
        assert isinstance(module, CudaModule)
        function, cuda = module.function(kernel.name), driver()
        if request.shared + kernel.shared > 48 << 10:
            limit = ctypes.c_int(libcuda.FUNC_MAX_DYNAMIC_SHARED)
            cuda("cuFuncSetAttribute", function, limit, ctypes.c_int(request.shared))
        held = [
            ctypes.create_string_buffer(parameters[p.offset : p.offset + p.size], p.size) for p in kernel.parameters
        ]
        slots = (ctypes.c_void_p * max(len(held), 1))(*(ctypes.addressof(h) for h in held))
        launch = CudaLaunch(self, kernel, request, CudaEvent(self), CudaEvent(self))
        launch.start.record(request.stream)
        if request.cluster is None:
            shape = [ctypes.c_uint(n) for n in (*request.grid, *request.block, request.shared)]
            cuda("cuLaunchKernel", function, *shape, _handle(request.stream), slots, ctypes.c_void_p(None))
        else:
            size = request.cluster[0] * request.cluster[1] * request.cluster[2]
            if size > libcuda.PORTABLE_CLUSTER:
                cuda("cuFuncSetAttribute", function, ctypes.c_int(libcuda.FUNC_NON_PORTABLE_CLUSTER), ctypes.c_int(1))
            handle = _handle(request.stream).value or 0
            words = libcuda.launch_config(request.grid, request.block, request.shared, handle, request.cluster)
            cuda("cuLaunchKernelEx", ctypes.byref(words), function, slots, ctypes.c_void_p(None))
        launch.stop.record(request.stream)
        return launch


def _handle(stream: Stream | None) -> ctypes.c_void_p:
    if stream is None:
        return ctypes.c_void_p(None)
    if not isinstance(stream, CudaStream):
        raise LaunchError("launch.stream", "the stream belongs to another device")
    return stream.handle


def _image(source: object) -> bytes:
    """What libcuda loads: the bytes of a cubin, a fatbin or PTX text. A `Program` is written as a cubin first."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if isinstance(source, str | Path):
        try:
            return Path(source).read_bytes()
        except OSError as error:
            raise LaunchError("load.no-file", f"{source}: {error.strerror or error}") from None
    for name in ("fatbin", "cubin"):
        image: Any = getattr(source, name, None)
        image = image() if callable(image) else image
        if isinstance(image, bytes):
            return image
    if hasattr(source, "functions"):
        from minicc.binary import write_cubin

        return write_cubin(source)  # type: ignore[arg-type]
    raise LaunchError("load.kind", f"cannot load a {type(source).__name__}")


class CudaModule(Module):
    """A module in the device's context."""

    def __init__(self, device: CudaDevice, image: bytes) -> None:
        self.device: CudaDevice = device
        self._handle = ctypes.c_void_p()
        log = ctypes.create_string_buffer(16384)
        options = (ctypes.c_int * 2)(libcuda.JIT_ERROR_LOG, libcuda.JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        # One byte more: PTX text must end in NUL.
        held = ctypes.create_string_buffer(image, len(image) + 1)
        try:
            driver()("cuModuleLoadDataEx", _ref(self._handle), held, ctypes.c_uint(2), options, values)
        except (LaunchError, DeviceError) as error:
            text = log.value.decode(errors="replace").strip()
            code = error.code if isinstance(error, LaunchError) else "load.format"
            raise LaunchError(code, f"{error.message}{': ' + text if text else ''}") from None
        self._image = image
        self._functions: dict[str, ctypes.c_void_p] = {}
        self._names: list[str] | None = None

    @property
    def kernels(self) -> list[str]:
        """From the driver (12.4 and later), else read from the image."""
        if self._names is None:
            self._names = self._enumerate() if driver().has("cuModuleEnumerateFunctions") else self._scan()
        return self._names

    def _enumerate(self) -> list[str]:
        cuda, count = driver(), ctypes.c_uint()
        cuda("cuModuleGetFunctionCount", _ref(count), self._handle)
        found = (ctypes.c_void_p * count.value)()
        cuda("cuModuleEnumerateFunctions", found, count, self._handle)
        names = []
        for function in found:
            name = ctypes.c_char_p()
            cuda("cuFuncGetName", _ref(name), ctypes.c_void_p(function))
            if name.value:
                names.append(name.value.decode())
        return names

    def _scan(self) -> list[str]:
        import re

        if self._image[:4] in (b"\x7fELF", b"\x50\xed\x55\xba"):
            from minicc.binary import read_cubin, read_fatbin

            images = [self._image]
            if self._image[:4] != b"\x7fELF":
                images = [e.data for e in read_fatbin(self._image) if e.kind == "cubin"]
            programs = [read_cubin(image, "image") for image in images]
            return list(dict.fromkeys(f.name for p in programs for f in p.functions if f.entry))
        return re.findall(r"\.entry\s+([\w$.]+)", self._image.decode("utf-8", "replace"))

    def function(self, symbol: str) -> ctypes.c_void_p:
        """The CUfunction of a kernel."""
        if symbol not in self._functions:
            handle = ctypes.c_void_p()
            driver()("cuModuleGetFunction", _ref(handle), self._handle, symbol.encode())
            self._functions[symbol] = handle
        return self._functions[symbol]

    def _kernel(self, symbol: str) -> Kernel:
        self.device.bind()
        function, places = self.function(symbol), self._places(symbol)
        size = max((offset + width for offset, width in places), default=0)
        numbers = [
            self._attribute(function, a) for a in (libcuda.FUNC_REGISTERS, libcuda.FUNC_SHARED, libcuda.FUNC_LOCAL)
        ]
        return Kernel(self, symbol, api.typed_parameters(symbol, places), size, *numbers)

    def _attribute(self, function: ctypes.c_void_p, number: int) -> int:
        value = ctypes.c_int()
        driver()("cuFuncGetAttribute", _ref(value), ctypes.c_int(number), function)
        return value.value

    def _places(self, symbol: str) -> list[tuple[int, int]]:
        """(offset, size) of every parameter: asked of the driver (12.4 and later), which ends with an error past the
        last one."""
        ask = driver().function("cuFuncGetParamInfo")
        places: list[tuple[int, int]] = []
        while len(places) < 4096:
            offset, size = ctypes.c_size_t(), ctypes.c_size_t()
            if ask(self.function(symbol), ctypes.c_size_t(len(places)), _ref(offset), _ref(size)):
                break
            places.append((offset.value, size.value))
        return places

    def variable(self, name: str) -> Variable:
        self.device.bind()
        pointer, size = ctypes.c_uint64(), ctypes.c_size_t()
        driver()("cuModuleGetGlobal_v2", _ref(pointer), _ref(size), self._handle, name.encode())
        return Variable(self.device, name, pointer.value, size.value)


class CudaStream(Stream):
    """A CUstream that does not wait for the default stream."""

    def __init__(self, device: CudaDevice, priority: int) -> None:
        self.device, self.handle = device, ctypes.c_void_p()
        device.bind()
        driver()("cuStreamCreateWithPriority", _ref(self.handle), ctypes.c_uint(1), ctypes.c_int(priority))

    def synchronize(self) -> None:
        self.device.bind()
        driver()("cuStreamSynchronize", self.handle)

    def wait(self, event: Event) -> None:
        assert isinstance(event, CudaEvent)
        self.device.bind()
        driver()("cuStreamWaitEvent", self.handle, event.handle, ctypes.c_uint(0))


class CudaEvent(Event):
    """A CUevent."""

    def __init__(self, device: CudaDevice) -> None:
        self.device, self.handle = device, ctypes.c_void_p()
        device.bind()
        driver()("cuEventCreate", _ref(self.handle), ctypes.c_uint(0))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            driver().lib.cuEventDestroy_v2(self.handle)

    def record(self, stream: Stream | None = None) -> Event:
        self.device.bind()
        driver()("cuEventRecord", self.handle, _handle(stream))
        return self

    def synchronize(self) -> None:
        self.device.bind()
        driver()("cuEventSynchronize", self.handle)

    @property
    def done(self) -> bool:
        self.device.bind()
        return int(driver().function("cuEventQuery")(self.handle)) == 0

    def elapsed(self, since: Event) -> float:
        assert isinstance(since, CudaEvent)
        self.synchronize()
        since.synchronize()
        out = ctypes.c_float()
        driver()("cuEventElapsedTime", _ref(out), since.handle, self.handle)
        return out.value


@attrs.define(eq=False)
class CudaLaunch(Launch):
    """A launch on a real GPU, timed by the events around it."""

    device: CudaDevice
    kernel: Kernel
    configuration: Configuration
    start: CudaEvent
    stop: CudaEvent
    _output: str | None = None

    def wait(self) -> Launch:
        if self._output is None:
            self._output = ""
            try:
                self._output = _captured(self.device.synchronize)
            except DeviceError as error:
                raise DeviceError(error.message, error.kind, self.kernel.name) from None
        return self

    @property
    def milliseconds(self) -> float:
        """Time between the events before and after the launch: the kernel, and what launching it costs."""
        self.wait()
        return self.stop.elapsed(self.start)

    @property
    def cycles(self) -> int:
        """0: a cycle count needs a profiler."""
        self.wait()
        return 0

    @property
    def stats(self) -> dict[str, float]:
        return {"gpu__time_duration.sum": self.milliseconds * 1e6}

    @property
    def output(self) -> str:
        self.wait()
        return self._output or ""

    def summary(self) -> str:
        k = self.kernel
        shape = f"grid {self.configuration.grid}, block {self.configuration.block}"
        return f"{k.name}: {k.registers} registers, {k.shared} bytes shared, {shape}, {self.milliseconds:.4f} ms"


def _captured(flush: Any) -> str:
    """What device printf writes during `flush`: libcuda prints to standard output when it synchronizes."""
    import sys

    sys.stdout.flush()
    c_library = ctypes.CDLL(None)
    c_library.fflush(None)
    with tempfile.TemporaryFile() as target:
        saved = os.dup(1)
        os.dup2(target.fileno(), 1)
        try:
            flush()
            c_library.fflush(None)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        target.seek(0)
        return target.read().decode("utf-8", "replace")
