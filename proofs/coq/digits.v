(* The facts about digits to a base k that proofs/logic/digits.py gives to the solvers, for all
   integers and every k >= 2.  What the functions stand for:

       power_of_base e = k ^ e                  prefix_of x e = x / k ^ e
       digit_of x e = x / k ^ e mod k           rest_of x e = x with its digit e a 0
       put_in x e b = x with its digit e a b    log_of x: an e as in [log_bounds]
       remainder_of x d = x mod d                                                 *)

From Coq Require Import ZArith Lia.
Local Open Scope Z_scope.

Theorem remainder_bounds x d : 1 <= d -> 0 <= x mod d < d.
Proof. intro. apply Z.mod_pos_bound. lia. Qed.

Theorem remainder_small x d : 0 <= x < d -> x mod d = x.
Proof. apply Z.mod_small. Qed.

Section Digits.
Variable k : Z.
Hypothesis base : 2 <= k.

Definition prefix (x e : Z) : Z := x / k ^ e.
Definition digit (x e : Z) : Z := x / k ^ e mod k.
Definition put (x e b : Z) : Z := x + (b - digit x e) * k ^ e.
Definition rest (x e : Z) : Z := put x e 0.

Theorem power_positive e : 0 <= e -> 1 <= k ^ e.
Proof. intro. pose proof (Z.pow_pos_nonneg k e). lia. Qed.

Theorem power_0 e : e = 0 -> k ^ e = 1.
Proof. intros ->. reflexivity. Qed.

Theorem power_next e : 0 <= e -> k ^ e * k = k ^ (e + 1).
Proof. intro. rewrite Z.pow_add_r, Z.pow_1_r; lia. Qed.

Theorem power_grows d e : 0 <= d < e -> 2 * k ^ d <= k ^ e.
Proof.
  intro H. pose proof (power_positive d). pose proof (power_next d).
  assert (k ^ (d + 1) <= k ^ e) by (apply Z.pow_le_mono_r; lia). nia.
Qed.

Theorem log_bounds x : 1 <= x -> exists e, 0 <= e /\ k ^ e <= x < k ^ (e + 1).
Proof.
  intro H. assert (I : forall n : nat, forall y, 1 <= y <= Z.of_nat n ->
    exists e, 0 <= e /\ k ^ e <= y < k ^ (e + 1)).
  { induction n as [|n IH]; intros y Hy; [lia|].
    destruct (Z.lt_ge_cases y k) as [S|L].
    - exists 0. rewrite Z.pow_0_r, Z.pow_1_r. lia.
    - assert (Q : 1 <= y / k < y) by (split; [apply Z.div_le_lower_bound|apply Z.div_lt]; lia).
      destruct (IH (y / k)) as [e [He [Hl Hh]]]; [lia|].
      exists (e + 1). pose proof (power_next e He). pose proof (power_next (e + 1)).
      pose proof (Z.div_mod y k). pose proof (Z.mod_pos_bound y k). nia. }
  apply (I (Z.to_nat x)). lia.
Qed.

Section Place.
Variables x e : Z.
Hypothesis x_natural : 0 <= x.
Hypothesis e_natural : 0 <= e.

Theorem prefix_bounds : 0 <= prefix x e <= x /\ (prefix x e = 0 <-> x < k ^ e).
Proof.
  unfold prefix. pose proof (power_positive e e_natural) as Hp.
  repeat split.
  - apply Z.div_pos; lia.
  - apply Z.div_le_upper_bound; nia.
  - intro H. apply Z.div_small_iff in H; lia.
  - intro H. apply Z.div_small. lia.
Qed.

Theorem prefix_0 : e = 0 -> prefix x e = x.
Proof. intros ->. unfold prefix. rewrite Z.pow_0_r. apply Z.div_1_r. Qed.

(* A prefix is the next larger one and a digit. *)
Lemma prefix_split : prefix x e = prefix x (e + 1) * k + digit x e.
Proof.
  unfold prefix, digit. rewrite <- power_next by lia. rewrite <- Z.div_div by (pose proof (power_positive e); lia).
  pose proof (Z.div_mod (x / k ^ e) k). lia.
Qed.

Theorem digit_bounds : 0 <= digit x e < k /\ digit x e <= prefix x e.
Proof.
  pose proof (Z.mod_pos_bound (x / k ^ e) k). pose proof prefix_split.
  assert (0 <= prefix x (e + 1)).
  { apply Z.div_pos; [lia|]. pose proof (power_positive (e + 1)). lia. }
  unfold digit in *. nia.
Qed.

Theorem prefix_last : prefix x (e + 1) = 0 -> prefix x e = digit x e.
Proof. intro H. rewrite prefix_split, H. lia. Qed.
End Place.

Theorem prefix_next x y e : 0 <= x -> 0 <= y -> 0 <= e ->
  prefix x e = prefix y e <-> prefix x (e + 1) = prefix y (e + 1) /\ digit x e = digit y e.
Proof.
  intros Hx Hy He. rewrite (prefix_split x), (prefix_split y) by assumption.
  pose proof (digit_bounds x e Hx He) as [A _]. pose proof (digit_bounds y e Hy He) as [B _].
  generalize dependent (digit x e). generalize dependent (digit y e). intros g B f A.
  generalize (prefix x (e + 1)) (prefix y (e + 1)). intros u v. split.
  - intro E. assert (u = v) by nia. lia.
  - intros [-> ->]. reflexivity.
