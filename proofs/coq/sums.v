(* Sums over ranks, in any commutative monoid. *)

From Coq Require Import ZArith Lia.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.

Record commutative_monoid {M : Type} (op : M -> M -> M) (zero : M) : Prop := {
  op_assoc : forall a b c, op a (op b c) = op (op a b) c;
  op_comm : forall a b, op a b = op b a;
  op_zero : forall a, op a zero = a
}.

(* f 0 + f 1 + ... + f (n - 1) *)
Fixpoint sum {M : Type} (op : M -> M -> M) (zero : M) (n : nat) (f : Z -> M) : M :=
  match n with
  | O => zero
  | S n => op (sum op zero n f) (f n)
  end.

Section Sums.
Context {M : Type} {op : M -> M -> M} {zero : M}.
Hypothesis monoid : commutative_monoid op zero.

(* Sums of equal terms are equal. *)
Lemma sum_ext (n : nat) f g :
  (forall q, 0 <= q < n -> f q = g q) -> sum op zero n f = sum op zero n g.
Proof.
  induction n as [|n IH]; intros H; cbn [sum]; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

(* Two sums add up term by term. *)
Theorem sum_op (n : nat) f g :
  op (sum op zero n f) (sum op zero n g) = sum op zero n (fun q => op (f q) (g q)).
Proof.
  destruct monoid as [assoc comm zero_right].
  induction n as [|n IH]; cbn [sum]; [apply zero_right|].
  rewrite <- IH, !assoc. f_equal.
  rewrite <- !assoc. f_equal. apply comm.
Qed.

(* A sum of nothing is nothing. *)
Lemma sum_zero (n : nat) : sum op zero n (fun _ => zero) = zero.
Proof. induction n as [|n IH]; cbn [sum]; [reflexivity|]. rewrite IH. now apply op_zero. Qed.

(* A sum in which one rank takes part is that rank's value. *)
Theorem sum_one (n : nat) r (v : Z -> M) : 0 <= r < n ->
  sum op zero n (fun q => if q =? r then v q else zero) = v r.
Proof.
  destruct monoid as [_ comm zero_right].
  induction n as [|n IH]; intros H; cbn [sum]; [lia|].
  destruct (Z.eqb_spec n r) as [<-|N].
  - rewrite (sum_ext n _ (fun _ => zero)), sum_zero, comm by
      (intros q Hq; destruct (Z.eqb_spec q n); [lia|reflexivity]).
    apply zero_right.
  - rewrite IH by lia. apply zero_right.
Qed.

End Sums.

Print Assumptions sum_op.
Print Assumptions sum_one.
