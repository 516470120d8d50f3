"""From a plan to samples: plan, build, launch, run."""
