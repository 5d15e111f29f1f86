"""Stored results become histories: how each stood to those before it of the same set-up, and when the set-up changed.

What it needs of a `ResultRow` besides what is there: `span_bytes`, `time_ns`, `engine`, `tool_version`, `device_name`,
`device_model`, `experiment_id`, and `setup`, the JSON text of an object with the known facts of `facts.SETUP` by name
(keys sorted), so that an equal text means an equal set-up.
"""
