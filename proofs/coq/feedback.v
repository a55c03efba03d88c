(* Error feedback loses nothing, whichever entries are sent.

   In each call a rank adds its vector to what it has kept, sends some entries of the sum and keeps the
   others.  Which are sent is any function of call, rank and index here: a selector may look at values,
   at earlier calls, at anything.  If the allreduce adds what is sent, results and what is kept are
   together all that was put in, for every number of ranks and calls ([nothing_is_lost]).

   p ranks, r rank, t call, i index. *)

From Coq Require Import ZArith Lia.
Require Import sums.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.

Section Feedback.
Context {M : Type} (op : M -> M -> M) (zero : M) (p : nat).
Hypothesis monoid : commutative_monoid op zero.

Variable x : Z -> Z -> Z -> M.            (* x t r i: what rank r puts in *)
Variable takes : Z -> Z -> Z -> bool.     (* takes t r i: whether its selector takes that entry *)
Variable result : Z -> Z -> M.            (* result t i: what the allreduce returns *)

(* What rank r keeps after t calls. *)
Fixpoint kept (t : nat) (r i : Z) : M :=
  match t with
  | O => zero
  | S t => if takes t r i then zero else op (kept t r i) (x t r i)
  end.

Definition sent (t : nat) (r i : Z) : M :=
  if takes t r i then op (kept t r i) (x t r i) else zero.

(* The allreduce is lossless: it adds what the ranks send. *)
Hypothesis lossless : forall (t : nat) i, result t i = sum op zero p (fun r => sent t r i).

(* An entry is either sent or kept. *)
Lemma sent_or_kept (t : nat) r i :
  op (sent t r i) (kept (S t) r i) = op (kept t r i) (x t r i).
Proof.
  destruct monoid as [_ comm zero_right]. unfold sent. cbn [kept].
  destruct (takes t r i); [|rewrite comm]; apply zero_right.
Qed.

(* In one call, what is returned and kept is what was kept and is put in. *)
Lemma one_call (t : nat) i :
  op (result t i) (sum op zero p (fun r => kept (S t) r i))
  = op (sum op zero p (fun r => kept t r i)) (sum op zero p (fun r => x t r i)).
Proof.
  rewrite lossless, !(sum_op monoid). apply sum_ext. intros r _. apply sent_or_kept.
Qed.

Theorem nothing_is_lost (calls : nat) i :
  sum op zero calls (fun t => sum op zero p (fun r => x t r i))
  = op (sum op zero calls (fun t => result t i)) (sum op zero p (fun r => kept calls r i)).
Proof.
  pose proof monoid as [assoc _ zero_right].
  induction calls as [|t IH]; cbn [sum].
  - rewrite (sum_ext p (fun r => kept 0 r i) (fun _ => zero)), (sum_zero monoid) by reflexivity.
    symmetry. apply zero_right.
  - rewrite IH, <- !assoc. f_equal. symmetry. apply one_call.
Qed.

End Feedback.

(* The hypothesis can be met: the sum itself is a lossless allreduce. *)
Theorem sums_are_lossless {M : Type} (op : M -> M -> M) (zero : M) (p : nat) x takes :
  exists result, forall (t : nat) i,
    result (t : Z) i = sum op zero p (fun r => sent op zero x takes t r i).
Proof.
  exists (fun t i => sum op zero p (fun r => sent op zero x takes (Z.to_nat t) r i)).
  intros t i. now rewrite Nat2Z.id.
Qed.

Print Assumptions nothing_is_lost.
Print Assumptions sums_are_lossless.
