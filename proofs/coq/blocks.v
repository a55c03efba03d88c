(* The facts about powers of two, lengths of numbers, blocks and flipped bits that
   proofs/logic/blocks.py gives to the solvers, for all integers: x >> e is Z.shiftr x e, x ^ y is
   Z.lxor x y, 1 << e is 2 ^ e, and the number of bits of a positive x is Z.log2 x + 1. *)

From Coq Require Import ZArith Lia Bool.
Local Open Scope Z_scope.

Theorem power_positive e : 0 <= e -> 1 <= 2 ^ e.
Proof. intro. pose proof (Z.pow_pos_nonneg 2 e). lia. Qed.

Theorem power_0 e : e = 0 -> 2 ^ e = 1.
Proof. intros ->. reflexivity. Qed.

Theorem power_1 e : e = 1 -> 2 ^ e = 2.
Proof. intros ->. reflexivity. Qed.

Theorem power_next d e : 0 <= d -> e = d + 1 -> 2 ^ e = 2 * 2 ^ d.
Proof. intros H ->. replace (d + 1) with (Z.succ d) by lia. rewrite Z.pow_succ_r by lia. lia. Qed.

Theorem power_grows d e : 0 <= d < e -> 2 * 2 ^ d <= 2 ^ e.
Proof.
  intro H. rewrite <- (power_next d (d + 1)) by lia.
  apply Z.pow_le_mono_r; lia.
Qed.

Theorem power_modulo_3 e : 0 <= e -> 2 ^ e mod 3 = if Z.even e then 1 else 2.
Proof.
  intro H. pattern e. apply natlike_ind; [reflexivity| |exact H].
  intros x Hx IH. rewrite Z.pow_succ_r by exact Hx. rewrite Z.mul_mod by lia.
  rewrite IH, Z.even_succ, <- Z.negb_even. destruct (Z.even x); reflexivity.
Qed.

Theorem power_linear e : 1 <= e -> 2 * e <= 2 ^ e.
Proof.
  intro H. replace e with (Z.of_nat (Z.to_nat (e - 1)) + 1) by lia.
  induction (Z.to_nat (e - 1)) as [|m IH]; [simpl; lia|].
  rewrite Nat2Z.inj_succ. pose proof (power_next (Z.of_nat m + 1) (Z.succ (Z.of_nat m) + 1)). lia.
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

Theorem shift_up_constant x k : 0 <= k -> Z.shiftl x k = x * 2 ^ k.
Proof. intro. apply Z.shiftl_mul_pow2. lia. Qed.

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

(* How many bits a number has that may be 0. *)
Definition length x := if x =? 0 then 0 else Z.log2 x + 1.

Lemma length_least z e : 0 <= z -> 0 <= e -> (z < 2 ^ e <-> length z <= e).
Proof.
  intros Hz He. unfold length. pose proof (power_positive e He).
  destruct (Z.eqb_spec z 0); [lia|].
  rewrite (Z.log2_lt_pow2 z e) by lia. lia.
Qed.

Theorem length_natural x y : 0 <= length (Z.lxor x y).
Proof. unfold length. pose proof (Z.log2_nonneg (Z.lxor x y)). destruct (_ =? _); lia. Qed.

Theorem length_of_equal x y : 0 <= x -> 0 <= y -> length (Z.lxor x y) = 0 <-> x = y.
Proof.
  intros. rewrite <- (Z.lxor_eq_0_iff x y). unfold length.
  pose proof (Z.log2_nonneg (Z.lxor x y)). destruct (Z.eqb_spec (Z.lxor x y) 0); split; lia.
Qed.

Theorem length_of_xor x y e : 0 <= x -> 0 <= y -> 0 <= e ->
  Z.shiftr x e = Z.shiftr y e <-> length (Z.lxor x y) <= e.
Proof.
  intros. rewrite <- below_block by lia. apply length_least; [|lia]. apply Z.lxor_nonneg. lia.
Qed.

