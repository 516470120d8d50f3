"""What an axis, a setting or a knob can be set to."""

Value = int | float | str
