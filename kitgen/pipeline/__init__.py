"""The one place that joins the stages: load → compile → emit → check → write.

Commands hand it a request and get a result; they print, it does not.
"""

from kitgen.pipeline.build import build
from kitgen.pipeline.checks import Checked, check_names, check_plans
from kitgen.pipeline.opened import Opened, open_kit, stop_on_errors
from kitgen.pipeline.render import Rendered, RenderRequest, export, render
from kitgen.pipeline.trace import Trace, TraceStep, trace
from kitgen.pipeline.values import compact

__all__ = [
    "Checked",
    "Opened",
    "RenderRequest",
    "Rendered",
    "Trace",
    "TraceStep",
    "build",
    "check_names",
    "check_plans",
    "compact",
    "export",
    "open_kit",
    "render",
    "stop_on_errors",
    "trace",
]
