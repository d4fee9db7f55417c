"""Addresses, loads, stores, atomics, fences and stack slots: LLVM memory operations -> DAG nodes."""

from __future__ import annotations

from collections.abc import Sequence

from minicc.isel.builder import Builder
from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.base import Base
from minicc.isel.lower.bytes import gathered, parts_of
from minicc.isel.lower.halves import HALVES, is_packed
from minicc.numbers import align_at, signed
from minicc.nvvm import ir

SPACES = {0: "gen", 1: "global", 3: "shared", 4: "const", 5: "local", 7: "cluster", 101: "param"}
SCOPES = {"": "sys", "block": "cta", "device": "gpu", "singlethread": "cta", "cluster": "cluster", "workgroup": "cta",
          "agent": "gpu"}  # fmt: skip
_ATOMIC_OPS = {
    "xchg": "exch", "add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "max": "max", "min": "min",
    "umax": "umax", "umin": "umin", "fadd": "fadd", "fsub": "fsub", "uinc_wrap": "inc", "udec_wrap": "dec",
    "fmin": "fmin", "fmax": "fmax",
}  # fmt: skip


class Memory(Base):
    """Mixin of `Lowering`."""

    # --- addresses ----------------------------------------------------------------------------------------------

    def gep(self, source: ir.Type, args: Sequence[ir.Value]) -> Node:
        """Address arithmetic: base + constant + sum of index * size, the constant outermost so that it folds."""
        build = self.build
        base = self.one(args[0])
        kind = base.type
        width = WIDTH[kind]
        constant = 0
        type_ = source
        for position, index in enumerate(args[1:]):
            if position and type_.kind == "struct":
                number = self.one(index).data
                constant += self.layout.offsets(type_)[number]
                type_ = type_.elements[number]
                continue
            if position:
                type_ = type_.element
            size = self.layout.size(type_)
            if isinstance(index, ir.ConstInt):
                constant += signed(index.value, index.type.bits) * size
                continue
            if isinstance(index, ir.Zero | ir.Undef):
                continue
            bits = self.layout.bits(index.type)
            value = self.parts(index)[0]
            if bits < width:
                value = build.sext(value, bits, kind)
            elif kind == "i32":
                value = build.trunc(value)
            value, extra = _peel(value)
            constant += extra * size
            if base.head == "sym" and base.data[1]:
                constant += base.data[1]
                base = build.symbol(kind, base.data[0])
            if value.head == "mul" and value.args[1].is_const and self.use_counts.get(index) == 1:
                value, size = value.args[0], signed(value.args[1].data * size, width)
            if value.head == "sub" and value.args[0].is_const and not value.args[0].data:
                value, size = value.args[1], -size
            for term in _terms(value):
                base = build.binary("add", kind, base, build.binary("mul", kind, term, build.const(kind, size)))
        return build.binary("add", kind, base, build.const(kind, constant)) if constant else base

    def address_cast(self, a: Node, source: int, to: int) -> Node:
        build = self.build
        kind = self.legal(ir.ptr_type(to))[0]
        if source == to:
            return a
        if to == 0:
            if source not in SPACES:
                self.unsupported(f"addrspacecast from addrspace({source})")
            if source == 101 and a.head == "sym":
                return build.pure("cvta.param.i64", "i64", a)
            offset = a.data[1] if a.head == "sym" else 0
            if offset:  # one conversion an object: what lies within it is that far from it
                a = build.symbol(a.type, a.data[0])
            node = build.pure(f"cvta.{SPACES[source]}.i64", "i64", build.zext(a, WIDTH[a.type], "i64"))
            return build.binary("add", "i64", node, build.const("i64", offset)) if offset else node
        if source != 0:
            a = self.address_cast(a, source, 0)
        if to not in SPACES:
            self.unsupported(f"addrspacecast to addrspace({to})")
        shift = 0
        if a.op == "add.i64" and a.args[0].op == f"cvta.{SPACES[to]}.i64" and a.args[1].is_const:
            a, shift = a.args[0], signed(a.args[1].data, 64)
        if a.op == f"cvta.{SPACES[to]}.i64":
            inner = build.trunc(a.args[0]) if kind == "i32" else a.args[0]
            return build.binary("add", kind, inner, build.const(kind, shift)) if shift else inner
        node = build.pure(f"cvtato.{SPACES[to]}.i64", "i64", a)
        return build.trunc(node) if kind == "i32" else node

    def op_alloca(self, inst: ir.Inst) -> list[Node]:
        assert inst.source is not None
        count = 1
        if inst.args:
            number = inst.args[0]
            if not isinstance(number, ir.ConstInt):
                return self.dynamic_alloca(inst, number)
            count = number.value
        align = max(inst.align, self.layout.align(inst.source))
        size = self.layout.size(inst.source) * count
        offset = self.frame[inst] = -(-self.depot_size // align) * align
        self.depot_size = offset + size
        self.depot_align = max(self.depot_align, align)
        kind = self.legal(ir.ptr_type(5))[0]
        slot = self.build.symbol(kind, "%depot", offset)
        return [slot] if inst.type.space == 5 else [self.address_cast(slot, 5, 0)]

    def dynamic_alloca(self, inst: ir.Inst, number: ir.Value) -> list[Node]:
        """Stack space whose size is known when the kernel runs: a multiple of its alignment, at least 8."""
        build = self.build
        assert inst.source is not None
        if not self.has("alloca.i64"):
            self.unsupported(f"alloca of a size that is not constant on {self.arch.name}")
        align = max(inst.align, self.layout.align(inst.source), 8)
        count = build.zext(self.one(number), self.layout.bits(number.type), "i64")
        size = build.binary("mul", "i64", count, build.const("i64", self.layout.size(inst.source)))
        size = build.binary("add", "i64", size, build.const("i64", align - 1))
        size = build.binary("and", "i64", size, build.const("i64", -align))
        slot = build.raw("alloca.i64", "i64", (size, build.const("i64", align)), root=True)
        if inst.type.space == 5:
            return [build.trunc(slot) if self.legal(ir.ptr_type(5))[0] == "i32" else slot]
        return [build.pure("cvta.local.i64", "i64", slot)]

    def space(self, type_: ir.Type) -> str:
        found = SPACES.get(type_.space)
        if found is None:
            self.unsupported(f"access to addrspace({type_.space})")
        return found

    # --- flattening ---------------------------------------------------------------------------------------------

    def leaves(self, type_: ir.Type, at: int = 0) -> list[tuple[ir.Type, int]]:
        """(scalar type, byte offset) of everything a value of the type keeps in memory."""
        if type_.kind == "array":
            size = self.layout.size(type_.element)
            return [leaf for i in range(type_.count) for leaf in self.leaves(type_.element, at + i * size)]
        if type_.kind == "struct":
            pairs = zip(type_.elements, self.layout.offsets(type_), strict=True)
            return [leaf for field, offset in pairs for leaf in self.leaves(field, at + offset)]
        if type_.kind == "vector":
            bits = self.layout.bits(type_.element)
            if bits % 8:
                return [(type_, at)]  # its elements lie bit by bit in one integer
            if is_packed(type_):
                two = ir.vector_type(2, type_.element)
                return [(two, at + i * 4) for i in range(type_.count // 2)]
            return [(type_.element, at + i * bits // 8) for i in range(type_.count)]
        return [(type_, at)]

    def cells(self, type_: ir.Type, align: int) -> list[tuple[str, int]]:
        """(memory type, offset) of each access that moves a scalar: whole if aligned and a machine size, else bytes up
        to 64 bits in powers of two."""
        bits = self.layout.bits(type_)
        size = (bits + 7) // 8
        whole = {1: "u8", 2: "u16", 4: "i32", 8: "i64"}.get(size)
        if whole and align >= size and (bits == size * 8 or size == 1):
            kind = {"float": "f32", "double": "f64", "half": "f16", "bfloat": "bf16"}.get(type_.kind, whole)
            return [(kind, 0)]
        out = []
        at = 0
        while at < size:
            step = 8
            while step > size - at or step > align or at % step:
                step //= 2
            out.append(({1: "u8", 2: "u16", 4: "i32", 8: "i64"}[step], at))
            at += step
        return out

    # --- loads and stores ---------------------------------------------------------------------------------------

    def access(self, inst: ir.Inst, pointer: ir.Value) -> tuple[str, Node]:
        """Space and address of a load or store: a variable of the frame is local, also where LLVM has parted it after
        it looked for address spaces."""
        space, address = self.space(pointer.type), self.one(pointer)
        base = address.args[0] if address.op == "add.i64" and address.args[1].is_const else address
        if space == "gen" and base.op == "cvta.local.i64" and not inst.order:
            return "local", self.address_cast(address, 0, 5)
        return space, address

    def op_load(self, inst: ir.Inst) -> list[Node]:
        space, address = self.access(inst, inst.args[0])
        head = "ld"
        if inst.order:
            head = self.ordered_head("ld", inst)
        elif "volatile" in inst.flags and space in ("gen", "global", "shared"):
            head = "ldvol"
        elif space == "global" and "invariant.load" in inst.metadata:
            head = "ldnc"
        elif "nontemporal" in inst.metadata and space in ("gen", "global", "shared"):
            head = "ldcs"
        if self.multiplies_bytes(inst) or self.moves_bytes(inst) or self.has_pairs(inst):
            bits = inst.type.element.bits
            words = ir.vector_type(inst.type.count * bits // 32, ir.int_type(32))
            nodes = [
                self.build.binary("lshr", "i32", word, self.build.const("i32", at))
                for word in self.load(head, space, words, address, inst.align)
                for at in range(0, 32, bits)
            ]
        else:
            type_ = self.asked_for(inst) if head in ("ld", "ldnc") else inst.type
            nodes = self.load(head, space, type_, address, inst.align or 1)
            if type_ is not inst.type:
                nodes = self.extend("zext", nodes, type_.bits, inst.type.bits)
        if inst.order and inst.order[0] in ("acquire", "seq_cst") and "ordered" not in self.arch.features:
            self.fence("fencesc", self.scope(inst))
        bounds = inst.metadata.get("range")
        if bounds is not None and len(nodes) == 1 and inst.type.kind == "int" and inst.type.bits in (8, 16, 32, 64):
            self.apply_range(nodes[0], self.module.node(bounds))
        return nodes

    def moves_bytes(self, load: ir.Inst) -> bool:
        """Whether a vector of bytes is loaded to be stored again, in any order, or to be words: as words then."""
        type_, follow = load.type, [load]
        if type_.kind != "vector" or type_.element != ir.int_type(8) or type_.count % 4 or load.align < 4:
            return False
        if self.options.opt_level == 0:
            return False
        for value in follow:
            for user in self.users.get(value, ()):
                amount = user.args[1] if user.op == "shl" else None
                whole = isinstance(amount, ir.ConstInt) and amount.value % 8 == 0
                if whole or user.op in ("extractelement", "insertelement", "shufflevector", "zext"):
                    follow += [user] if user not in follow else []
                elif not (user.op in ("store", "or") or (user.op == "bitcast" and self.whole_words(user.type))):
                    return False
        return True

    def has_pairs(self, load: ir.Inst) -> bool:
        """Whether a vector of shorts has pairs that are words of memory: these are loaded, and what stands above
        a short is cut off only where somebody asks."""
        type_ = load.type
        if type_.kind != "vector" or type_.element != ir.int_type(16) or type_.count % 2 or load.align < 4:
            return False
        return self.options.opt_level > 0 and not load.order and "volatile" not in load.flags

    def whole_words(self, type_: ir.Type) -> bool:
        """Whether every register of a value has whole words of memory."""
        return is_packed(type_) or self.layout.bits(type_.element if type_.kind == "vector" else type_) % 32 == 0

    def asked_for(self, inst: ir.Inst) -> ir.Type:
        """The type of a load, or of its low part if nothing else of it is used."""
        whole = inst.type
        if whole.kind != "int" or whole.bits not in (32, 64):
            return whole
        most = 0
        for user in self.users.get(inst, ()):
            kept = whole.bits
            if user.op == "trunc":
                kept = user.type.bits
            elif user.op == "and" and isinstance(user.args[1], ir.ConstInt):
                kept = (user.args[1].value & (1 << whole.bits) - 1).bit_length()
            most = max(most, kept)
        return ir.int_type(most) if most in (8, 16, 32) else whole

    def apply_range(self, node: Node, bounds: ir.Node | None) -> None:
        if bounds is None or len(bounds.items) != 2:
            return
        low, high = bounds.items
        if isinstance(low, ir.ConstInt) and isinstance(high, ir.ConstInt) and low.value < high.value:
            node.zb = min(node.zb, (high.value - 1).bit_length())
            node.sb = min(node.sb, node.zb + 1)

    def load(self, head: str, space: str, type_: ir.Type, address: Node, align: int) -> list[Node]:
        """Load a value of any type as its legal parts."""
        if space == "param" and address.op == "sym.i64":
            # A reference to a packed class's member promises too much, and a misaligned constant cannot be encoded.
            align = align_at(align, address.data[1])
        cells: list[tuple[str, int]] = []
        leaves = self.leaves(type_)
        counts = []
        for leaf, offset in leaves:
            found = self.cells(leaf, align_at(align, offset))
            counts.append(len(found))
            cells += [(kind, offset + at) for kind, at in found]
        if not cells:
            return []
        raw = self.load_cells(head, space, cells, address, align)
        parts: list[Node] = []
        at = 0
        for (leaf, _), count in zip(leaves, counts, strict=True):
            group = [(kind, cell - cells[at][1]) for kind, cell in cells[at : at + count]]
            parts += self.assemble(leaf, list(zip(group, raw[at : at + count], strict=True)))
            at += count
        return parts

    def widest(self, head: str, space: str) -> int:
        """Bytes that one access moves at most."""
        return 32 if head in ("ld", "ldnc", "st") and space == "global" and self.has("st8.global.i32") else 16

    def load_cells(self, head: str, space: str, cells: list[tuple[str, int]], address: Node, align: int) -> list[Node]:
        out: list[Node] = []
        data = self.order_data if head == "ldord" else None
        scalar = head in ("ldvol", "ldord")
        for first, count in _groups(cells, 1 if scalar else align, self.widest(head, space)):
            kind, offset = cells[first]
            where = self.offset(address, offset)
            result = {"u8": "i32", "u16": "i32"}.get(kind, kind)
            if count == 1:
                node = self.build.raw(f"{head}.{space}.{kind}", result, (where,), data, root=scalar)
                out.append(self.bound(node, kind))
            else:
                node = self.build.raw(f"{head}{count}.{space}.{kind}", "", (where,), root=True)
                for i in range(count):
                    out.append(self.bound(self.build.raw(f"res.{result}", result, (node,), i), kind))
        return out

    @staticmethod
    def bound(node: Node, kind: str) -> Node:
        if kind in ("u8", "u16"):
            node.zb = 8 if kind == "u8" else 16
            node.sb = node.zb + 1
        return node

    def offset(self, address: Node, offset: int) -> Node:
        if not offset:
            return address
        return self.build.binary("add", address.type, address, self.build.const(address.type, offset))

    def assemble(self, type_: ir.Type, cells: list[tuple[tuple[str, int], Node]]) -> list[Node]:
        """Parts of a scalar from the cells it was loaded as."""
        build = self.build
        if is_packed(type_):
            word = self.assemble(ir.int_type(32), cells)[0]
            return self.unpair(word, HALVES[type_.element.kind])
        if type_.kind == "vector":
            whole = ir.int_type(self.layout.bits(type_))
            return self.bitcast(self.assemble(whole, cells), whole, type_)
        kinds = self.legal(type_)
        if len(cells) == 1:
            node = cells[0][1]
            if kinds == ["p"]:
                return [build.to_pred(node)]
            return [build.bitcast(node, kinds[0]) if WIDTH[node.type] == WIDTH[kinds[0]] else node]
        limbs: list[Node] = []
        bits = self.layout.bits(type_)
        unit = 64 if bits > 32 else 32
        kind = f"i{unit}"
        for start in range(0, bits, unit):
            limb = build.const(kind, 0)
            for (_, at), node in cells:
                shift = at * 8 - start
                if 0 <= shift < unit:
                    wide = build.zext(node, WIDTH[node.type], kind) if kind == "i64" else node
                    limb = build.binary("or", kind, limb, build.binary("shl", kind, wide, build.const("i32", shift)))
                    if shift == 0:
                        limb = wide
            limbs.append(limb)
        if kinds[0] in ("f32", "f64"):
            return [build.bitcast(limbs[0], kinds[0])]
        if kinds[0] in ("f16", "bf16"):
            return [build.bitcast(limbs[0], kinds[0])]
        return limbs

    def op_store(self, inst: ir.Inst) -> list[Node]:
        space, address = self.access(inst, inst.args[1])
        head = "st"
        if inst.order:
            head = self.ordered_head("st", inst)
        elif "volatile" in inst.flags and space in ("gen", "global", "shared"):
            head = "stvol"
        elif "nontemporal" in inst.metadata and space in ("gen", "global", "shared"):
            head = "stcs"
        value = inst.args[0]
        self.store(head, space, value.type, self.parts(value), address, inst.align or 1)
        return []

    def store(self, head: str, space: str, type_: ir.Type, parts: list[Node], address: Node, align: int) -> None:
        """Store a value given as its legal parts."""
        cells: list[tuple[str, int]] = []
        values: list[Node] = []
        at = 0
        for leaf, offset in self.leaves(type_):
            count = len(self.legal(leaf))
            found = self.cells(leaf, align_at(align, offset))
            values += self.take_apart(leaf, found, parts[at : at + count])
            cells += [(kind, offset + cell) for kind, cell in found]
            at += count
        if head == "st":
            cells, values = _words(self.build, cells, values, align)
        data = self.order_data if head == "stord" else None
        for first, count in _groups(cells, 1 if head in ("stvol", "stord") else align, self.widest(head, space)):
            kind, offset = cells[first]
            suffix = "" if count == 1 else str(count)
            where = self.offset(address, offset)
            some = values[first : first + count]
            joined = _joined(some) if kind in ("i32", "f32") and count in (2, 4) else None
            if joined is not None:
                kind, some, suffix = "i64", joined, "" if count == 2 else "2"
            elif head == "st" and {node.op for node in some} in _BITS.get(kind, ()):
                kind, some = some[0].args[0].type, [node.args[0] for node in some]  # a float needs no word
            self.build.raw(f"{head}{suffix}.{space}.{kind}", "", (where, *some), data, root=True)

    def take_apart(self, type_: ir.Type, cells: list[tuple[str, int]], parts: list[Node]) -> list[Node]:
        """Values of the cells that a scalar is stored as."""
        build = self.build
        if is_packed(type_):
            if len(cells) == 2 and all(kind == "u16" for (kind, _) in cells):
                return [build.bitcast(part, "i32") for part in parts]
            return self.take_apart(ir.int_type(32), cells, self.pairs(parts))
        if type_.kind == "vector":
            whole = ir.int_type(self.layout.bits(type_))
            return self.take_apart(whole, cells, self.bitcast(parts, type_, whole))
        if type_.kind == "int" and type_.bits % 8:  # what is left of the last byte is zero in memory
            last = parts[-1]
            kind = "i32" if last.type == "p" else last.type
            parts = [*parts[:-1], build.zext(last, type_.bits % 64, kind)]
        if len(cells) == 1:
            node = parts[0]
            wanted = {"u8": "i32", "u16": "i32"}.get(cells[0][0], cells[0][0])
            return [build.bitcast(node, wanted) if WIDTH[node.type] == WIDTH[wanted] else node]
        limbs = [build.bitcast(p, {16: "i32", 32: "i32", 64: "i64"}[WIDTH[p.type]]) for p in parts]
        unit = WIDTH[limbs[0].type]
        out = []
        for kind, at in cells:
            limb = limbs[at * 8 // unit]
            piece = build.binary("lshr", limb.type, limb, build.const("i32", at * 8 % unit))
            out.append(piece if kind == "i64" else build.trunc(piece))
        return out

    # --- atomics ------------------------------------------------------------------------------------------------

    def scope(self, inst: ir.Inst) -> str:
        found = SCOPES.get(inst.scope)
        if found is None:
            self.unsupported(f'syncscope("{inst.scope}")')
        return found

    def ordered_head(self, head: str, inst: ir.Inst) -> str:
        """ld/st with memory order: relaxed or acquire/release at a scope; seq_cst is preceded by a fence.sc."""
        order = inst.order[0]
        scope = self.scope(inst)
        if self.space(inst.args[-1].type) in ("local", "const", "param"):
            return head
        if "ordered" not in self.arch.features:
            return self.unordered_head(head, order, scope)
        if order == "seq_cst":
            self.build.raw(f"fencesc.{scope}", "", root=True)
        strong = order in ("acquire", "release", "seq_cst")
        self.order_data = ({"ld": "acquire", "st": "release"}[head] if strong else "relaxed", scope)
        return f"{head}ord"

    def unordered_head(self, head: str, order: str, scope: str) -> str:
        """Machines before sm_70 have volatile accesses and fences around them. Here an
        acquiring load is fenced before; `op_load` fences it after."""
        if order in ("seq_cst", "acquire", "release"):
            self.fence("fencesc", scope)
        return f"{head}vol"

    def fence(self, head: str, scope: str) -> None:
        """A fence, as membar where there is no other."""
        if "ordered" not in self.arch.features:
            head, scope = "membar", {"gpu": "gl", "cluster": "gl"}.get(scope, scope)
        self.build.raw(f"{head}.{scope}", "", root=True)

    def op_fence(self, inst: ir.Inst) -> list[Node]:
        if inst.scope == "singlethread":
            return []
        head = "fencesc" if inst.order[0] == "seq_cst" else "fence"
        self.fence(head, self.scope(inst))
        return []

    def sem(self, order: str) -> str:
        return {"monotonic": "relaxed", "unordered": "relaxed", "acquire": "acquire", "release": "release",
                "acq_rel": "acq_rel", "seq_cst": "acq_rel"}[order]  # fmt: skip

    def op_atomicrmw(self, inst: ir.Inst) -> list[Node]:
        build = self.build
        pointer = self.one(inst.args[0])
        space = self.space(inst.args[0].type)
        if is_packed(inst.type) and inst.type.count == 2 and inst.pred == "fadd":
            half = HALVES[inst.type.element.kind]
            value = self.pairs(self.parts(inst.args[1]))[0]
            old = self.atomic("fadd", space, half + "x2", pointer, (value,), inst)
            old.type = "i32"
            return self.unpair(old, half)
        if inst.pred == "xchg" and self.layout.bits(inst.type) == 128:
            return self.words_of(self.atomic("exch", space, "i128", pointer, tuple(self.parts(inst.args[1])), inst))
        value = self.one(inst.args[1])
        if inst.pred not in _ATOMIC_OPS:
            self.unsupported(f"atomicrmw {inst.pred}")
        op = _ATOMIC_OPS[inst.pred]
        kind = value.type
        if op == "sub":
            op, value = "add", build.binary("sub", kind, build.const(kind, 0), value)
        if op == "fsub":
            op, value = "fadd", build.pure(f"fneg.{kind}", kind, value)
        if op == "exch" and kind in ("f32", "f64"):
            whole = "i32" if kind == "f32" else "i64"
            old = self.atomic("exch", space, whole, pointer, (build.bitcast(value, whole),), inst)
            return [build.bitcast(old, kind)]
        return [self.atomic(op, space, kind, pointer, (value,), inst)]

    def atomic(self, op: str, space: str, kind: str, pointer: Node, values: tuple[Node, ...], inst: ir.Inst) -> Node:
        order = inst.order[-1] if inst.op == "atomicrmw" else max(inst.order, key=_STRENGTH.index)
        if "seq_cst" in inst.order:
            self.fence("fencesc", self.scope(inst))
        if space in ("local", "const", "param"):
            self.unsupported(f"atomic access to {space} memory")
        data = (self.sem(order), self.scope(inst))
        return self.build.raw(f"atom.{op}.{space}.{kind}", kind, (pointer, *values), data, root=True)

    def words_of(self, node: Node) -> list[Node]:
        """Results of an operation on 128 bits."""
        node.type = ""
        return [self.build.raw("res.i64", "i64", (node,), i) for i in range(2)]

    def op_cmpxchg(self, inst: ir.Inst) -> list[Node]:
        build = self.build
        pointer = self.one(inst.args[0])
        bits = self.layout.bits(inst.args[1].type)
        space = self.space(inst.args[0].type)
        if space == "local":
            # One thread's own; LLVM makes the like of atomicrmw.
            before = self.load("ld", space, inst.args[1].type, pointer, bits // 8)
            same = self.compare_parts("eq", bits, before, self.parts(inst.args[1]))
            after = self.choose(same, self.parts(inst.args[2]), before)
            self.store("st", space, inst.args[1].type, after, pointer, bits // 8)
            return [*before, same]
        if bits == 128:
            wanted, other = self.parts(inst.args[1]), self.parts(inst.args[2])
            parts = self.words_of(self.atomic("cas", space, "i128", pointer, (*wanted, *other), inst))
            return [*parts, self.wide_compare("eq", 128, parts, wanted)]
        expected, new = self.one(inst.args[1]), self.one(inst.args[2])
        kind = expected.type
        if bits < 32:
            if bits != 16:
                self.unsupported(f"cmpxchg of i{bits}")
            old = self.atomic("cas", space, "i16", pointer, (expected, new), inst)
            old.rename(old.op, "i32")
            return [old, self.compare("eq", 16, old, expected)]
        old = self.atomic("cas", space, kind, pointer, (expected, new), inst)
        return [old, build.icmp("eq", old, expected)]


_STRENGTH = ["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"]
_BITS = {
    "u16": ({"bitcast.i32.f16"}, {"bitcast.i32.bf16"}),
    "i32": ({"bitcast.i32.f32"},),
    "i64": ({"bitcast.i64.f64"},),
}
"""Cells that only bits of floats are stored to, by kind."""
_SIZE = {"u8": 1, "u16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def _terms(index: Node) -> tuple[Node, ...]:
    """Extended words that an index is the sum of: each takes one instruction with the address, their sum four."""
    if index.op == "add.i64" and all(term.op in ("sext.i64.i32", "zext.i64.i32") for term in index.args):
        return index.args
    return (index,)


def _peel(value: Node) -> tuple[Node, int]:
    """x + c of an index -> (x, c), so that the constant reaches the address; also through an extension of an add that
    cannot be seen to overflow (left alone: the flag is not kept in the DAG)."""
    if value.head == "add" and value.args[1].is_const:
        return value.args[0], signed(value.args[1].data, WIDTH[value.type])
    return value, 0


def _groups(cells: list[tuple[str, int]], align: int, most: int) -> list[tuple[int, int]]:
    """(first, count) of accesses: 2, 4 or 8 neighbours of one type go as a vector of at most so many bytes where
    alignment allows."""
    out = []
    at = 0
    while at < len(cells):
        kind, offset = cells[at]
        size = _SIZE[kind]
        count = 1
        for wanted in (8, 4, 2) if size == 4 else (4, 2):
            if size * wanted > most or at + wanted > len(cells) or align_at(align, offset) < size * wanted:
                continue
            if all(cells[at + i] == (kind, offset + i * size) for i in range(wanted)):
                count = wanted
                break
        out.append((at, count))
        at += count
    return out


def _words(
    build: Builder, cells: list[tuple[str, int]], values: list[Node], align: int
) -> tuple[list[tuple[str, int]], list[Node]]:
    """Accesses that store all bytes of a word, lowest first, as one that stores the word."""
    out: list[tuple[str, int]] = []
    kept: list[Node] = []
    at = 0
    while at < len(cells):
        kind, offset = cells[at]
        size = _SIZE[kind]
        count = 4 // size if size < 4 else 1
        word = None
        if count > 1 and align_at(align, offset) >= 4:
            run = cells[at : at + count]
            if run == [(kind, offset + i * size) for i in range(count)]:
                word = gathered(build, values[at : at + 4]) if size == 1 else _word(values[at : at + count], size)
        if word is None:
            out.append(cells[at])
            kept.append(values[at])
            at += 1
        else:
            out.append(("i32", offset))
            kept.append(word)
            at += count
    return out, kept


def _word(values: list[Node], size: int) -> Node | None:
    """The word whose bytes these values hold in turn, `size` each, in their lowest bits."""
    found = [part for value in values for part in parts_of(value)[:size]]
    first = found[0]
    if first is None or first[0].type != "i32" or found != [(first[0], byte) for byte in range(4)]:
        return None
    return first[0]


def _joined(values: list[Node]) -> list[Node] | None:
    """The 64-bit values whose halves these are, lower one first; None if they are not."""
    halves = [v.args[0] if v.op == "bitcast.f32.i32" else v for v in values]
    out = []
    for low, high in zip(halves[::2], halves[1::2], strict=True):
        if low.op != "trunc.i32.i64" or _upper(high) is not low.args[0]:
            return None
        out.append(low.args[0])
    return out


def _upper(node: Node) -> Node | None:
    """The 64-bit value of which a word is the upper half."""
    if node.op == "hi.i32.i64":
        return node.args[0]
    inner = node.args[0] if node.op == "trunc.i32.i64" else node
    if inner.op == "lshr.i64" and inner.args[1].is_const and inner.args[1].data == 32:
        return inner.args[0]
    return None
