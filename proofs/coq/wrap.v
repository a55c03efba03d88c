(* One tactic for every page whose formulas are read as integers: a remainder by p becomes the few
   linear cases that its range allows, and linear arithmetic decides each.

   proofs/kernel/coq.py writes down the page and calls [wrap] or, for [agreement], [wrap_same]; [laps]
   is why the cases are all. *)

From Coq Require Import ZArith Bool Lia.
Require Import machine schedule terms.
Local Open Scope Z_scope.

(* With a p <= x < b p, the remainder of x by p is x - k p for one of the k from a to b - 1. *)
Theorem laps a b x p : 0 < p -> a * p <= x < b * p ->
  exists k, a <= k < b /\ x mod p = x - k * p /\ 0 <= x - k * p < p.
Proof.
  intros Hp H. exists (x / p). pose proof (Z.mod_pos_bound x p Hp).
  assert (x mod p = x - x / p * p) by (rewrite Z.mod_eq; lia).
  repeat split; try lia; [apply Z.div_le_lower_bound|apply Z.div_lt_upper_bound]; lia.
Qed.

(* The cases of k, those aside that cannot be. *)
Ltac each_lap k a b :=
  let next := eval compute in (a + 1) in
  let last := eval compute in (next =? b) in
  lazymatch last with
  | true => assert (k = a) by lia; subst k
  | false =>
      let E := fresh in
      destruct (Z.eq_dec k a) as [E|E]; [subst k; try (exfalso; lia)|each_lap k next b]
  end.

Ltac unfold_within x p a b :=
  let k := fresh "k" in let K := fresh in let E := fresh in let B := fresh in
  destruct (laps a b x p) as [k [K [E B]]]; [lia|lia|];
  rewrite E in *; clear E; each_lap k a b; clear K; try (exfalso; lia).

Ltac unfold_remainder x p :=
  first [ unfold_within x p 0 1 | unfold_within x p (-1) 1 | unfold_within x p 0 2
        | unfold_within x p (-2) 1 | unfold_within x p (-2) 2 | unfold_within x p (-4) 4 ].

(* Innermost first: an operand, or a condition, without remainders or conditions in it. *)
Ltac plain x :=
  lazymatch x with
  | context [_ mod _] => fail
  | context [if _ then _ else _] => fail
  | _ => idtac
  end.
Ltac one_case :=
  match goal with
  | |- context [if ?b then _ else _] =>
      plain b; let E := fresh in destruct b eqn:E; try (exfalso; lia)
  | H : context [if ?b then _ else _] |- _ =>
      plain b; let E := fresh in destruct b eqn:E; try (exfalso; lia)
  | H : context [?x mod ?p] |- _ => plain x; unfold_remainder x p
  | |- context [?x mod ?p] => plain x; unfold_remainder x p
  end.

(* An obligation of the page. *)
Ltac wrap page :=
  cbv zeta; unfold is_true; intros;
  cbn [page steps chunks dst src sends adds holds live start goal wanted] in *;
  repeat one_case; lia.

(* The obligations about [same]. *)
Ltac wrap_same page same :=
  intros; try apply same_cases;
  repeat match goal with H : ?A |- _ => lazymatch type of A with Prop => revert H end end;
  unfold same; wrap page.

Print Assumptions laps.
