(* The facts about powers of two, lengths of numbers, blocks and flipped bits that
   proofs/core/blocks.py gives to the solvers, for all integers: x >> e is Z.shiftr x e, x ^ y is
   Z.lxor x y, 1 << e is 2 ^ e, and the number of bits of a positive x is Z.log2 x + 1. *)

From Coq Require Import ZArith Lia Bool.
Local Open Scope Z_scope.

Theorem power_positive e : 0 <= e -> 1 <= 2 ^ e.
Proof. intro. pose proof (Z.pow_pos_nonneg 2 e). lia. Qed.

Theorem power_0 e : e = 0 -> 2 ^ e = 1.
Proof. intros ->. reflexivity. Qed.

Theorem power_next d e : 0 <= d -> e = d + 1 -> 2 ^ e = 2 * 2 ^ d.
Proof. intros H ->. replace (d + 1) with (Z.succ d) by lia. rewrite Z.pow_succ_r by lia. lia. Qed.

Theorem power_grows d e : 0 <= d < e -> 2 * 2 ^ d <= 2 ^ e.
Proof.
  intro H. rewrite <- (power_next d (d + 1)) by lia.
  apply Z.pow_le_mono_r; lia.
Qed.

Theorem length_bounds x : 1 <= x ->
  1 <= Z.log2 x + 1 /\ 2 ^ (Z.log2 x + 1 - 1) <= x < 2 ^ (Z.log2 x + 1).
Proof.
  intro H. pose proof (Z.log2_nonneg x). pose proof (Z.log2_spec x).
  replace (Z.log2 x + 1 - 1) with (Z.log2 x) by lia.
  replace (Z.log2 x + 1) with (Z.succ (Z.log2 x)) by lia. lia.
Qed.

Theorem block_bounds x e : 0 <= x -> 0 <= e ->
  0 <= Z.shiftr x e <= x /\ (Z.shiftr x e = 0 <-> x < 2 ^ e).
Proof.
  intros Hx He. rewrite Z.shiftr_div_pow2 by lia.
  pose proof (power_positive e He) as Hp.
  repeat split.
  - apply Z.div_pos; lia.
  - apply Z.div_le_upper_bound; nia.
  - intro H. apply Z.div_small_iff in H; lia.
  - intro H. apply Z.div_small. lia.
Qed.

Theorem block_0 x e : e = 0 -> Z.shiftr x e = x.
Proof. intros ->. apply Z.shiftr_0_r. Qed.

Theorem shift_constant x k : 0 <= k -> Z.shiftr x k = x / 2 ^ k.
Proof. intro. apply Z.shiftr_div_pow2. lia. Qed.

Theorem block_next x e d : 0 <= e -> d = e + 1 -> Z.shiftr x d = Z.shiftr x e / 2.
Proof.
  intros He ->. rewrite <- Z.shiftr_shiftr by lia.
  rewrite (Z.shiftr_div_pow2 _ 1) by lia. reflexivity.
Qed.

Theorem flip_0 x : Z.lxor x 1 = if x mod 2 =? 0 then x + 1 else x - 1.
Proof.
  assert (Hd : Z.lxor x 1 / 2 = x / 2).
  { rewrite <- !Z.div2_div, !Z.div2_spec, Z.shiftr_lxor. change (Z.shiftr 1 1) with 0. apply Z.lxor_0_r. }
  assert (Hm : Z.lxor x 1 mod 2 = 1 - x mod 2).
  { rewrite <- !Z.bit0_mod, Z.lxor_spec. change (Z.testbit 1 0) with true. destruct (Z.testbit x 0); reflexivity. }
  pose proof (Z.div_mod (Z.lxor x 1) 2). pose proof (Z.div_mod x 2). pose proof (Z.mod_pos_bound x 2).
  destruct (Z.eqb_spec (x mod 2) 0); lia.
Qed.

Section Flip.
Variables v e : Z.
Hypothesis v_natural : 0 <= v.
Hypothesis e_natural : 0 <= e.

Theorem flip_block : 0 <= Z.lxor v (2 ^ e) /\
  Z.shiftr (Z.lxor v (2 ^ e)) e =
    if Z.shiftr v e mod 2 =? 0 then Z.shiftr v e + 1 else Z.shiftr v e - 1.
Proof.
  split.
  - apply Z.lxor_nonneg. pose proof (power_positive e e_natural). lia.
  - rewrite Z.shiftr_lxor, <- flip_0. f_equal.
    rewrite Z.shiftr_div_pow2 by lia. apply Z.div_same.
    pose proof (power_positive e e_natural). lia.
Qed.

Theorem flip_rest : Z.lxor v (2 ^ e) mod 2 ^ e = v mod 2 ^ e.
Proof.
  rewrite <- !Z.land_ones by lia. apply Z.bits_inj'. intros i Hi.
  rewrite !Z.land_spec, Z.lxor_spec, Z.pow2_bits_eqb by lia.
  destruct (Z.ltb_spec i e).
  - rewrite Z.ones_spec_low by lia.
    destruct (Z.eqb_spec e i); [lia|]. now rewrite xorb_false_r.
  - rewrite Z.ones_spec_high by lia. now rewrite !andb_false_r.
Qed.

Theorem flip_value :
  Z.lxor v (2 ^ e) = if Z.shiftr v e mod 2 =? 0 then v + 2 ^ e else v - 2 ^ e.
Proof.
  pose proof (power_positive e e_natural) as Hp. pose proof flip_rest as Hm.
  destruct flip_block as [_ Hb]. rewrite !Z.shiftr_div_pow2 in * by lia.
  pose proof (Z.div_mod (Z.lxor v (2 ^ e)) (2 ^ e)) as Hy. pose proof (Z.div_mod v (2 ^ e)) as Hv.
  rewrite Hm, Hb in Hy. destruct (v / 2 ^ e mod 2 =? 0); nia.
Qed.

Theorem flip_above d : e < d -> Z.shiftr (Z.lxor v (2 ^ e)) d = Z.shiftr v d.
Proof.
  intro H. rewrite Z.shiftr_lxor, (Z.shiftr_div_pow2 (2 ^ e)) by lia.
  rewrite Z.div_small; [apply Z.lxor_0_r|].
  pose proof (power_positive e e_natural). pose proof (power_grows e d). lia.
Qed.
End Flip.

Theorem below_block x y e : 0 <= x -> 0 <= y -> 0 <= e ->
  Z.lxor x y < 2 ^ e <-> Z.shiftr x e = Z.shiftr y e.
Proof.
  intros Hx Hy He.
  assert (Hn : 0 <= Z.lxor x y) by (apply Z.lxor_nonneg; lia).
  destruct (block_bounds (Z.lxor x y) e Hn He) as [_ Hb].
  rewrite <- Hb, Z.shiftr_lxor. apply Z.lxor_eq_0_iff.
Qed.

Print Assumptions power_positive.
Print Assumptions power_0.
Print Assumptions power_next.
Print Assumptions power_grows.
Print Assumptions length_bounds.
Print Assumptions block_bounds.
Print Assumptions block_0.
Print Assumptions shift_constant.
Print Assumptions block_next.
Print Assumptions flip_0.
Print Assumptions flip_block.
Print Assumptions flip_rest.
Print Assumptions flip_value.
Print Assumptions flip_above.
Print Assumptions below_block.
