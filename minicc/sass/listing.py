"""A whole program as text that `assembler` reads back to the same bytes.

Directives hold what the code does not: `.function`, `.registers`, `.param`, `.attribute` ... An instruction line is

        [B------:R-:W0:-:S02]  LDC R1, c[0x0][0x28] ;  {field=0x1}

control codes, the instruction as nvdisasm prints it, and in braces the values of fields that print nothing. A word
whose text does not determine it (NaN payloads, reserved codes) is a `.word` with its text as a comment.
"""

from __future__ import annotations

from minicc.arch import Arch
from minicc.diagnostics import CompileError, Span
from minicc.record import evolve
from minicc.sass.codec import decode, encode
from minicc.sass.control_text import control_text, printable
from minicc.sass.instr import Instr, Target
from minicc.sass.parser import parse
from minicc.sass.printer import format
from minicc.sass.program import Function, Program, Relocation, Variable

WORD = 16


def disassemble(program: Program, place: str | None = None) -> str:
    """The listing of `program`, which `place` names in an error; ends with a newline."""
    arch = arch_of(program.arch, place=place)
    out = [f".target {program.arch}"]
    if program.ptx_version:
        out.append(f".ptx_version {program.ptx_version[0]}.{program.ptx_version[1]}")
    if program.virtual:
        out.append(f".virtual_sm {program.virtual}")
    if program.uses_extern_shared:
        out.append(".uses_extern_shared")
    if program.independent:
        out.append(".independent")
    out += [f".extern {quoted(name)}" for name in program.externs]
    out += [f".reference {quoted(name)}, {kind}" for name, kind in program.references.items()]
    out += [f".constant4 {quoted(name)}" for name in program.constant4]
    if program.debug_line is not None:
        out += [".debug_line", *hex_lines(program.debug_line)]
    for variable in program.variables:
        out += _variable(variable)
    for function in program.functions:
        out += ["", *_function(function, arch)]
    return "\n".join(out) + "\n"


def arch_of(name: str, where: Span | None = None, place: str | None = None) -> Arch:
    """The description of an architecture, or a stand-in that only knows its encoding family; `where` or `place` of the
    name goes into the error."""
    from minicc import arch

    return arch.get(name) if name in arch.NAMES else stand_in(name, where, place)


def stand_in(name: str, where: Span | None = None, place: str | None = None) -> Arch:
    """An Arch of a machine that has no description, good for decoding: sm_90's with the family of its SM number."""
    from minicc import arch
    from minicc.diagnostics import fail

    digits = "".join(ch for ch in name if ch.isdigit())
    sm = int(digits or 0)
    families = ((80, "sm_80"), (86, "sm_86"), (89, "sm_89"), (90, "sm_90"), (100, "sm_100"), (120, "sm_120"), (130, ""))
    family = ""
    for low, label in families:
        if sm >= low:
            family = label
    if not family:
        fail("sass.arch", f"no instruction encoding is known for '{name}'", where, place=place)
    letter = name[-1] if name[-1:] in "af" else ""
    return arch.get("sm_90")._replace(name=name, sm=sm, feature=letter, sass=family)


def quoted(text: str) -> str:
    """A name, in quotes if it is not a plain one."""
    plain = text and all(ch.isalnum() or ch in "_$.@" for ch in text)
    if plain:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def hex_lines(data: bytes) -> list[str]:
    """`.bytes` directives of 32 bytes each."""
    return [f"    .bytes {data[at : at + 32].hex()}" for at in range(0, len(data), 32)]


def _relocations(relocations: list[Relocation], indent: str) -> list[str]:
    return [f"{indent}.relocation {r.offset:#x}, {r.kind}, {quoted(r.symbol)}, {r.addend:#x}" for r in relocations]


def _variable(v: Variable) -> list[str]:
    where = "" if v.offset is None else f", offset {v.offset:#x}"
    out = [f".variable {quoted(v.name)}, {v.space}, size {v.size}, align {v.align}{where}"]
    if v.init is not None:
        zero = not any(v.init)
        out += [f"    .zero {len(v.init)}"] if zero else hex_lines(v.init)
    return out + _relocations(v.relocations, "    ")


