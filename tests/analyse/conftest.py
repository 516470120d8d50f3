"""Properties are held to what they say, not to how long a busy machine takes for an example."""

from hypothesis import settings

settings.register_profile("analyse", deadline=None)
settings.load_profile("analyse")
