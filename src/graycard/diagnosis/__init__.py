"""Why a copy is slow: each layer measured with the same bytes, both ends sampled, and a change that confirms it.

asked        what is asked, and by which tool
study        the whole of it on one page
ceilings     what each layer alone reaches
watched      one copy with both ends sampled
near         what this end looks at: tool, mount, connections
clocks       one clock for both ends
series       counters and levels as even steps of time
connections  tracks of the copy's own connection
ends         tracks of one end
timeline     both ends together
material     what was found so far, as evidence
ground       the run's own folders
changes      a change tried, in pairs
trials       which changes can be tried
watching     a copy that another program makes
"""

from graycard.diagnosis.asked import Asked, tool_for
from graycard.diagnosis.near import children_now
from graycard.diagnosis.study import Study

__all__ = ["Asked", "Study", "children_now", "tool_for"]
