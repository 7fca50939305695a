"""What users lay down in their turns: rules, limits, decisions and corrections, however worded."""
