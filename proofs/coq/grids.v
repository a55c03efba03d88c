(* Ranks on a grid, as spec/core/grids.py has them: what exchanges among the ranks along one axis rest on, for all sides.

       place s m r = the coordinate of rank r on the axis of m places, neighbours on which are s apart
       member s m r j = who is at coordinate j of those whom rank r meets there                          *)

From Coq Require Import ZArith Lia.
Local Open Scope Z_scope.

Section Axis.
Variables s m : Z.
Hypothesis stride : 1 <= s.
Hypothesis size : 1 <= m.

Definition place (r : Z) : Z := r / s mod m.
Definition member (r j : Z) : Z := r + (j - place r) * s.

Theorem place_bounds r : 0 <= place r < m.
Proof. apply Z.mod_pos_bound. lia. Qed.

Theorem member_own r : member r (place r) = r.
Proof. unfold member. lia. Qed.

Lemma member_div r j : member r j / s = r / s + (j - place r).
Proof. unfold member. apply Z.div_add. lia. Qed.

Theorem member_place r j : 0 <= j < m -> place (member r j) = j.
Proof.
  intro H. unfold place at 1. rewrite member_div. unfold place.
  replace (r / s + (j - (r / s) mod m)) with (j + (r / s) / m * m) by (pose proof (Z.div_mod (r / s) m); lia).
  rewrite Z.mod_add by lia. apply Z.mod_small, H.
Qed.

(* All whom a rank meets meet the same ranks: groups are apart. *)
Theorem member_member r i j : 0 <= j < m -> member (member r j) i = member r i.
Proof. intro H. unfold member at 1. rewrite (member_place r j H). unfold member. lia. Qed.

Lemma member_above r j : 0 <= j < m -> member r j / (s * m) = r / (s * m).
Proof.
  intro H. rewrite <- !Z.div_div by lia. rewrite member_div. unfold place.
  replace (r / s + (j - (r / s) mod m)) with (j + (r / s) / m * m) by (pose proof (Z.div_mod (r / s) m); lia).
  rewrite Z.div_add by lia. rewrite (Z.div_small j m) by lia. lia.
Qed.

(* Where the sides divide the number of ranks, nobody beyond it is met. *)
Theorem member_within r j k : 0 <= j < m -> 0 <= r < s * m * k -> 0 <= member r j < s * m * k.
Proof.
  intros J R. pose proof (member_above r j J). assert (1 <= s * m) by nia.
  assert (0 <= r / (s * m) < k) by (split; [apply Z.div_pos|apply Z.div_lt_upper_bound]; lia).
  pose proof (Z.div_mod (member r j) (s * m)). pose proof (Z.mod_pos_bound (member r j) (s * m)). nia.
Qed.

(* Those who meet are alike on every other axis: on those of larger strides, and on those of smaller ones. *)
Theorem member_alike_above r j k n : 0 <= j < m -> 1 <= k ->
  member r j / (s * m * k) mod n = r / (s * m * k) mod n.
Proof. intros J K. rewrite <- !(Z.div_div _ (s * m) k) by nia. rewrite member_above by exact J. reflexivity. Qed.

Theorem member_alike_below r j k n t : 1 <= t -> 1 <= n -> s = t * n * k -> member r j / t mod n = r / t mod n.
Proof.
  intros T N E. unfold member. replace ((j - place r) * s) with ((j - place r) * k * n * t) by (rewrite E; ring).
  rewrite Z.div_add by lia. apply Z.mod_add. lia.
Qed.

End Axis.

(* Sums along one axis and then along the next are the sum over all ranks, which each are in it once. *)
Section Sums.
Variable A : Type.
Variable add : A -> A -> A.
Variable zero : A.
Hypothesis associative : forall x y z, add x (add y z) = add (add x y) z.
Hypothesis commutative : forall x y, add x y = add y x.
Hypothesis neutral : forall x, add x zero = x.

Fixpoint sum (f : nat -> A) (n : nat) : A := match n with O => zero | S k => add (sum f k) (f k) end.

Lemma sum_same f g n : (forall i, (i < n)%nat -> f i = g i) -> sum f n = sum g n.
Proof. induction n; intro H; simpl; [reflexivity|]. rewrite IHn, H; auto. Qed.

Lemma sum_split f a b : sum f (a + b) = add (sum f a) (sum (fun i => f (a + i)%nat) b).
Proof.
  induction b; simpl; [rewrite Nat.add_0_r, neutral; reflexivity|].
  rewrite Nat.add_succ_r. simpl. rewrite IHb. symmetry. apply associative.
Qed.

Theorem sum_by_nodes f m n : sum f (n * m) = sum (fun j => sum (fun i => f (j * m + i)%nat) m) n.
Proof.
  induction n; simpl; [reflexivity|]. rewrite <- IHn. rewrite Nat.add_comm. rewrite sum_split. reflexivity.
Qed.

Lemma sum_zero n : sum (fun _ => zero) n = zero.
Proof. induction n; simpl; [reflexivity|]. rewrite IHn. apply neutral. Qed.

Lemma sum_added f g n : sum (fun i => add (f i) (g i)) n = add (sum f n) (sum g n).
Proof.
  induction n; simpl; [symmetry; apply neutral|]. rewrite IHn. rewrite <- !associative. f_equal.
  rewrite !associative. f_equal. apply commutative.
Qed.

(* In whichever order the axes come. *)
Theorem sum_swapped f m n : sum (fun j => sum (fun i => f i j) m) n = sum (fun i => sum (fun j => f i j) n) m.
Proof.
  induction n; simpl; [symmetry; apply sum_zero|]. rewrite IHn, sum_added. reflexivity.
Qed.

End Sums.

Print Assumptions place_bounds.
Print Assumptions member_own.
Print Assumptions member_place.
Print Assumptions member_member.
Print Assumptions member_within.
Print Assumptions member_alike_above.
Print Assumptions member_alike_below.
Print Assumptions sum_by_nodes.
Print Assumptions sum_swapped.
