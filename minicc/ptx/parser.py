"""PTX text -> `model.Module`: module scope, functions and declarations.

Input: any PTX up to ISA 9.0. Output: a module whose names are not yet checked (see `verify`). The first error in syntax
ends the parse with a `CompileError` that has place and caret. Cost: linear; about a microsecond a character.
"""

from __future__ import annotations

import re

from minicc import texts
from minicc.diagnostics import SourceFile, Span
from minicc.ptx.body import parse_body
from minicc.ptx.constexpr import evaluate, literal
from minicc.ptx.cursor import Cursor
from minicc.ptx.declare import is_declaration, parameters, variables
from minicc.ptx.model import Alias, Function, Int, Linkage, Module, Pragma, Variable
from minicc.ptx.names import LINKAGE, OF_FUNCTIONS, PERFORMANCE, TARGET_OPTIONS, THREE
from minicc.record import evolve

NEWEST = (9, 0)
"""Newest PTX ISA version that is understood."""
_TEXREF = 1, 5
"""Since when the variables of textures are .texref in .global, not .u32 or .u64 in .tex."""
_LAST = {1: 5, 2: 3, 3: 2, 4: 3, 5: 1, 6: 5, 7: 8, 8: 8, 9: 9}
"""The last of each series of versions."""

_DOUBLES = 13
"""From this target on machines have doubles."""
_VERSION = re.compile(r"([0-9]+)\.([0-9]+)$")
_TARGET = re.compile(r"sm_([0-9]+)([af]?)$|compute_([0-9]+)([af]?)$")


def parse(source: SourceFile) -> Module:
    """Parse one PTX file."""
    cursor = Cursor(source)
    module = _header(cursor)
    while cursor.texts[cursor.at]:
        _item(cursor, module)
    return module


def _header(cursor: Cursor) -> Module:
    """`.version`, `.target` and `.address_size`."""
    if not cursor.texts[0]:
        cursor.fail("Missing .version directive at start of file")
    if cursor.texts[0] != ".version":
        cursor.fail("Missing .version directive at start of file")
    cursor.at = 1
    match = _VERSION.match(cursor.texts[1])
    if match is None:
        cursor.fail("syntax error, expected a version such as 9.0")
    version = int(match[1]), int(match[2])
    # A later 9.x says more than 9.0 only where it uses what is new, and that is an error of its own: Triton writes the
    # newest version it knows at the head of everything.
    if version[0] > NEWEST[0] or version[1] > _LAST.get(version[0], -1):
        cursor.fail(f"Unsupported .version {cursor.texts[1]}; current version is '{NEWEST[0]}.{NEWEST[1]}'")
    cursor.at = 2
    if not cursor.accept(".target"):
        cursor.fail("Missing .target directive, expected after .version")
    targets: list[str] = []
    options: list[str] = []
    while True:
        word = cursor.texts[cursor.at]
        if _TARGET.match(word):
            targets.append(word)
        elif word in TARGET_OPTIONS:
            if word[:7] == "texmode" and any(o[:7] == "texmode" and o != word for o in options):
                cursor.fail(f"Conflicting .target option '{word}'")
            options.append(word)
        elif word == "map_f64_to_f32" and targets and int(targets[0].partition("_")[2].rstrip("af")) < _DOUBLES:
            pass  # later machines compute doubles all the same
        else:
            cursor.fail("Unrecognized target")
        cursor.at += 1
        if not cursor.accept(","):
            break
    if not targets:
        cursor.fail("syntax error, .target names no architecture")
    module = Module(version, targets[0], (*targets[1:], *options), 64)
    module.where = cursor.span_from(3)
    if cursor.accept(".address_size"):
        place = cursor.at
        module.address_size = cursor.integer()
        if module.address_size not in (32, 64):
            cursor.fail("address size must be 32 or 64", place)
    return module


def _item(cursor: Cursor, module: Module) -> None:
    """One thing at module scope."""
    token = cursor.texts[cursor.at]
    if token == ".file":
        _file(cursor, module)
    elif token == ".section":
        _section(cursor, module)
    elif token == ".pragma":
        module.order += pragmas(cursor)
    elif token == ".alias":
        start = cursor.at
        cursor.at += 1
        name = cursor.name()
        cursor.expect(",")
        target = cursor.name()
        cursor.expect(";")
        module.order.append(Alias(name, target, cursor.span_from(start)))
    elif token[:1] == "@" and cursor.texts[cursor.at + 1] == "@DWARF":
        cursor.fail("old-style DWARF is not supported")
    else:
        _declaration(cursor, module)


def _declaration(cursor: Cursor, module: Module) -> None:
    """A function or variables, with linkage words before either."""
    start = cursor.at
    linkage: Linkage = ""
    while (word := LINKAGE.get(cursor.texts[cursor.at])) is not None:
        if linkage:
            cursor.fail("syntax error, a declaration has one linkage directive")
        linkage = word
        cursor.at += 1
    token = cursor.texts[cursor.at]
    if token in (".func", ".entry"):
        function, statics = _function(cursor, linkage, token == ".entry")
        module.variables += statics
        module.order += statics
        module.functions.append(function)
        module.order.append(function)
    elif is_declaration(token):
        for variable in variables(cursor, linkage, start):
            if variable.space == "tex":
                if module.version >= _TEXREF:
                    cursor.fail("Deprecated feature: '.tex' not supported as of PTX version 1.5", start)
                variable = evolve(variable, space="global", type="texref")
            module.variables.append(variable)
            module.order.append(variable)
    else:
        cursor.fail("syntax error")


