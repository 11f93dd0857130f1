"""A C++ extension of two files that is built when it is first loaded."""

from pathlib import Path

from torch.utils.cpp_extension import load

HERE = Path(__file__).parent
SOURCES = {
    "ops.cpp": """
#include <pybind11/pybind11.h>
double half(double x);
double twice(double x) { return half(4 * x); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("twice", &twice); }
""",
    "half.cpp": "double half(double x) { return x / 2; }\n",
}
for name, text in SOURCES.items():
    if not (HERE / name).exists() or (HERE / name).read_text() != text:
        (HERE / name).write_text(text)
extension = load(name="ops", sources=[HERE / name for name in SOURCES])
print(extension.twice(21.0))
print("ok")
