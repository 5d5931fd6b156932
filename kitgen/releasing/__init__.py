"""What is to be done for a release, step by step.

In: what the specs say of a release, and what files show of it. Out: the steps in order, each done, to do or
blocked, with the commands that do it, and a script that runs them. It must not read files or run programs.
"""

from kitgen.releasing.facts import Bundled, Facts, Repository, Shown
from kitgen.releasing.plan import Plan, plan_of
from kitgen.releasing.step import Key, Part, State, Step
