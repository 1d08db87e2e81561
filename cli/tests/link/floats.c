// Arithmetic in the registers that the machine has, or by calls where it has none.
double scaled(double number, int factor) { return number * factor + 1.5; }

float third(const float *number) { return *number / 3; }
