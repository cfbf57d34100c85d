"""What machines do not have, in terms of what they have: functions, narrow floats, division."""
