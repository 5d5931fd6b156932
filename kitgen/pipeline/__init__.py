"""The one place that joins the stages: load → compile → emit → check → write.

Commands hand it a request and get a result; they print, it does not.
"""

from kitgen.pipeline.build import build
from kitgen.pipeline.checking import Checked, CheckRequest, run_check
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import Opened, open_kit, stop_on_errors
from kitgen.pipeline.render import Exported, Rendered, RenderRequest, export, render
from kitgen.pipeline.trace import Trace, TraceStep, trace
from kitgen.pipeline.values import compact

__all__ = [
    "CheckRequest",
    "Checked",
    "Exported",
    "Opened",
    "RenderRequest",
    "Rendered",
    "Trace",
    "TraceStep",
    "build",
    "check_plans",
    "compact",
    "export",
    "open_kit",
    "render",
    "run_check",
    "stop_on_errors",
    "trace",
]