Qed.

Theorem rest_order x y e : 0 <= e -> rest x e = rest y e -> x < y <-> digit x e < digit y e.
Proof.
  unfold rest, put. intros He H. pose proof (power_positive e He).
  assert (E : x - y = (digit x e - digit y e) * k ^ e) by lia. nia.
Qed.

Theorem rest_same x y e : 0 <= e -> rest x e = rest y e -> x = y <-> digit x e = digit y e.
Proof.
  unfold rest, put. intros He H. pose proof (power_positive e He).
  assert (E : x - y = (digit x e - digit y e) * k ^ e) by lia. nia.
Qed.

Section Put.
Variables x e b : Z.
Hypothesis x_natural : 0 <= x.
Hypothesis e_natural : 0 <= e.
Hypothesis b_digit : 0 <= b < k.

(* The parts of x: above the digit, the digit, below it. *)
Lemma parts : x = (prefix x (e + 1) * k + digit x e) * k ^ e + x mod k ^ e.
Proof.
  rewrite <- prefix_split by assumption. unfold prefix.
  pose proof (power_positive e e_natural). pose proof (Z.div_mod x (k ^ e)). lia.
Qed.

Lemma put_parts : put x e b = (prefix x (e + 1) * k + b) * k ^ e + x mod k ^ e.
Proof. unfold put. pose proof parts. nia. Qed.

Lemma put_prefix : prefix (put x e b) e = prefix x (e + 1) * k + b.
Proof.
  rewrite put_parts. unfold prefix at 1. pose proof (power_positive e e_natural) as Hp.
  pose proof (Z.mod_pos_bound x (k ^ e)).
  rewrite Z.div_add_l by lia. rewrite (Z.div_small (x mod k ^ e)) by lia. lia.
Qed.

Lemma put_natural : 0 <= put x e b.
Proof.
  rewrite put_parts. pose proof (power_positive e e_natural). pose proof (Z.mod_pos_bound x (k ^ e)).
  assert (0 <= prefix x (e + 1)).
  { apply Z.div_pos; [lia|]. pose proof (power_positive (e + 1)). lia. }
  nia.
Qed.

Lemma put_is : digit (put x e b) e = b.
Proof.
  change (prefix (put x e b) e mod k = b). rewrite put_prefix, Z.add_comm, Z.mod_add by lia.
  apply Z.mod_small. lia.
Qed.

Theorem put_digit :
  0 <= put x e b /\ digit (put x e b) e = b /\ rest (put x e b) e = rest x e.
Proof.
  split; [exact put_natural|]. split; [exact put_is|].
  unfold rest. unfold put at 1. rewrite put_is. unfold put. lia.
Qed.

Lemma put_above_next : prefix (put x e b) (e + 1) = prefix x (e + 1).
Proof.
  pose proof (prefix_split (put x e b) e e_natural) as H.
  rewrite put_prefix, put_is in H. nia.
Qed.

Theorem put_above d : e < d -> prefix (put x e b) d = prefix x d.
Proof.
  intro H. pose proof put_above_next as N. unfold prefix in *.
  replace d with ((e + 1) + (d - e - 1)) by lia. rewrite Z.pow_add_r by lia.
  pose proof (power_positive (e + 1)). pose proof (power_positive (d - e - 1)).
  rewrite <- !Z.div_div by lia. now rewrite N.
Qed.

Lemma put_below d : 0 <= d < e -> digit (put x e b) d = digit x d.
Proof.
  intro H. unfold digit at 1. unfold put.
  pose proof (power_positive d). pose proof (power_next (e - d - 1)).
  replace (k ^ e) with (k ^ d * (k ^ (e - d - 1) * k)).
  - replace ((b - digit x e) * (k ^ d * (k ^ (e - d - 1) * k)))
      with ((b - digit x e) * k ^ (e - d - 1) * k * k ^ d) by ring.
    rewrite Z.div_add by lia. now rewrite Z.mod_add by lia.
  - rewrite power_next by lia. rewrite <- Z.pow_add_r by lia. f_equal. lia.
Qed.

Theorem put_other d : 0 <= d -> d <> e -> digit (put x e b) d = digit x d.
Proof.
  intros Hd Hne. destruct (Z.lt_ge_cases d e) as [L|G]; [apply put_below; lia|].
  change (prefix (put x e b) d mod k = prefix x d mod k). rewrite put_above by lia. reflexivity.
Qed.
End Put.
End Digits.

Print Assumptions remainder_bounds.
Print Assumptions remainder_small.
Print Assumptions power_positive.
Print Assumptions power_0.
Print Assumptions power_next.
Print Assumptions power_grows.
Print Assumptions log_bounds.
Print Assumptions prefix_bounds.
Print Assumptions prefix_0.
Print Assumptions digit_bounds.
Print Assumptions prefix_last.
Print Assumptions prefix_next.
Print Assumptions rest_order.
Print Assumptions rest_same.
Print Assumptions put_digit.
Print Assumptions put_above.
Print Assumptions put_other.
