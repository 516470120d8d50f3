"""Host files as launchers read them: slots, where ranks go, and what is refused or misread."""
