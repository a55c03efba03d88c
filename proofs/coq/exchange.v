(* The hypotheses of the theorems can be met, so none of them speaks of nothing. *)

From Coq Require Import ZArith Bool Lia.
Require Import machine schedule terms.
Local Open Scope Z_scope.

(* Two ranks exchange their vectors and add. *)
Definition exchange : family := {|
  steps p := 1;
  dst r t p := 1 - r;
  src r t p := 1 - r;
  sends s c t p := true;
  adds t p := true;
  holds q r c t p := (q =? r) || (1 <=? t);
  live r c t p := true;
  start q r c p := q =? r;
  goal q r c p := true;
  wanted r c p := true
|}.

(* It meets every obligation. *)
Theorem hypotheses_can_be_met :
  matched exchange 2 /\ inductive exchange 2 /\
  agreement exchange 2 (fun r s c t => (r =? s) || (1 <=? t)).
Proof.
  repeat split; unfold same_before; cbn -[Z.sub]; intros;
    repeat match goal with
    | H : 0 <= ?v < 1 |- _ => assert (v = 0) by lia; subst v; clear H
    | H : 0 <= ?v < 2 |- _ =>
        let E := fresh in assert (E : v = 0 \/ v = 1) by lia; clear H; destruct E; subst v
    end;
    cbn in *; intuition (easy || lia).
Qed.

Print Assumptions hypotheses_can_be_met.
