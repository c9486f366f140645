"""How to find a misuse in one's own program: tools by what the misuse looks like and by its error text."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    command: str
    what: str
    link: str


_CUDA_ENV = "https://docs.pytorch.org/docs/stable/cuda_environment_variables.html"
_MEMORY = "https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"

_BLOCKING = Tool(
    "CUDA_LAUNCH_BLOCKING=1 ./program",
    "Every launch waits for its end, so an error is raised where it was caused. If wrong values become right "
    "with it, an order between streams or host and GPU is missing.",
    _CUDA_ENV,
)
_STREAM_SANITIZER = Tool(
    "TORCH_CUDA_SANITIZER=1 python program.py",
    "PyTorch's stream sanitizer: names two accesses of one tensor from two streams without an order between "
    "them. Python alone; it sees operations, not what a graph replays.",
    "https://docs.pytorch.org/docs/stable/cuda._sanitizer.html",
)
_SANITIZER = Tool(
    "PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer ./program",
    "Names the kernel and the address of an access outside live memory. Without PyTorch's cache each tensor "
    "is an allocation of its own; with it, a block that was freed to the cache still counts as live.",
    "https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html",
)
_SNAPSHOT = Tool(
    "torch.cuda.memory._record_memory_history(); …; torch.cuda.memory._dump_snapshot('memory.pickle')",
    "Who allocated each block, when it was freed and used again, and in which pool it lies: open the file at "
    "pytorch.org/memory_viz.",
    _MEMORY,
)
_GRAPH_DUMP = Tool(
    "graph.enable_debug_mode(); …; graph.debug_dump('graph.dot')",
    "The nodes that were recorded, with the addresses that each replay uses again.",
    "https://docs.pytorch.org/docs/stable/generated/torch.cuda.CUDAGraph.html",
)
_TRACE = Tool(
    "TORCH_SHOW_CPP_STACKTRACES=1 ./program",
    "The C++ frames behind the error. Inside a capture the first error is the one to look at: those after it "
    "are about a capture that is lost already.",
    "https://docs.pytorch.org/docs/stable/debugging_environment_variables.html",
)
_SYNC_DEBUG = Tool(
    "torch.cuda.set_sync_debug_mode('error')",
    "Refuses what makes the host wait for the GPU, at the line that does; try it on the eager code before it "
    "is captured.",
    "https://docs.pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html",
)
_DEBUGGER = Tool(
    "gdb -batch -ex run -ex bt --args ./program",
    "Where the process died.",
    "https://sourceware.org/gdb/current/onlinedocs/gdb.html/",
)
_ATTACH = Tool(
    "gdb -p PID -batch -ex 'thread apply all bt'",
    "What each thread waits for; for Python `py-spy dump --pid PID`.",
    "https://sourceware.org/gdb/current/onlinedocs/gdb.html/",
)
_ASSERTIONS = Tool(
    "CUDA_LAUNCH_BLOCKING=1 ./program 2>&1 | grep Assertion",
    "The failed assertion with its kernel and thread stands on stderr, before the exception. The process "
    "must be started anew: nothing on that GPU works in it any more.",
    _CUDA_ENV,
)

_BY_TEXT: tuple[tuple[str, tuple[Tool, ...]], ...] = (
    (r"device-side assert", (_ASSERTIONS,)),
    (r"illegal memory access|invalid device pointer", (_SANITIZER, _BLOCKING)),
    (r"out of memory", (_SNAPSHOT,)),
    (r"captur", (_TRACE, _SYNC_DEBUG)),
    (r"CUDA error", (_BLOCKING, _TRACE)),
)
_BY_SYMPTOM: dict[str, tuple[Tool, ...]] = {
    "error": (_TRACE,),
    "corrupt": (_BLOCKING, _STREAM_SANITIZER, _SNAPSHOT),
    "crash": (_DEBUGGER, _SANITIZER),
    "hang": (_ATTACH, _BLOCKING),
    "growth": (_SNAPSHOT,),
}
_OF_GRAPHS = ("replay", "shared_pool", "graphed_callables", "mem_pool")


def tools(symptom: str, area: str, text: str) -> tuple[Tool, ...]:
    """Those for `text`, else those for the symptom; nothing where looking at the code is all there is."""
    for pattern, found in _BY_TEXT:
        if symptom == "error" and re.search(pattern, text):
            return found
    found = _BY_SYMPTOM.get(symptom, ())
    if symptom == "corrupt" and area in _OF_GRAPHS:
        return (_SNAPSHOT, _GRAPH_DUMP, _BLOCKING)
    return found
