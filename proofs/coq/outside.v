(* What kahn.v, buffers.v and sequences.v speak of exists, and without their conditions they would
   be wrong.

   - [exchange_finishes]: two ranks that post a receive and a send and wait for both finish
     without buffers, so the hypotheses can be met;
   - [buffers_can_hide_a_deadlock]: two ranks that both send first are in deadlock without buffers
     and finish with one: a finished run speaks for larger buffers, never for smaller ones;
   - [two_exchanges_finish]: two such exchanges finish one after the other, as sequences.v says;
   - [what_is_left_behind_can_deadlock]: a message that nobody receives in its exchange is received
     in the next one, which then waits for ever: [settled] is needed;
   - [any_source_is_outside], [test_is_outside], [a_common_pool_is_outside]: one schedule does not
     decide for ranks that take what comes first, that ask whether something has come, or that
     take each other's buffers; [what_they_lack] says which condition each of them breaks.

   A rank that is not deterministic has no function [act] at all. *)

From Coq Require Import Arith Bool List.
Require Import kahn matching mpi buffers program sequences.
Import ListNotations.

(* ---- Two ranks --------------------------------------------------------------------------- *)

Local Notation code := (program bool unit nat nat).
Local Notation state := (kahn.state bool (own bool unit nat code)).
Definition members (c : nat) : list bool := [false; true].
Definition does := act bool unit nat code bool_dec next.
Definition without_buffers := synchronous bool unit nat code bool_dec members next.
Definition with_one := bounded bool unit nat code bool_dec members next (fun _ _ => 1).

(* Each rank gives the other its number, and ends with what it was given. *)
Definition give (r : bool) : operation bool unit nat := Send (negb r) tt (Nat.b2n r) true.
Definition get (r : bool) : operation bool unit nat := Receive (negb r) (fun _ => true).
Definition value_of (x : result unit nat) : nat :=
  match x with Received m => content m | _ => 0 end.

Definition exchange : state := begin _ _ _ _ (fun r =>
  Then (get r) (Then (give r) (After 0 (fun x => After 1 (fun _ => Done (value_of x)))))).
Definition send_first : state := begin _ _ _ _ (fun r =>
  Then (give r) (After 0 (fun _ => Then (get r) (After 1 (fun x => Done (value_of x)))))).

Ltac permitted := first
  [ exact I | exists 0; eexists; split; reflexivity | exists 1; eexists; split; reflexivity
  | left; permitted | right; split; [reflexivity|apply le_n] ].
Ltac go r := eapply (moves _ _ bool_dec _ _ r); [permitted|reflexivity|].

Theorem exchange_finishes : exists f,
  run _ _ does without_buffers 8 exchange f /\ finished _ _ _ code next f /\
  fst (f false) = Done 1 /\ fst (f true) = Done 0.
Proof.
  eexists. split; [|split; [|split]].
  - go false. go true. go false. go true. go true. go true. go false. go false.
    apply run_end. intros r. reflexivity.
  - intros []; reflexivity.
  - reflexivity.
  - reflexivity.
Qed.

Theorem buffers_can_hide_a_deadlock :
  (exists u, run _ _ does without_buffers 2 send_first u /\ stuck _ _ does without_buffers u /\
             ~ finished _ _ _ code next u) /\
  (exists f, run _ _ does with_one 8 send_first f /\ finished _ _ _ code next f).
Proof.
  split; eexists; split.
  - go false. go true. apply run_end. intros r. reflexivity.
  - split.
    + intros [] b [[[|[|i]] [m [A _]]] _]; discriminate.
    + intros F. specialize (F true). discriminate.
  - go false. go true. go true. go true. go false. go false. go false. go true.
    apply run_end. intros r. reflexivity.
  - intros []; reflexivity.
Qed.

(* ---- Two exchanges, one after the other -------------------------------------------------- *)

Local Notation step := (sequences.exchange bool unit nat code).
Local Notation alone e := (act bool unit nat code bool_dec (sequences.code e)).
Local Notation ready e l := (begin bool unit nat code (fun r => enter e r (l r))).
Local Notation unbuffered e :=
  (synchronous bool unit nat code bool_dec members (sequences.code e)).
Local Notation in_turn := (next_in_turn bool unit nat code).
Local Notation together := (act bool unit nat (turn bool unit nat code) bool_dec in_turn).
Local Notation all_unbuffered := 
  (synchronous bool unit nat (turn bool unit nat code) bool_dec members in_turn).