Section Shift.
Variables x e : Z.
Hypothesis e_natural : 0 <= e.

Theorem shift_natural : 0 <= x -> 0 <= Z.shiftl x e.
Proof. intro. apply Z.shiftl_nonneg. lia. Qed.

Theorem shift_zero : x = 0 -> Z.shiftl x e = 0.
Proof. intros ->. apply Z.shiftl_0_l. Qed.

Theorem shift_one : x = 1 -> Z.shiftl x e = 2 ^ e.
Proof. intros ->. apply Z.shiftl_1_l. Qed.

Theorem shift_start y : Z.shiftl x e <= y <-> x <= Z.shiftr y e.
Proof.
  rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2 by lia.
  pose proof (power_positive e e_natural).
  pose proof (Z.div_mod y (2 ^ e)). pose proof (Z.mod_pos_bound y (2 ^ e)). split; intro; nia.
Qed.

Theorem shift_end y : y < Z.shiftl x e + 2 ^ e <-> Z.shiftr y e <= x.
Proof.
  rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2 by lia.
  pose proof (power_positive e e_natural).
  pose proof (Z.div_mod y (2 ^ e)). pose proof (Z.mod_pos_bound y (2 ^ e)). split; intro; nia.
Qed.

Theorem shift_within y d : e <= d -> y < 2 ^ d -> x <= Z.shiftr y e -> Z.shiftl x e + 2 ^ e <= 2 ^ d.
Proof.
  intros Hd Hy Hx. rewrite Z.shiftl_mul_pow2 by lia. rewrite Z.shiftr_div_pow2 in Hx by lia.
  pose proof (power_positive e e_natural).
  replace (2 ^ d) with (2 ^ (d - e) * 2 ^ e) in * by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (y / 2 ^ e < 2 ^ (d - e)) by (apply Z.div_lt_upper_bound; lia). nia.
Qed.

Theorem shift_finer v d : 0 <= d <= e -> Z.shiftl (Z.shiftr v e) e = v -> Z.shiftl (Z.shiftr v d) d = v.
Proof.
  intros Hd Hv. rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2 in * by lia.
  replace (2 ^ e) with (2 ^ (e - d) * 2 ^ d) in Hv by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  pose proof (power_positive d (proj1 Hd)).
  rewrite <- Hv at 1. rewrite Z.mul_assoc, Z.div_mul by lia. rewrite <- Z.mul_assoc. exact Hv.
Qed.

Theorem shift_next y d : d = e -> y = x + 1 -> Z.shiftl y d = Z.shiftl x e + 2 ^ e.
Proof. intros -> ->. rewrite !Z.shiftl_mul_pow2 by lia. lia. Qed.

Theorem shift_low y d : d = e + 1 -> x = 2 * y -> Z.shiftl x e = Z.shiftl y d.
Proof. intros Hd ->. rewrite !Z.shiftl_mul_pow2, (power_next e d) by lia. lia. Qed.

Theorem shift_high y d : d = e + 1 -> x = 2 * y + 1 -> Z.shiftl x e = Z.shiftl y d + 2 ^ e.
Proof. intros Hd ->. rewrite !Z.shiftl_mul_pow2, (power_next e d) by lia. lia. Qed.
End Shift.

Theorem shift_multiple x e : 0 <= e -> Z.shiftl x e = x * 2 ^ e.
Proof. apply Z.shiftl_mul_pow2. Qed.

Theorem shift_power d e : 0 <= d -> 0 <= e -> Z.shiftl (2 ^ d) e = 2 ^ (d + e).
Proof. intros. rewrite Z.shiftl_mul_pow2, Z.pow_add_r by lia. reflexivity. Qed.

(* The lowest bits of a number in reverse order. *)
Fixpoint mirror (n : nat) x :=
  match n with O => 0 | S m => 2 * mirror m x + Z.b2z (Z.testbit x (Z.of_nat m)) end.
Definition reverse x e := mirror (Z.to_nat e) x.

