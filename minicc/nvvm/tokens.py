"""Tokens of printed LLVM IR, and the constant tables the reader needs.

The text is split by one regular expression in one pass; positions are recovered (by a second scan) only when an error
has to be shown.
"""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""[ \t\r\n]*(?:;[^\n]*[ \t\r\n]*)*(
      [%@$](?:"[^"]*"|[-\w$.]+)
    | [=,(){}\[\]<>*|/^]
    | c?"[^"]*":?
    | [A-Za-z_][-\w$.]*(?::(?!:))?
    | [-\w$.]+:(?!:)
    | ![-\w$.\\]+ | !
    | \#[\w]+
    | [-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?
    | 0x[KLMHR]?[0-9A-Fa-f]+
    | -?[0-9]+
    | \.\.\.
    | \Z | .
    )""",
    re.VERBOSE,
)
"""The commonest first: most of a text is names, commas and words."""


def tokenise(text: str) -> list[str]:
    """All tokens, with "" at the end."""
    tokens: list[str] = TOKEN.findall(text)
    return tokens


def offset_of(text: str, index: int) -> tuple[int, int]:
    """Character range of the `index`-th token."""
    for at, match in enumerate(TOKEN.finditer(text)):
        if at == index:
            return match.span(1)
    return len(text), len(text)


def unquote(token: str) -> str:
    """Name without sigil, quotes and \\XX escapes: %"a\\20b" -> a b."""
    name = token[1:]
    if name[:1] == '"':
        return unescape(name[1:-1]).decode("utf-8", "replace")
    return name


def unescape(text: str) -> bytes:
    """Bytes of a quoted string's inside: \\XX is a byte, \\\\ a backslash."""
    if "\\" not in text:
        return text.encode()
    out = bytearray()
    at = 0
    while (slash := text.find("\\", at)) >= 0:
        out += text[at:slash].encode()
        if text[slash + 1 : slash + 2] == "\\":
            out.append(0x5C)
            at = slash + 2
        else:
            out.append(int(text[slash + 1 : slash + 3], 16))
            at = slash + 3
    out += text[at:].encode()
    return bytes(out)


LINKAGE = frozenset(
    [
        "private",
        "internal",
        "available_externally",
        "linkonce",
        "weak",
        "common",
        "appending",
        "extern_weak",
        "linkonce_odr",
        "weak_odr",
        "external",
    ]
)
PREEMPTION = frozenset(
    [
        "dso_local",
        "dso_preemptable",
        "hidden",
        "protected",
        "default",
        "dllimport",
        "dllexport",
        "unnamed_addr",
        "local_unnamed_addr",
        "externally_initialized",
        "thread_local",
    ]
)
CALLING = frozenset(["ptx_kernel", "ptx_device", "ccc", "fastcc", "coldcc", "tailcc"])
FAST_MATH = frozenset(["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"])
BINARY = frozenset(
    [
        "add",
        "sub",
        "mul",
        "udiv",
        "sdiv",
        "urem",
        "srem",
        "shl",
        "lshr",
        "ashr",
        "and",
        "or",
        "xor",
        "fadd",
        "fsub",
        "fmul",
        "fdiv",
        "frem",
    ]
)
CASTS = frozenset(
    [
        "trunc",
        "zext",
        "sext",
        "fptrunc",
        "fpext",
        "fptoui",
        "fptosi",
        "uitofp",
        "sitofp",
        "ptrtoint",
        "ptrtoaddr",
        "inttoptr",
        "bitcast",
        "addrspacecast",
    ]
)
BINARY_FLAGS = frozenset({"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"}) | FAST_MATH
VALUE_WORDS = (
    frozenset(
        [
            "true",
            "false",
            "null",
            "undef",
            "poison",
            "zeroinitializer",
            "none",
            "splat",
            "asm",
            "blockaddress",
            "dso_local_equivalent",
            "no_cfi",
            "getelementptr",
            "extractelement",
            "insertelement",
            "shufflevector",
            "select",
            "icmp",
            "fcmp",
        ]
    )
    | BINARY
    | CASTS
)
ORDERINGS = frozenset(["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"])
