(* The hypotheses of the theorems can be met, so none of them speaks of nothing. *)

From Coq Require Import ZArith Bool Lia.
Require Import machine schedule terms several several_schedule several_terms.
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

(* Three ranks show each other their vectors, two messages each, and add in the order of ranks. *)
Definition direct : several := {|
  rest_of := {|
    steps p := 1;
    chunks p := 1;
    dst r t p := r;
    src r t p := r;
    sends s c t p := false;
    adds t p := true;
    holds q r c t p := (q =? r) || (1 <=? t);
    live r c t p := true;
    start q r c p := q =? r;
    goal q r c p := true;
    wanted r c p := true
  |};
  messages t p := 2;
  dst_j r t p j := (r + j + 1) mod 3;
  src_j r t p j := (r - j - 1) mod 3;
  sends_j s c t p j := true;
  who q r c t p := (r - q - 1) mod 3
|}.

(* Numbers below 1, below 2 and below 3, one by one. *)
Ltac enumerate :=
  repeat match goal with
  | H : 0 <= ?v < 1 |- _ => assert (v = 0) by lia; subst v; clear H
  | H : 0 <= ?v < 3 |- _ =>
      let E := fresh in assert (E : v = 0 \/ v = 1 \/ v = 2) by lia; clear H; destruct E as [E|[E|E]]; subst v
  | H : 0 <= ?v < 2 |- _ =>
      let E := fresh in assert (E : v = 0 \/ v = 1) by lia; clear H; destruct E; subst v
  end.
Ltac one_by_one := enumerate; cbn in *; intuition (easy || lia).
Ltac computed := enumerate; vm_compute in *; intuition (easy || discriminate).

(* They meet every obligation. *)
Theorem hypotheses_can_be_met :
  machine.matched exchange 2 /\ schedule.inductive exchange 2 /\
  terms.agreement exchange 2 (fun r s c t => (r =? s) || (1 <=? t)).
Proof. repeat split; unfold terms.same_before; cbn -[Z.sub]; intros; one_by_one. Qed.

Theorem hypotheses_can_be_met_in_silence :
  machine.matched fold 2 /\ schedule.inductive fold 2 /\
  terms.agreement fold 2 (fun r s c t => (r =? s) || (2 <=? t)) /\
  forall s c t, (s =? 1 - Z.of_nat t) = false -> sends fold s c (Z.of_nat t) 2 = false.
Proof. repeat split; unfold terms.same_before; cbn -[Z.sub]; intros; one_by_one. Qed.

Theorem hypotheses_can_be_met_by_several :
  several.matched direct 3 /\ several_schedule.inductive direct 3 /\
  several_terms.agreement direct 3 (fun r s c t => (r =? s) || (1 <=? t)).
Proof.
  repeat split; unfold several_terms.same_before, takes_part, counterpart, came, bringer, got;
    intros; cbn -[Z.sub Z.modulo] in *; computed.
Qed.

Print Assumptions hypotheses_can_be_met.
Print Assumptions hypotheses_can_be_met_in_silence.
Print Assumptions hypotheses_can_be_met_by_several.
