"""A C++ extension of two lines, built and loaded as ``torch.utils.cpp_extension`` builds a user's.

Its build directory is the one that the log names, where there is one: a lock or a
library that is left there meets the probe as it met the user.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .measure import timed
from .result import Reached, Result

_NAME = "tracelens_probe"
_SOURCE = """
#include <pybind11/pybind11.h>
double twice(double x) { return 2 * x; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("twice", &twice); }
"""


#: A kernel that adds one, for faults of nvcc and of the architectures that it builds for.
_CUDA_SOURCE = """
#include <pybind11/pybind11.h>
#include <cuda_runtime.h>
#include <stdexcept>
__global__ void add_one(double* x) { *x += 1; }
double twice(double x) {
  double *place, half = x * 2 - 1;
  cudaMalloc(&place, sizeof half);
  cudaMemcpy(place, &half, sizeof half, cudaMemcpyHostToDevice);
  add_one<<<1, 1>>>(place);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA error: ") + cudaGetErrorString(error));
  cudaMemcpy(&half, place, sizeof half, cudaMemcpyDeviceToHost);
  cudaFree(place);
  return half;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("twice", &twice); }
"""


def run(job: dict[str, Any], result: Result) -> None:
    """Build, load and call the extension; eager has nothing to build."""
    if job["entry"] == "eager":
        return
    from torch.utils.cpp_extension import load

    folder = Path(job["folder"]) if job.get("folder") else Path(os.environ["TORCH_EXTENSIONS_DIR"]) / _NAME
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{_NAME}.{'cu' if job.get('cuda') else 'cpp'}"
    source.write_text(_CUDA_SOURCE if job.get("cuda") else _SOURCE, encoding="utf-8")
    result.reach(Reached.COMPILE)
    module, seconds = timed(
        lambda: load(name=_NAME, sources=[str(source)], build_directory=str(folder), verbose=False), "cpu"
    )
    result.facts["compile_s"] = round(seconds, 3)
    result.facts["compiles"] = 1
    result.reach(Reached.COMPARE)
    right = module.twice(21.0) == 42.0
    result.facts["wrong"] = [] if right else ["the extension computes something else"]
    result.facts["max_abs_error"] = 0.0
