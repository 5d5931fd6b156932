"""Labels of the Applications that a fleet is made of; steps of a rollout go by them."""

WAVE_LABEL, COMPONENT_LABEL = "kitgen.wave", "kitgen.component"
