"""What CUDA C++ offers without a declaration: functions, special variables, library functions."""
