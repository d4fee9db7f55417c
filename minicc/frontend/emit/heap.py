"""The heap: `new`, `delete`, and the arrays of objects that these make and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema import virtuals
from minicc.frontend.types import Type

if TYPE_CHECKING:
    from minicc.frontend.emit.values import Values


def new(v: Values, e: ast.New) -> str:
    """`new T(...)` and `new T[n]`, at a place or not."""
    if e.count is not None:
        return _new_array(v, e, e.count)
    if e.place is not None:
        memory = v.value(e.place)
    else:
        memory = v.intrinsic("malloc", "ptr", [("i64", str(max(1, e.made.size)))])
    if e.init is not None:
        v.initialise(e.made.bare, e.init, memory, max(1, e.made.align))
    return memory


def _new_array(v: Values, e: ast.New, n: ast.Expr) -> str:
    """`new T[n]`; before objects that end, unless the place is given, how many there are."""
    count = v.value(n)
    align = max(1, e.made.align)
    if e.place is not None:
        memory = v.value(e.place)
    else:
        head = max(8, e.made.align) if ty.destructors(e.made) else 0
        whole = v.make(f"mul i64 {count}, {max(1, e.made.size)}")
        if head:
            whole = v.make(f"add i64 {whole}, {head}")
        memory = v.intrinsic("malloc", "ptr", [("i64", whole)])
        if head:
            v.emit(f"store i64 {count}, ptr {v.offset(memory, head - 8)}, align 8")
            memory = v.offset(memory, head)
    first = 0
    if e.listed is not None:
        v.initialise(e.listed.type, e.listed, memory, align)
        first = e.listed.type.count
    if e.init is None:
        return memory
    counter = v.alloca(ty.ULONG)
    v.emit(f"store i64 {first}, ptr {counter}, align 8")
    test, body, end = v.label("test"), v.label("make"), v.label("made")
    v.begin(test)
    k = v.make(f"load i64, ptr {counter}, align 8")
    more = v.make(f"icmp ult i64 {k}, {count}")
    v.emit(f"br i1 {more}, label %{body}, label %{end}")
    v.dead = True
    v.begin(body)
    mark = len(v.temporaries)
    where = v.make(f"getelementptr {e.made.step}, ptr {memory}, i64 {k}")
    v.initialise(e.made.bare, e.init, where, align)
    v.end_temporaries(mark)
    v.emit(f"store i64 {v.make(f'add i64 {k}, 1')}, ptr {counter}, align 8")
    v.jump(test)
    v.begin(end)
    return memory


def delete(v: Values, e: ast.Delete) -> None:
    """`delete p`, `delete[] p`, and what ends an object by its name."""
    memory = v.value(e.operand)
    t = e.operand.type.elem
    assert t is not None
    ends = ty.destructors(t)
    virtual = None if e.array else virtuals.destructor_index(t.record, e.frees)
    if (ends and not e.array) or virtual is not None:
        some, end = v.label("delete"), v.label("deleted")
        null = v.make(f"icmp eq ptr {memory}, null")
        v.emit(f"br i1 {null}, label %{end}, label %{some}")
        v.dead = True
        v.begin(some)
        if virtual is not None:
            v.emit(f"call void {v.slot(memory, virtual)}(ptr {memory})")
        else:
            v.destroy(memory, ends)
        v.begin(end)
    elif ends:
        memory = _end_array(v, memory, t, ends)
    if e.frees and virtual is None:
        v.intrinsic("free", "void", [("ptr", memory)])


def _end_array(v: Values, memory: str, t: Type, ends: list[tuple[int, ast.Function]]) -> str:
    """End the elements of an array that `new` made, last first; returns where its memory begins. How many there are
    is written before the first, as the ABI has it."""
    head = max(8, t.align)
    some, test, body, end = v.label("ends"), v.label("test"), v.label("end"), v.label("ended")
    null = v.make(f"icmp eq ptr {memory}, null")
    before = v.block
    v.emit(f"br i1 {null}, label %{end}, label %{some}")
    v.dead = True
    v.begin(some)
    start = v.make(f"getelementptr i8, ptr {memory}, i64 {-head}")
    where = v.make(f"getelementptr i8, ptr {memory}, i64 -8")
    count = v.make(f"load i64, ptr {where}, align 8")
    counter = v.alloca(ty.ULONG)
    v.emit(f"store i64 {count}, ptr {counter}, align 8")
    v.begin(test)
    left = v.make(f"load i64, ptr {counter}, align 8")
    done = v.make(f"icmp eq i64 {left}, 0")
    v.emit(f"br i1 {done}, label %{end}, label %{body}")
    v.dead = True
    v.begin(body)
    left = v.make(f"sub i64 {left}, 1")
    v.emit(f"store i64 {left}, ptr {counter}, align 8")
    v.destroy(v.make(f"getelementptr {t.step}, ptr {memory}, i64 {left}"), ends)
    v.jump(test)
    v.begin(end)
    return v.make(f"phi ptr [ null, %{before} ], [ {start}, %{test} ]")
