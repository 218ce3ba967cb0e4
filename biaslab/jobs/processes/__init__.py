"""Heavy work in a process of its own, which can be killed without harm to anything else.

`heavy` marks a function whose job may run there, `SubjectReference` hands it a subject by name, and
`WorkProcess` is the process as its caller sees it.
"""

from __future__ import annotations

from biaslab.jobs.processes.work_process import Heavy, SubjectReference, WorkProcess, heavy

__all__ = ["Heavy", "SubjectReference", "WorkProcess", "heavy"]
