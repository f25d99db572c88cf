"""The agenda and the wakes, driven by a real event loop; used by scheduler and worker alike."""
