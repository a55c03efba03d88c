(* The hypotheses of the theorems can be met, so none of them speaks of nothing. *)

From Coq Require Import ZArith Bool Lia.
Require Import machine schedule terms.
Local Open Scope Z_scope.

(* Two ranks exchange their vectors and add. *)
Definition exchange : family := {|
  steps p := 1;
  chunks p := 1;
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

(* Rank 1 gives its vector to rank 0, which adds, and then gets the sum back: one rank is silent in
   each of the two steps. *)
Definition fold : family := {|
  steps p := 2;
  chunks p := 1;
  dst r t p := 1 - r;
  src r t p := 1 - r;
  sends s c t p := s =? 1 - t;
  adds t p := t =? 0;
  holds q r c t p := (q =? r) || (1 + r <=? t);
  live r c t p := true;
  start q r c p := q =? r;
  goal q r c p := true;
  wanted r c p := true
|}.

(* Numbers below 1 and below 2, one by one. *)
Ltac one_by_one :=
  repeat match goal with
  | H : 0 <= ?v < 1 |- _ => assert (v = 0) by lia; subst v; clear H
  | H : 0 <= ?v < 2 |- _ =>
      let E := fresh in assert (E : v = 0 \/ v = 1) by lia; clear H; destruct E; subst v
  end;
  cbn in *; intuition (easy || lia).

(* They meet every obligation. *)
Theorem hypotheses_can_be_met :
  matched exchange 2 /\ inductive exchange 2 /\
  agreement exchange 2 (fun r s c t => (r =? s) || (1 <=? t)).
Proof. repeat split; unfold same_before; cbn -[Z.sub]; intros; one_by_one. Qed.

Theorem hypotheses_can_be_met_in_silence :
  matched fold 2 /\ inductive fold 2 /\
  agreement fold 2 (fun r s c t => (r =? s) || (2 <=? t)) /\
  forall s c t, (s =? 1 - Z.of_nat t) = false -> sends fold s c (Z.of_nat t) 2 = false.
Proof. repeat split; unfold same_before; cbn -[Z.sub]; intros; one_by_one. Qed.

Print Assumptions hypotheses_can_be_met.
Print Assumptions hypotheses_can_be_met_in_silence.