def _function(cursor: Cursor, linkage: Linkage, entry: bool) -> tuple[Function, list[Variable]]:
    """The function, and what its body declares in module spaces."""
    cursor.at += 1
    statics: list[Variable] = []
    attributes: list[tuple[str, tuple[int, ...]]] = []
    if cursor.texts[cursor.at] == ".attribute":
        cursor.at += 1
        attributes.append((f"attribute:{attribute_text(cursor)}", ()))
    returns: list[Variable] = []
    if not entry and cursor.texts[cursor.at] == "(":
        returns = parameters(cursor)
    name_at = cursor.at
    name = cursor.name()
    where = cursor.tokens.span(name_at)
    params = parameters(cursor) if cursor.texts[cursor.at] == "(" else []
    function = Function(name, entry, params, returns, linkage=linkage, where=where)
    function.directives = attributes + _directives(cursor, PERFORMANCE if entry else OF_FUNCTIONS)
    while cursor.texts[cursor.at] == ".pragma":
        function.directives += [(f"pragma:{p.text}", ()) for p in pragmas(cursor)]
    if cursor.texts[cursor.at] == "{":
        statics = parse_body(cursor, function)
    elif not cursor.accept(";") and (entry or cursor.texts[cursor.at][:1] not in (".", "")):
        # (the compilers of CUDA 2 and 3 end no declaration of a function)
        cursor.fail("syntax error, expected a function body or ';'")
    return function, statics


def _directives(cursor: Cursor, allowed: frozenset[str]) -> list[tuple[str, tuple[int, ...]]]:
    """`.maxntid 256, 1, 1` and its like."""
    found: list[tuple[str, tuple[int, ...]]] = []
    while (word := cursor.texts[cursor.at])[1:] in allowed and word[0] == ".":
        cursor.at += 1
        values: list[int] = []
        if cursor.texts[cursor.at][:1].isdigit() or cursor.texts[cursor.at] == "(":
            values.append(cursor.integer())
            while len(values) < (3 if word[1:] in THREE else 1) and cursor.accept(","):
                values.append(cursor.integer())
        found.append((word[1:], tuple(values)))
    if {"maxntid", "reqntid"} <= {name for name, _ in found}:
        cursor.fail("Conflicting directives: .maxntid and .reqntid cannot both be specified", cursor.at - 1)
    return found


def attribute_text(cursor: Cursor) -> str:
    """`(.managed)` or `(.unified(1, 2))` as ".managed"."""
    cursor.expect("(")
    if cursor.texts[cursor.at] not in (".managed", ".unified"):
        cursor.fail("syntax error, an attribute is .managed or .unified")
    depth, parts = 1, []
    while depth:
        token = cursor.texts[cursor.at]
        if not token:
            cursor.fail("syntax error, expected ')'")
        depth += (token == "(") - (token == ")")
        cursor.at += 1
        if depth:
            parts.append(token + (" " if token == "," else ""))
    return "".join(parts)


def pragmas(cursor: Cursor) -> list[Pragma]:
    """`.pragma "a", "b";`"""
    cursor.expect(".pragma")
    found = [Pragma(cursor.string())]
    while cursor.accept(","):
        found.append(Pragma(cursor.string()))
    cursor.expect(";")
    return found


def _file(cursor: Cursor, module: Module) -> None:
    """`.file 1 "path"[, timestamp, size]`"""
    cursor.at += 1
    place = cursor.at
    token = cursor.texts[cursor.at]
    if not token.isdigit():
        cursor.fail("syntax error, expected a file index")
    cursor.at += 1
    if int(token) > 1 << 31:
        cursor.fail("file index out of range", place)
    if int(token) in module.files:
        cursor.wrong("ptx.duplicate", f"Duplicate file index #{token}", cursor.tokens.span(place))
    module.files[int(token)] = texts.unquoted(cursor.string())
    while cursor.accept(","):
        evaluate(cursor)


def _section(cursor: Cursor, module: Module) -> None:
    """`.section .debug_str { ... }`, kept as text."""
    start = cursor.starts[cursor.at]
    cursor.at += 2
    if cursor.texts[cursor.at - 1][:1] != ".":
        cursor.fail("syntax error, expected a section name", cursor.at - 1)
    cursor.expect("{")
    while (token := cursor.texts[cursor.at]) != "}":
        if not token:
            cursor.fail("syntax error, expected '}'")
        if token[0].isdigit() and not isinstance(literal(token), Int):
            cursor.fail("syntax error, expected an integer")
        cursor.at += 1
        end = cursor.starts[cursor.at - 1] + len(token)
        if token[0].isdigit() and cursor.starts[cursor.at] == end and cursor.texts[cursor.at][:1].isalnum():
            cursor.fail("syntax error, expected ','")
    cursor.at += 1
    module.sections.append(cursor.source.text[start : cursor.starts[cursor.at - 1] + 1])


__all__ = ["NEWEST", "Span", "parse"]
