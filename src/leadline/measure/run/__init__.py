"""A plan carried out: checked, launched, collected."""