Lemma mirror_bit n x i : 0 <= i ->
  Z.testbit (mirror n x) i = (i <? Z.of_nat n) && Z.testbit x (Z.of_nat n - 1 - i).
Proof.
  revert i. induction n as [|m IH]; intros i Hi.
  - simpl mirror. rewrite Z.bits_0. destruct (Z.ltb_spec i (Z.of_nat 0)); [lia|reflexivity].
  - change (mirror (S m) x) with (2 * mirror m x + Z.b2z (Z.testbit x (Z.of_nat m))).
    destruct (Z.eq_dec i 0) as [->|].
    + rewrite Z.testbit_0_r. replace (Z.of_nat (S m) - 1 - 0) with (Z.of_nat m) by lia.
      destruct (Z.ltb_spec 0 (Z.of_nat (S m))); [reflexivity|lia].
    + replace i with (Z.succ (i - 1)) at 1 by lia.
      rewrite Z.testbit_succ_r, IH by lia.
      replace (Z.of_nat (S m) - 1 - i) with (Z.of_nat m - 1 - (i - 1)) by lia.
      destruct (Z.ltb_spec (i - 1) (Z.of_nat m)), (Z.ltb_spec i (Z.of_nat (S m))); reflexivity || lia.
Qed.

Lemma reverse_testbit x e i : 0 <= e -> 0 <= i ->
  Z.testbit (reverse x e) i = (i <? e) && Z.testbit x (e - 1 - i).
Proof. intros. unfold reverse. rewrite mirror_bit, Z2Nat.id by lia. reflexivity. Qed.

Theorem reverse_bounds x e : 0 <= e -> 0 <= reverse x e < 2 ^ e.
Proof.
  intro He. unfold reverse. rewrite <- (Z2Nat.id e) at 3 by lia.
  induction (Z.to_nat e) as [|m IH]; [simpl; lia|].
  rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
  change (mirror (S m) x) with (2 * mirror m x + Z.b2z (Z.testbit x (Z.of_nat m))).
  destruct (Z.testbit x (Z.of_nat m)); simpl Z.b2z; lia.
Qed.

Theorem reverse_injective x y e : 0 <= e -> 0 <= x < 2 ^ e -> 0 <= y < 2 ^ e ->
  reverse x e = reverse y e -> x = y.
Proof.
  intros He Hx Hy H. apply Z.bits_inj'. intros i Hi.
  destruct (Z.lt_ge_cases i e) as [Hl|Hg].
  - pose proof (f_equal (fun z => Z.testbit z (e - 1 - i)) H) as Hb. simpl in Hb.
    rewrite !reverse_testbit in Hb by lia. replace (e - 1 - (e - 1 - i)) with i in Hb by lia.
    destruct (Z.ltb_spec (e - 1 - i) e); [exact Hb|lia].
  - assert (high : forall z, 0 <= z < 2 ^ e -> Z.testbit z i = false).
    { intros z Hz. rewrite <- (Z.mod_small z (2 ^ e)) by lia. apply Z.mod_pow2_bits_high. lia. }
    now rewrite !high.
Qed.

Theorem reverse_twice v w e : 0 <= e -> 0 <= v < 2 ^ e -> w = reverse v e -> reverse w e = v.
Proof.
  intros He Hv ->. apply Z.bits_inj'. intros i Hi. rewrite reverse_testbit by lia.
  destruct (Z.ltb_spec i e); simpl andb.
  - rewrite reverse_testbit by lia. replace (e - 1 - (e - 1 - i)) with i by lia.
    destruct (Z.ltb_spec (e - 1 - i) e); [reflexivity|lia].
  - rewrite <- (Z.mod_small v (2 ^ e)) by lia. symmetry. apply Z.mod_pow2_bits_high. lia.
Qed.

Theorem reverse_flip v e n : 0 <= e < n ->
  reverse (Z.lxor v (2 ^ e)) n = Z.lxor (reverse v n) (2 ^ (n - 1 - e)).
