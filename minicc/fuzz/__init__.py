"""Random programs as strategies of Hypothesis: for `minicc fuzz`, for the tests here, and for yours.

`kernels.kernels()` draws CUDA kernels over variables, `memory.kernels()` such as people write over arrays (their first
line says how they are launched, and `memory.launch` does), `language.kernels()` such of C++ without casts;
`control.programs()` and `expr.expressions()` draw programs of LLVM IR (`to_ir`) whose exact results are known
(`evaluate`). None has undefined behaviour, and one that fails shrinks to a few lines. A test of two ways
to compile and run a kernel, functions from its text to what it wrote:

    from hypothesis import given
    from minicc.fuzz import kernels

    @given(kernels.kernels(size=8))
    def test_both_agree(text):
        kernels.check(text, one_way, another)
"""
