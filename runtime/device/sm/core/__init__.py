"""An SM: CTAs that come to it, warps that are picked, issue, wait and diverge."""
