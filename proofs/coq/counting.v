(* Counting steps, and summing over ranks. *)

From Coq Require Import ZArith Lia.
Require Import sums.
Local Open Scope Z_scope.

(* 1 for the rank r, 0 for all others. *)
Definition is (r q : Z) : nat := if q =? r then 1 else 0.

(* In how many of the steps before t the peer, [peer u] in step u, is r. *)
Fixpoint count (peer : nat -> Z) (r : Z) (t : nat) : nat :=
  match t with
  | O => 0
  | S t => count peer r t + is r (peer t)
  end.

(* Later, no fewer are posted. *)
Theorem count_monotone peer r t u : (t <= u)%nat -> (count peer r t <= count peer r u)%nat.
Proof. induction 1 as [|u H IH]; cbn [count]; lia. Qed.

(* A step with that peer adds one. *)
Lemma count_strict peer r t u : (t < u)%nat -> peer t = r -> (count peer r t < count peer r u)%nat.
Proof.
  intros H E. assert (count peer r (S t) <= count peer r u)%nat by now apply count_monotone.
  cbn [count] in *. unfold is in *. destruct (Z.eqb_spec (peer t) r); [lia|contradiction].
Qed.

(* If the last step added something, it was with that peer. *)
Lemma count_grew peer r t : (count peer r t < count peer r (S t))%nat -> peer t = r.
Proof. cbn [count]. unfold is. destruct (Z.eqb_spec (peer t) r); [auto|lia]. Qed.

Section Ranks.
Variable p : Z.

Definition rank (r : Z) : Prop := 0 <= r < p.

(* A question about ranks that has an answer for each has one for all. *)
Theorem all_or_one (P Q : Z -> Prop) : (forall r, rank r -> P r \/ Q r) ->
  (forall r, rank r -> P r) \/ (exists r, rank r /\ Q r).
Proof.
  intros either. unfold rank in *.
  enough (upto : forall n : nat, Z.of_nat n <= Z.max 0 p ->
    (forall r, 0 <= r < Z.of_nat n -> P r) \/ (exists r, 0 <= r < p /\ Q r)).
  { destruct (upto (Z.to_nat p)) as [A|E]; [|left; intros; apply A|right; assumption]; lia. }
  induction n as [|n IH]; intros Hn; [left; lia|].
  destruct IH as [A|E]; [lia| |now right].
  destruct (either (Z.of_nat n)) as [Y|N]; [lia| |right; exists (Z.of_nat n); split; auto; lia].
  left. intros r Hr. destruct (Z.eq_dec r (Z.of_nat n)) as [->|]; [assumption|apply A; lia].
Qed.

(* Natural numbers under addition. *)
Lemma nat_monoid : commutative_monoid Nat.add O.
Proof. constructor; intros; lia. Qed.

(* The sum over all ranks. *)
Definition over_ranks (f : Z -> nat) : nat := sum Nat.add O (Z.to_nat p) f.

(* Sums of equal terms are equal. *)
Lemma over_ranks_ext f g : (forall r, rank r -> f r = g r) -> over_ranks f = over_ranks g.
Proof. intros H. apply sum_ext. intros q Hq. apply H. unfold rank. lia. Qed.

(* Sums add up term by term. *)
Lemma over_ranks_add f g : over_ranks (fun r => f r + g r)%nat = (over_ranks f + over_ranks g)%nat.
Proof. symmetry. apply (sum_op nat_monoid). Qed.

(* One rank is r. *)
Lemma over_ranks_is r : rank r -> over_ranks (is r) = 1%nat.
Proof. unfold rank. intros H. apply (sum_one nat_monoid _ r (fun _ => 1%nat)). lia. Qed.

(* A sum of equal numbers is a product. *)
Lemma over_ranks_const k : over_ranks (fun _ => k) = (Z.to_nat p * k)%nat.
Proof. unfold over_ranks. induction (Z.to_nat p) as [|n IH]; cbn [sum]; lia. Qed.

(* Sums of no greater terms are no greater. *)
Lemma over_ranks_le f g : (forall r, rank r -> (f r <= g r)%nat) ->
  (over_ranks f <= over_ranks g)%nat.
Proof.
  intros H. rewrite (over_ranks_ext g (fun r => f r + (g r - f r))%nat).
  - rewrite over_ranks_add. lia.
  - intros r Hr. specialize (H r Hr). lia.
Qed.

(* If the peer is a rank in every step, then t steps have t peers. *)
Theorem count_in_steps peer t : (forall u, (u < t)%nat -> rank (peer u)) ->
  over_ranks (fun r => count peer r t) = t.
Proof.
  induction t as [|t IH]; intros H; cbn [count].
  - rewrite over_ranks_const. lia.
  - rewrite over_ranks_add, IH by auto.
    rewrite (over_ranks_ext (fun r => is r (peer t)) (is (peer t))) by
      (intros; unfold is; now rewrite Z.eqb_sym).
    rewrite over_ranks_is by auto. lia.
Qed.

End Ranks.

Print Assumptions count_monotone.
Print Assumptions all_or_one.
Print Assumptions count_in_steps.