Local Notation begun := (start bool unit nat code bool_dec [false; true]).

Definition held (l : code) : nat := match l with Done v => v | _ => 0 end.

(* Each rank gives the other what it holds, and adds what it gets. *)
Definition swap : step := {| sequences.code := next; enter r l :=
  Then (get r) (Then (Send (negb r) tt (held l) true)
    (After 0 (fun x => After 1 (fun _ => Done (held l + value_of x))))) |}.

Lemma swap_ends l : exists f, ends bool unit nat code bool_dec members [false; true] swap l f /\
  forall r, fst (f r) = Done (held (l r) + held (l (negb r))).
Proof.
  exists (fun r => (Done (held (l r) + held (l (negb r))),
                    [Send (negb r) tt (held (l r)) true; get r])).
  split; [split; [|split; [|split; [|split]]]|].
  - exists (sees_no_number _ _ _ _). split; [apply programs_are_blind|]. intros r. repeat constructor.
  - eexists. go false. go true. go false. go true. go true. go true. go false. go false.
    apply run_end. intros []; reflexivity.
  - intros []; reflexivity.
  - split; [intros [] []; now split|]. intros c [] []; reflexivity.
  - split.
    + intros [] o I; cbn in I; destruct I as [<-|[<-|[]]]; exact I.
    + intros r N. destruct N. destruct r; cbn; auto.
  - intros []; reflexivity.
Qed.

(* Two exchanges, the second of which gives what the first brought. *)
Theorem two_exchanges_finish : exists n f,
  run _ _ together all_unbuffered n (begun [swap; swap] (fun r => Done (Nat.b2n r))) f /\
  through bool unit nat code [false; true] (fun _ => Done 2) f.
