"""The CPU side of a launch: module loading, allocation, channels. It talks to a device only through its memory, its
doorbell, and what a kernel driver does for it (creating channels)."""
