; Constants that C does not make. The test gives the module the data layout of each target.
%pair = type { i8, i64 }
%outer = type { i16, [2 x %pair], <{ i8, %pair }> }

@odd = global i33 -1
@odds = global [2 x i36] [i36 -1, i36 5]
@byte_and_bit = global { i1, i9, i24 } { i1 true, i9 -1, i24 u0x010203 }
@wide = global i129 -340282366920938463463374607431768211455
@half_wide = global [2 x i128] [i128 1, i128 -2]
@bits = global <8 x i1> <i1 true, i1 false, i1 false, i1 true, i1 true, i1 false, i1 false, i1 false>
@more_bits = global <11 x i1> splat (i1 true)
@fives = global <3 x i5> <i5 1, i5 -1, i5 7>
@shorts = global <3 x i16> <i16 1, i16 2, i16 -3>
@pointers = global <2 x ptr> <ptr @odd, ptr getelementptr (i8, ptr @odds, i64 8)>
@splat = global { i8, <4 x i32> } { i8 1, <4 x i32> splat (i32 u0x01020304) }
@halves = global [2 x half] [half 0xH3C00, half 0xH8001]
@brains = global [2 x bfloat] [bfloat 1.5, bfloat 0xR7F81]
@quad = global { i8, fp128 } { i8 1, fp128 0xL0123456789ABCDEF3FFF000000000000 }
@x87 = global { i8, x86_fp80, i8 } { i8 1, x86_fp80 0xK3FFF8000000000000001, i8 2 }
@twin = global { i8, ppc_fp128 } { i8 1, ppc_fp128 0xM3FF00000000000003C90000000000001 }
@singles = global [3 x float] [float 0x7FF0000020000000, float 0x36A0000000000000, float -0.0]
@double_of_nan = global double 0x7FF4000000000001
@outer = global %outer { i16 1, [2 x %pair] [%pair { i8 2, i64 3 }, %pair zeroinitializer], <{ i8, %pair }> <{ i8 4, %pair { i8 5, i64 6 } }> }
@into = global ptr getelementptr inbounds nuw inrange(-8, 16) (%outer, ptr @outer, i64 1, i32 1, i64 1, i32 1)
@into_packed = global ptr getelementptr (%outer, ptr @outer, i64 -1, i32 2, i32 1, i32 0)
@short_index = global ptr getelementptr (i32, ptr @outer, i8 -1)
@distance = global i64 sub (i64 ptrtoint (ptr getelementptr (%outer, ptr @outer, i64 1) to i64), i64 ptrtoint (ptr @outer to i64))
@sum = global ptr inttoptr (i64 add (i64 ptrtoint (ptr @outer to i64), i64 300) to ptr)
@masked = global i64 xor (i64 sub (i64 ptrtoint (ptr getelementptr (%pair, ptr @outer, i64 3) to i64), i64 ptrtoint (ptr @outer to i64)), i64 -1)
@relative = global i32 trunc (i64 sub (i64 ptrtoint (ptr @outer to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
@relative_with_number = global [2 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @odds, i64 5) to i64), i64 ptrtoint (ptr getelementptr (i8, ptr @relative_with_number, i64 4) to i64)) to i32)]
@number_as_pointer = global ptr inttoptr (i64 4096 to ptr)
@same_bits = global i64 bitcast (<2 x i32> <i32 1, i32 2> to i64)
@double_bits = global i64 bitcast (double 1.5 to i64)
@vector_bits = global <4 x i16> bitcast (i64 u0x0102030405060708 to <4 x i16>)
@other_space = global ptr addrspacecast (ptr addrspace(1) @in_space to ptr)
@in_space = addrspace(1) global i8 7
@undefined = global { i8, i32, ptr } { i8 poison, i32 1, ptr undef }
@no_cfi = global ptr no_cfi @function
@empty = global { {}, [0 x i64], i8 } { {} {}, [0 x i64] [], i8 3 }
@"quoted name" = global ptr @"quoted name"
@alias = alias i8, getelementptr (i8, ptr @outer, i64 8)
@to_alias = global ptr getelementptr (i8, ptr @alias, i64 -3)

define void @function() {
  ret void
}
