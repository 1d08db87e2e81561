; llc-22 -mtriple=riscv64 -mattr=+f,+d,+zfh -global-isel -O0 crashes: a copy from a register of integers to one of half.
define i1 @f(i16 %x) {
  %h = bitcast i16 %x to half
  %r = fcmp ueq half %h, %h
  ret i1 %r
}
