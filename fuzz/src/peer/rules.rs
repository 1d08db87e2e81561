//! The combine rules of LLVM 22 by their numbers. A release build of `llc` takes numbers alone, so names stand here.
//!
//! Source: the order of the groups in LLVM 22.1's `llvm/Target/GlobalISel/Combine.td`, in which TableGen numbers rules.
//! Rules of a target have numbers after these, and no names here.

/// The group `all_combines`, with which each combiner before the legalizer begins.
#[rustfmt::skip]
pub(super) const ALL_COMBINES: &[&str] = &[
    "ZeroMinusAPlusB", "APlusZeroMinusB", "APlusBMinusB", "BMinusAPlusA", "AMinusBPlusCMinusA", "AMinusBPlusBMinusC",
    "APlusBMinusAplusC", "APlusBMinusCPlusA", "APlusC1MinusC2", "C2MinusAPlusC1", "AMinusC1MinusC2",
    "C1Minus2MinusC2", "AMinusC1PlusC2", "copy_prop", "mul_to_shl", "sub_to_add", "add_p2i_to_ptradd",
    "mul_by_neg_one", "idempotent_prop", "match_extract_of_element_undef_vector",
    "match_extract_of_element_undef_index", "insert_vector_element_idx_undef", "insert_vector_element_elt_undef",
    "match_extract_of_element", "insert_vector_elt_oob", "extract_vector_element_not_const",
    "extract_vector_element_different_indices", "extract_vector_element_build_vector",
    "extract_vector_element_build_vector_trunc2", "extract_vector_element_build_vector_trunc3",
    "extract_vector_element_build_vector_trunc4", "extract_vector_element_build_vector_trunc5",
    "extract_vector_element_build_vector_trunc6", "extract_vector_element_build_vector_trunc7",
    "extract_vector_element_build_vector_trunc8", "extract_vector_element_shuffle_vector",
    "insert_vector_element_extract_vector_element", "add_of_vscale", "mul_of_vscale", "shl_of_vscale",
    "sub_of_vscale", "freeze_of_non_undef_non_poison", "push_freeze_to_prevent_poison_from_propagating",
    "truncate_of_zext", "truncate_of_sext", "truncate_of_anyext", "zext_of_zext", "zext_of_anyext", "sext_of_sext",
    "sext_of_anyext", "anyext_of_anyext", "anyext_of_zext", "anyext_of_sext", "sext_inreg_of_sext_inreg",
    "select_of_zext", "select_of_anyext", "select_of_truncate", "buildvector_of_truncate", "narrow_binop_add",
    "narrow_binop_sub", "narrow_binop_mul", "narrow_binop_and", "narrow_binop_or", "narrow_binop_xor",
    "integer_of_truncate", "combine_insert_vec_elts_build_vector", "extract_vec_elt_build_vec",
    "extract_all_elts_from_build_vector", "extending_loads", "load_and_mask", "combine_extracted_vector_load",
    "undef_to_fp_zero", "undef_to_int_zero", "undef_to_negative_one", "binop_left_undef_to_zero",
    "binop_right_undef_to_undef", "unary_undef_to_zero", "unary_undef_to_undef", "propagate_undef_any_op",
    "propagate_undef_all_ops", "propagate_undef_shuffle_mask", "erase_undef_store",
    "insert_extract_vec_elt_out_of_bounds", "select_same_val", "right_identity_zero", "binop_same_val",
    "binop_left_to_zero", "binop_right_to_zero", "p2i_to_i2p", "i2p_to_p2i", "anyext_trunc_fold", "fneg_fneg_fold",
    "right_identity_one_int", "right_identity_one_fp", "add_sub_reg", "buildvector_identity_fold",
    "trunc_buildvector_fold", "trunc_lshr_buildvector_fold", "bitcast_bitcast_fold", "fptrunc_fpext_fold",
    "right_identity_neg_zero_fp", "right_identity_neg_zero_fp_nsz", "right_identity_neg_one_fp",
    "extend_through_phis", "simplify_add_to_sub", "hoist_logic_op_with_same_opcode_hands", "shifts_too_big",
    "reassoc_ptradd", "reassoc_comm_binops", "ptr_add_immed_chain", "canonicalize_icmp", "canonicalize_fcmp",
    "icmp_to_true_false_known_bits", "icmp_to_lhs_known_bits", "double_icmp_zero_and_combine",
    "double_icmp_zero_or_combine", "redundant_binop_in_equality", "shl_ashr_to_sext_inreg",
    "neg_and_one_to_sext_inreg", "sext_inreg_of_load", "reduce_shl_of_extend", "narrow_binop_feeding_and",
    "select_undef_cmp", "select_constant_cmp", "select_to_iminmax", "match_selects", "redundant_and",
    "redundant_sext_inreg", "redundant_or", "urem_pow2_to_mask", "zext_trunc_fold", "sext_inreg_to_zext_inreg",
    "trunc_shift", "not_cmp_fold", "opt_brcond_by_inverting_cond", "constant_fold_fneg", "constant_fold_fabs",
    "constant_fold_fsqrt", "constant_fold_flog2", "constant_fold_fptrunc", "constant_fold_fpext",
    "itof_const_zero_fold_si", "itof_const_zero_fold_ui", "const_ptradd_to_i2p", "overlapping_and", "mulo_by_2",
    "mulo_by_0", "adde_to_addo", "combine_minmax_nan", "expand_const_fpowi", "xor_of_and_with_same_reg",
    "ptr_add_with_zero", "shift_immed_chain", "shift_of_shifted_logic_chain", "load_or_combine", "div_rem_to_divrem",
    "funnel_shift_from_or_shift", "funnel_shift_to_rotate", "funnel_shift_right_zero", "funnel_shift_left_zero",
    "funnel_shift_overshift", "funnel_shift_or_shift_to_funnel_shift_left",
    "funnel_shift_or_shift_to_funnel_shift_right", "bitreverse_shl", "bitreverse_lshr", "commute_shift",
    "bitfield_extract_from_sext_inreg", "bitfield_extract_from_and", "bitfield_extract_from_shr",
    "bitfield_extract_from_shr_and", "constant_fold_binop", "constant_fold_fp_binop", "constant_fold_fma",
    "constant_fold_cast_op", "fabs_fneg_fold", "mulh_to_lshr", "redundant_neg_operands", "and_or_disjoint_mask",
    "combine_fadd_fmul_to_fmad_or_fma", "combine_fadd_fpext_fmul_to_fmad_or_fma",
    "combine_fadd_fma_fmul_to_fmad_or_fma", "combine_fadd_fpext_fma_fmul_to_fmad_or_fma",
    "combine_fsub_fmul_to_fmad_or_fma", "combine_fsub_fneg_fmul_to_fmad_or_fma",
    "combine_fsub_fpext_fmul_to_fmad_or_fma", "combine_fsub_fpext_fneg_fmul_to_fmad_or_fma", "fold_binop_into_select",
    "urem_by_const", "srem_by_const", "udiv_by_pow2", "sdiv_by_pow2", "udiv_by_const", "sdiv_by_const",
    "fdiv_repeated_divison", "sub_add_reg", "select_to_minmax", "fsub_to_fneg", "commute_int_constant_to_rhs",
    "commute_fp_constant_to_rhs", "match_ands", "match_ors", "simplify_neg_minmax", "combine_concat_vector",
    "sext_trunc", "zext_trunc", "nneg_zext", "combine_shuffle_concat", "combine_shuffle_undef_rhs",
    "combine_shuffle_disjoint_mask", "combine_use_vector_truncate", "unmerge_anyext_build_vector", "unmerge_merge",
    "merge_unmerge", "unmerge_cst", "unmerge_undef", "unmerge_dead_to_trunc", "unmerge_zext_to_zext",
    "merge_of_x_and_undef", "merge_of_x_and_zero", "combine_build_unmerge", "match_addos", "match_subo_no_overflow",
    "trunc_ssats", "trunc_ssatu", "trunc_usatu", "truncusatu_to_fptouisat", "lshr_of_trunc_of_lshr",
];

/// The group `optnone_combines`: the combiners of `-O0`.
#[rustfmt::skip]
pub(super) const OPTNONE_COMBINES: &[&str] = &[
    "copy_prop", "mul_to_shl", "sub_to_add", "add_p2i_to_ptradd", "mul_by_neg_one", "idempotent_prop",
    "ptr_add_immed_chain", "extending_loads", "load_and_mask", "not_cmp_fold", "opt_brcond_by_inverting_cond",
    "combine_concat_vector",
];
