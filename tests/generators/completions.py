"""What models write, at every depth: boxes, formulas, calls and JSON, whole or broken."""

_CORES = (
    *("", "9", "1/2", "0.5", "x", "-3", "1e999", "B", "the cat", "True", "null", "\ud800", "\0"),
    *('"a"', "a=1", '"a": 1', "\\", "\\\\", "10^{10}", "9^9^9", "½", "５", "'", '"', "\n\n"),
)
PAIRS = (  # the two sides of what models put around other things
    (r"\boxed{", "}"),
    (r"\boxed{\boxed ", "}"),
    (r"\frac{1}{", "}"),
    (r"\frac{", "}{2}"),
    (r"\dfrac", " 2"),
    ("9^{", "}"),
    ("2^", ""),
    ("x_{", "}"),
    (r"\sqrt{", "}"),
    (r"\sqrt[3]{", "}"),
    (r"\sqrt[", "]{2}"),
    (r"\left(", r"\right)"),
    (r"\text{", "}"),
    (r"\mathrm{", "}"),
    (r"\sin(", ")"),
    (r"\log_{", "}{2}"),
    (r"\begin{pmatrix}", r"\\ 1 & 2\end{pmatrix}"),
    (r"\begin{cases}", r"\end{cases}"),
    (r"\int_0^{", "} x dx"),
    (r"\{", r"\}"),
    *(
        (r"\(", r"\)"),
        (r"\[", r"\]"),
        ("$", "$"),
        ("$$", "$$"),
        ("|", "|"),
        (r"\lfloor", r"\rfloor"),
    ),
    *(("(", ")"), ("[", "]"), ("{", "}"), ("-", ""), ("+", ""), ("", "!"), ("", "%"), ("1+", "")),
    *(("", " and 2"), ("x = ", ""), ("", ", 3"), ("1 < ", " < 3"), ("2 ", " apples"), ("", "'")),
    *(("<think>", "</think>"), ("<answer>", "</answer>"), ("The answer is ", "."), ("#### ", "\n")),
    *(("**", "**"), ("```\n", "\n```"), ("```json\n", "\n```"), ("```python\n", "\n```")),
    *(("Final Answer: ", "\n"), ("Answer: (", ")"), ("(", ").")),
    *(('{"a": ', "}"), ("[1, ", "]"), ('"', '"'), ("[f(a=", ")]"), ("f(", ")"), ("not ", "")),
    ('{"name": "f", "arguments": ', "}"),
    ("<tool_call>\n", "\n</tool_call>"),
    ("<function=f>\n<parameter=a>\n", "\n</parameter>\n</function>"),
    ("<|python_tag|>", "<|eom_id|>"),
    ("[TOOL_CALLS] [", "]"),
    ("[TOOL_CALLS]f[ARGS]", "</s>"),
    ("<start_function_call>call:f{a:", "}<end_function_call>"),
    ("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
    ('<｜DSML｜invoke name="f">', "</｜DSML｜invoke>"),
)
DEPTHS = (0, 1, 2, 3, 5, 8, 12, 40, 163, 200, 500, 1_000, 3_000)
_LENGTH = 20_000  # characters, at most
_CUTS = 0.3  # the share of completions that lack a piece


def completion(chance, depth=None):
    """A completion of this depth: a tower of a few kinds of levels, or one of many."""
    if depth is None:
        depth = chance.choices(DEPTHS, weights=range(len(DEPTHS), 0, -1))[0]
    kinds = chance.choices(PAIRS, k=chance.choice((1, 1, 2, 3, 9)))
    levels = [chance.choice(kinds) for _ in range(depth)]
    levels = [chance.choice((PAIRS[0], chance.choice(PAIRS))), *levels]
    text = (
        "".join(before for before, _ in levels)
        + chance.choice(_CORES)
        + "".join(after for _, after in reversed(levels))
    )[:_LENGTH]
    if chance.random() < _CUTS:
        start = chance.randrange(len(text) + 1)
        text = text[:start] + text[start + chance.choice((1, 1, 3, 10, len(text))) :]
    return text


def completions(chance, rows):
    """Completions as trainers pass them: mostly texts, and messages with a part of them."""
    texts = []
    for _ in range(rows):
        text = completion(chance)
        kind = chance.random()
        if kind < 0.05:
            call = {"function": {"name": "f", "arguments": text}}
            text = [{"role": "assistant", "content": None, "tool_calls": [call]}]
        elif kind < 0.1:
            parts = [{"type": "text", "text": text}, {"type": "image"}]
            text = [{"role": "assistant", "content": parts}]
        texts.append(text)
    return texts
