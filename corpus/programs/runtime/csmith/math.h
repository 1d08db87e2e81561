// The functions of the C library's header that programs of csmith call: not every target has a library.
float fabsf(float);
double fabs(double);
double ldexp(double, int);
