"""What driver and device agree on: QMD, methods, GPFIFO, USERD, bank 0. Layouts as data, with their sources."""