Proof.
  destruct (swap_ends (fun r => Done (Nat.b2n r))) as [f [E F]].
  destruct (swap_ends (fun r => fst (f r))) as [g [E' G]].
  destruct (sequence_finishes bool unit nat code bool_dec members [false; true] [swap; swap]
    (fun r => Done (Nat.b2n r)) (fun r => fst (g r))) as [n [u [R [Fu U]]]].
  - apply one_more with f; [assumption|]. apply one_more with g; [assumption|constructor].
  - exists n, u. split; [assumption|]. split; [assumption|]. intros r I. rewrite U by assumption.
    rewrite G, !F. now destruct r.
Qed.

(* Rank false sends and does not wait, then sends again and waits; rank true receives once. *)
Definition send_and_leave : step := {| sequences.code := next; enter (r : bool) _ :=
  if r then Done 0 else Then (give r) (Done 0) |}.
Definition send_and_wait : step := {| sequences.code := next; enter (r : bool) _ :=
  Then (if r then get r else give r) (After 0 (fun _ => Done 0)) |}.

(* As [go], with the state written out. *)
Ltac goes r := eapply (moves _ _ bool_dec _ _ r); [permitted|cbv; reflexivity|].

Theorem what_is_left_behind_can_deadlock (l : bool -> code) :
  Forall (fun e => exists n f, run _ _ (alone e) (unbuffered e) n (ready e l) f /\
                               finished _ _ _ _ (sequences.code e) f)
    [send_and_leave; send_and_wait] /\
  exists n u, run _ _ together all_unbuffered n (begun [send_and_leave; send_and_wait] l) u /\
    stuck _ _ together all_unbuffered u /\ ~ finished _ _ _ _ in_turn u.
Proof.
  split; [constructor; [|constructor; [|constructor]]|].
  - exists 1, (fun r : bool => (Done 0, if r then [] else [give r])).
    split; [go false; apply run_end; intros []; reflexivity|intros []; reflexivity].
  - exists 4, (fun r : bool => (Done 0, [if r then get r else give r])).
    split; [|intros []; reflexivity].
    go false. go true. go true. go false. apply run_end. intros []; reflexivity.
  - exists 7. eexists. split; [|split].
    + goes false. goes false. goes false. goes true. goes true. goes true. goes true.
      apply run_end. intros r. reflexivity.
    + intros [] b [May [Can _]]; [discriminate|]. destruct May as [[|j] [m [A N]]]; cbn in A, N.
      * injection A as <-. discriminate.
      * discriminate.
    + intros F. specialize (F false). discriminate.
Qed.

(* ---- What is outside --------------------------------------------------------------------- *)

(* Small machines: ranks 0, 1, 2, ...; what a rank is, is how far it came or what it took. *)
Local Notation machine := (kahn.state nat nat -> nat -> option nat).

(* One schedule does not decide: two runs that cannot go on differ at rank r. *)
Definition undecided (act : machine) (P : policy nat nat) : Prop :=
  exists m n u f, run _ _ act P m (fun _ => 0) u /\ stuck _ _ act P u /\
                  run _ _ act P n (fun _ => 0) f /\ stuck _ _ act P f /\ ~ same _ _ u f.

Definition any : policy nat nat := fun _ _ => True.

(* Ranks 0 and 1 send to rank 2, which takes what is there: Recv from ANY_SOURCE, or Waitany. *)
Definition any_source : machine := fun a r =>
  match r, a r with
  | 0, 0 | 1, 0 => Some 1
  | 2, 0 => if a 0 =? 1 then Some 1 else if a 1 =? 1 then Some 2 else None
  | _, _ => None
  end.

(* Rank 0 sends to rank 1, which asks once whether it has: Test, Iprobe, or memory that both see. *)
Definition test : machine := fun a r =>
  match r, a r with
  | 0, 0 => Some 1
  | 1, 0 => Some (if a 0 =? 1 then 2 else 1)
  | _, _ => None
  end.

(* Ranks 0 and 1 send where nobody receives before both have sent; they share one buffer. *)
Definition send_once : machine := fun a r =>
  match r, a r with 0, 0 | 1, 0 => Some 1 | _, _ => None end.
Definition common_pool : policy nat nat := fun a r => a (1 - r) = 0.

Ltac visit r := eapply (moves _ _ Nat.eq_dec _ _ r); [first [exact I|reflexivity]|reflexivity|].
Ltac ended := apply run_end; intros q; reflexivity.
Ltac at_end := intros [|[|[|q]]] b [May [Can _]]; discriminate.

Theorem any_source_is_outside : undecided any_source any.
Proof.
  do 4 eexists. repeat split.
  - visit 0. visit 2. visit 1. ended.
  - at_end.
  - visit 1. visit 2. visit 0. ended.
  - at_end.
  - intros S. specialize (S 2). discriminate.
Qed.

Theorem test_is_outside : undecided test any.
Proof.
  do 4 eexists. repeat split.
  - visit 0. visit 1. ended.
  - at_end.
  - visit 1. visit 0. ended.
  - at_end.
  - intros S. specialize (S 1). discriminate.
Qed.

Theorem a_common_pool_is_outside : undecided send_once common_pool.
Proof.
  do 4 eexists. repeat split.
  - visit 0. ended.
  - at_end.
  - visit 1. ended.
  - at_end.
  - intros S. specialize (S 1). discriminate.
Qed.

(* Each fails the one condition of kahn.v that it must. *)
Theorem what_they_lack :
  (exists r a b x, meanwhile _ _ any_source r a b /\
                   any_source a r = Some x /\ any_source b r <> Some x) /\
  (exists r a b x, meanwhile _ _ test r a b /\ test a r = Some x /\ test b r <> Some x) /\
  ~ kept _ _ send_once common_pool.
Proof.
  repeat split.
  - exists 2, (fun r => if r =? 1 then 1 else 0), (fun r => if r <? 2 then 1 else 0), 2.
    repeat split; [|discriminate]. intros [|[|[|q]]]; cbn; auto.
  - exists 1, (fun _ => 0), (fun r => if r =? 0 then 1 else 0), 1.
    repeat split; [|discriminate]. intros [|[|q]]; cbn; auto.
  - intros K. specialize (K 1 (fun _ => 0) (fun r => if r =? 0 then 1 else 0)).
    unfold common_pool in K. discriminate K; [|reflexivity].
    split; [reflexivity|]. intros [|[|q]]; cbn; auto.
Qed.

Print Assumptions exchange_finishes.
Print Assumptions buffers_can_hide_a_deadlock.
Print Assumptions two_exchanges_finish.
Print Assumptions what_is_left_behind_can_deadlock.
Print Assumptions any_source_is_outside.
Print Assumptions test_is_outside.
Print Assumptions a_common_pool_is_outside.
Print Assumptions what_they_lack.
