"""The one place that joins the stages: load → compile → emit → check → write.

Commands hand it a request and get a result; they print, it does not.
"""

from kitgen.pipeline.build import build
from kitgen.pipeline.checks import Checked, check_names, check_plans
from kitgen.pipeline.opened import Opened, open_kit, stop_on_errors
from kitgen.pipeline.render import Rendered, RenderRequest, export, render
from kitgen.pipeline.trace import TraceStep, trace

__all__ = [
    "Checked",
    "Opened",
    "RenderRequest",
    "Rendered",
    "TraceStep",
    "build",
    "check_names",
    "check_plans",
    "export",
    "open_kit",
    "render",
    "stop_on_errors",
    "trace",
]
