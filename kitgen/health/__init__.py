"""Health checks in Lua: those that come with kitgen, and what runs any of them within bounds.

In: the source of a check, and an object as a cluster has it. Out: the health that Argo CD would show, or why
there is none. It reads nothing but its own package data, and a check reaches nothing but the object.
"""

from kitgen.health.judging import HEALTH_LUA, Health, Status, judge
from kitgen.health.naming import ENDING, FOLDER, Check, Kind, kind_of
from kitgen.health.shipped import shipped