Proof.
  intro He. apply Z.bits_inj'. intros i Hi.
  rewrite Z.lxor_spec, !reverse_testbit by lia.
  destruct (Z.ltb_spec i n); simpl andb.
  - rewrite Z.lxor_spec, !Z.pow2_bits_eqb by lia. f_equal.
    destruct (Z.eqb_spec e (n - 1 - i)), (Z.eqb_spec (n - 1 - e) i); lia.
  - rewrite Z.pow2_bits_eqb by lia. destruct (Z.eqb_spec (n - 1 - e) i); [lia|reflexivity].
Qed.

Theorem reverse_bit v e n : 0 <= e < n ->
  Z.shiftr v e mod 2 = Z.shiftr (reverse v n) (n - 1 - e) mod 2.
Proof.
  intro He. rewrite <- !Z.bit0_mod, !Z.shiftr_spec by lia. f_equal.
  rewrite reverse_testbit by lia. destruct (Z.ltb_spec (0 + (n - 1 - e)) n); [|lia].
  simpl andb. f_equal. lia.
Qed.

(* The highest bits of reversed numbers are the lowest of the numbers, in reverse order. *)
Lemma reverse_high x e n : 0 <= e <= n -> Z.shiftr (reverse x n) (n - e) = reverse (x mod 2 ^ e) e.
Proof.
  intro He. apply Z.bits_inj'. intros i Hi.
  rewrite Z.shiftr_spec, !reverse_testbit by lia.
  destruct (Z.ltb_spec i e); simpl andb.
  - rewrite Z.mod_pow2_bits_low by lia. destruct (Z.ltb_spec (i + (n - e)) n); [|lia].
    simpl andb. f_equal. lia.
  - destruct (Z.ltb_spec (i + (n - e)) n); [lia|reflexivity].
Qed.

Lemma shift_rest x e : 0 <= e -> x - Z.shiftl (Z.shiftr x e) e = x mod 2 ^ e.
Proof. intro. rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2, Z.mod_eq by lia. lia. Qed.

Theorem reverse_end x y e n : 0 <= e <= n ->
  Z.shiftr (reverse x n) (n - e) = Z.shiftr (reverse y n) (n - e) <->
  x - Z.shiftl (Z.shiftr x e) e = y - Z.shiftl (Z.shiftr y e) e.
Proof.
  intro He. rewrite !shift_rest, !reverse_high by lia.
  split; [|congruence]. apply reverse_injective; lia || (apply Z.mod_pos_bound; lia).
Qed.

Print Assumptions power_positive.
Print Assumptions power_0.
Print Assumptions power_1.
Print Assumptions power_next.
Print Assumptions power_grows.
Print Assumptions power_modulo_3.
Print Assumptions power_linear.
Print Assumptions length_bounds.
Print Assumptions block_bounds.
Print Assumptions block_0.
Print Assumptions shift_constant.
Print Assumptions shift_up_constant.
Print Assumptions block_next.
Print Assumptions flip_0.
Print Assumptions flip_block.
Print Assumptions flip_rest.
Print Assumptions flip_value.
Print Assumptions flip_above.
Print Assumptions below_block.
Print Assumptions length_natural.
Print Assumptions length_of_equal.
Print Assumptions length_of_xor.
Print Assumptions shift_natural.
Print Assumptions shift_zero.
Print Assumptions shift_one.
Print Assumptions shift_start.
Print Assumptions shift_end.
Print Assumptions shift_within.
Print Assumptions shift_finer.
Print Assumptions shift_next.
Print Assumptions shift_low.
Print Assumptions shift_high.
Print Assumptions shift_multiple.
Print Assumptions shift_power.
Print Assumptions reverse_bounds.
Print Assumptions reverse_injective.
Print Assumptions reverse_twice.
Print Assumptions reverse_flip.
Print Assumptions reverse_bit.
Print Assumptions reverse_end.