def _function(f: Function, arch: Arch) -> list[str]:
    out = [f".function {quoted(f.name)}, {'entry' if f.entry else 'device'}", f"    .registers {f.registers}"]
    if f.barriers:
        out.append(f"    .barriers {f.barriers}")
    out.append(f"    .shared {f.shared}, align {f.shared_align}")
    out.append(f"    .frame {f.frame}, min_stack {f.min_stack}")
    out += [f"    .param {p.ordinal}, offset {p.offset:#x}, size {p.size}" for p in f.params]
    out.append(f"    .param_bytes {f.param_bytes}")
    for name, value in (("max_threads", f.max_threads), ("req_threads", f.req_threads)):
        if value is not None:
            out.append(f"    .{name} {value[0]}, {value[1]}, {value[2]}")
    for name, number in (("min_ctas", f.min_ctas), ("max_registers", f.max_registers)):
        if number is not None:
            out.append(f"    .{name} {number}")
    out += [f"    .callee {quoted(name)}" for name in f.callees]
    out += [f"    .header {quoted(name)}" for name in f.headers]
    if f.constant2:
        out += ["    .constant2", *hex_lines(f.constant2)]
    out += _relocations(f.relocations, "    ")
    out += [f"    .attribute {quoted(name)}, {value!r}" for name, value in f.attributes.items()]
    return [*out, *_code(f, arch)]


def _code(f: Function, arch: Arch) -> list[str]:
    instrs: list[Instr | None] = []
    for at in range(0, len(f.code) - len(f.code) % WORD, WORD):
        try:
            instrs.append(decode(int.from_bytes(f.code[at : at + WORD], "little"), arch, at))
        except CompileError:
            instrs.append(None)
    end = len(instrs) * WORD
    targets = sorted({t for i in instrs if i for t in branch_targets(i) if 0 <= t <= end and t % WORD == 0})
    local = {t: f".L_{k}" for k, t in enumerate(targets)}
    named: dict[int, list[str]] = {}
    for name, offset in f.labels.items():
        named.setdefault(offset, []).append(name)
    marks: dict[int, list[str]] = {}
    for line in f.lines:
        chain = f", {line.inlined_at!r}" if line.inlined_at else ""
        marks.setdefault(line.offset, []).append(f"    .loc {line.file!r}, {line.line}, {line.column}{chain}")
    out = []
    for at in sorted(set(named) | set(marks) | set(local) | set(range(0, end, WORD))):
        if at % WORD or at > end:
            out.append(f"    .at {at:#x}")
        out += [f".label {quoted(name)}" for name in named.get(at, ())]
        out += [f"{local[at]}:"] if at in local else []
        out += marks.get(at, [])
        if at % WORD or at >= end:
            continue
        word = int.from_bytes(f.code[at : at + WORD], "little")
        out.append("    " + instruction_line(instrs[at // WORD], word, arch, at, local))
    rest = f.code[end:]
    return out + ([f"    .bytes {rest.hex()}"] if rest else [])


def branch_targets(instr: Instr) -> list[int]:
    """Addresses that the instruction names in its own section."""
    return [o.address for o in instr.operands if isinstance(o, Target) and o.address is not None]


def with_labels(instr: Instr, labels: dict[int, str]) -> Instr:
    """`instr` with its targets replaced by labels where there is one."""
    operands = tuple(
        Target(label=labels[o.address]) if isinstance(o, Target) and o.address in labels else o for o in instr.operands
    )
    return evolve(instr, operands=operands)


def instruction_line(instr: Instr | None, word: int, arch: Arch, at: int, labels: dict[int, str]) -> str:
    """The line of one word: what the assembler makes of it is `word` again."""
    low, high = word & (1 << 64) - 1, word >> 64
    raw = f".word {low:#018x}, {high:#018x}"
    if instr is None:
        return raw
    text = format(instr, arch.sass)
    if not printable(instr.control):
        return f"{raw}  // {text}"
    for explicit in (False, True):
        trial = format(instr, arch.sass, explicit)
        try:
            back = parse(trial, arch.sass)
        except CompileError:
            continue
        hidden = list(instr.hidden)
        if back.control.reuse != instr.control.reuse:
            hidden.append(("reuse", instr.control.reuse))
        full = evolve(back, control=instr.control, hidden=instr.hidden)
        try:
            if encode(full, arch, at) != word:
                continue
        except CompileError:
            continue
        notes = "  {" + ", ".join(f"{name}={value:#x}" for name, value in hidden) + "}" if hidden else ""
        shown = format(with_labels(instr, labels), arch.sass, explicit)
        return f"[{control_text(instr.control)}]  {shown}{notes}"
    return f"{raw}  // {text}"
