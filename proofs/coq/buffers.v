(* One run with synchronous sends decides for every schedule and every buffering (S. F. Siegel and
   G. S. Avrunin, "Modeling wildcard-free MPI programs for verification", PPoPP 2005).

   Of the programs of mpi.v:

   - [synchronous_run_decides]: if one run with synchronous sends finishes, then under every
     buffering, even one that changes at each call, and every schedule, each execution is the
     beginning of one of as many moves that finishes with the same local states and the same
     messages; so none is in deadlock, none goes on for ever, none ends otherwise;
   - [bounded_run_decides]: the same of a run with bounded buffers, for all that have more room;
   - [schedules_agree]: under one buffering, two runs that cannot go on have come to the same
     end; so a deadlock with synchronous sends is one under every schedule. *)

From Coq Require Import Arith List Lia.
Require Import kahn matching mpi.

Section Buffers.
Variables rank tag value local : Type.
Variable rank_eq : forall r q : rank, {r = q} + {r <> q}.
Variable members : nat -> list rank.  (* the ranks of a communicator, by its number *)
Variable next : local -> call rank tag value local.

Local Notation operation := (operation rank tag value).
Local Notation own := (own rank tag value local).
Local Notation state := (kahn.state rank own).
Local Notation posted := (posted rank tag value local).
Local Notation at_number := (at_number rank tag value).
Local Notation sent := (sent rank tag value rank_eq).
Local Notation wished := (wished rank tag value rank_eq).
Local Notation given := (given rank tag value).
Local Notation matched := (matched rank tag value local rank_eq).
Local Notation gathered := (gathered rank tag value local).
Local Notation finished := (finished rank tag value local next).
Local Notation act := (act rank tag value local rank_eq next).
Local Notation meanwhile := (kahn.meanwhile rank own act).
Local Notation undisturbed := (undisturbed rank tag value local rank_eq next).

(* ---- Buffers ----------------------------------------------------------------------------- *)

Definition buffering := policy rank own.

(* Whatever r waits for, the wait may end, as far as [may] says so of a send or a meeting. *)
Definition waits (may : state -> rank -> operation * list operation -> nat -> Prop) : buffering :=
  fun a r => match next (fst (a r)) with
             | Wait i _ => match at_number (posted a r) i with
                           | Some o => may a r o i
                           | None => True
                           end
             | _ => True
             end.

(* Nothing is buffered: a send waits for its receive, a meeting for everybody. *)
Definition synchronous : buffering := waits (fun a r o i =>
  match o with
  | (Send d _ _ _, _) => matched a r d i
  | (Receive _ _, _) | (Look _ _, _) => True
  | (Meet c _ _, before) => gathered a c (length (given before c)) (members c) <> None
  end).

(* Everything is buffered that may be; a meeting waits only for what it needs. *)
Definition unbounded : buffering := waits (fun a r o i =>
  match o with
  | (Send d _ _ false, _) => matched a r d i
  | _ => True
  end).

(* From r to d at most [room r d] messages are buffered. *)
Definition bounded (room : rank -> rank -> nat) : buffering := waits (fun a r o i =>
  match o with
  | (Send d _ _ standard, _) =>
      matched a r d i \/ standard = true /\
      length (filter (fun m => number m <=? i)
        (left_over (sent (posted a r) d) (wished (posted a d) r))) <= room r d
  | (Receive _ _, _) | (Look _ _, _) => True
  | (Meet c _ _, before) => gathered a c (length (given before c)) (members c) <> None
  end).

(* ---- Nobody takes a permission from another ----------------------------------------------- *)

(* A permission to end a wait is kept if what it asks for stays. *)
Lemma waits_kept (may : state -> rank -> operation * list operation -> nat -> Prop) :
  (forall r a b o i, meanwhile r a b -> may a r o i -> may b r o i) ->
  kept rank own act (waits may).
Proof.
  intros K r a b M. unfold waits. rewrite (meanwhile_own _ _ _ _ _ _ r a b M). rewrite (proj1 M).
  destruct (next (fst (a r))) as [| |i k|]; auto.
  destruct (at_number (posted a r) i) as [o|]; auto. now apply K.
Qed.

(* So are those of the bufferings above. *)
Lemma all_met r a b c k ranks : meanwhile r a b -> gathered a c k ranks <> None ->
  gathered b c k ranks <> None.
Proof.
  intros M. destruct (gathered a c k ranks) as [l|] eqn:E; [|contradiction].
  now rewrite (gathered_kept _ _ _ _ _ _ r a b c k ranks l M).
Qed.

Lemma synchronous_kept : kept rank own act synchronous.
Proof.
  apply waits_kept. intros r a b [[d t v s|s ok|s ok|c needs v] before] i M; auto.
  - now apply (matched_kept _ _ _ _ _ next r a).
  - now apply (all_met r).
Qed.

Lemma unbounded_kept : kept rank own act unbounded.
Proof.
  apply waits_kept. intros r a b [[d t v []|s ok|s ok|c needs v] before] i M; auto.
  now apply (matched_kept _ _ _ _ _ next r a).
Qed.

Lemma bounded_kept room : kept rank own act (bounded room).
Proof.
  apply waits_kept. intros r a b [[d t v s|s ok|s ok|c needs v] before] i M; auto;
    [|now apply (all_met r)].
  intros [Y|[S L]]; [left; now apply (matched_kept _ _ _ _ _ next r a)|right].
  split; [assumption|]. rewrite (meanwhile_own _ _ _ _ _ _ r a b M).
  destruct (meanwhile_more _ _ _ _ _ _ r a b d M) as [x ->].
  destruct (wished_more rank tag value rank_eq (posted a d) r x) as [later ->].
  rewrite left_over_app. eapply Nat.le_trans; [apply left_over_fewer|assumption].
Qed.

(* ---- The theorems ------------------------------------------------------------------------ *)

Local Notation run := (kahn.run rank own act).
Local Notation execution := (kahn.execution rank own act).
Local Notation stuck := (kahn.stuck rank own act).
Local Notation same := (kahn.same rank own).

(* Who has finished does not move. *)
Lemma finished_stuck P a : finished a -> stuck P a.
Proof. intros F r b [_ [A _]]. unfold act in A. now rewrite F in A. Qed.

(* States that are the same have finished the same ranks. *)
Lemma finished_same a b : same a b -> finished a -> finished b.
Proof. intros E F r. now rewrite E. Qed.

(* ---- The theorems ------------------------------------------------------------------------ *)

(* If one run under [little] finishes, then under every buffering that permits no less, even if it
   changes its mind at every call, each execution is the beginning of one that finishes, in the
   same end, with as many moves, and can do so under [little]; none stops before. *)
Theorem one_finished_run_decides little n a f : kept rank own act little ->
  run little n a f -> finished f ->
  forall P : nat -> buffering,
    (forall t s r, little s r -> P t s r) -> (forall t s r, P t s r -> unbounded s r) ->
  forall m u, execution P m a u ->
    (exists k, n = m + k /\ run little k u f) /\
    (stuck (P m) u -> m = n /\ finished u /\ same u f).
Proof.
  intros K Known F P Below Above m u X.
  destruct (one_run_decides rank own rank_eq act undisturbed little unbounded P n a f)
    with (m := m) (u := u) as [Rest End]; auto using unbounded_kept, finished_stuck.
  split; [assumption|]. intros S. destruct (End S) as [E Same]. repeat split; auto.
  apply (finished_same f); [|assumption]. intros r. now rewrite Same.
Qed.

(* So one complete run with synchronous sends decides. *)
Theorem synchronous_run_decides n a f : run synchronous n a f -> finished f ->
  forall P : nat -> buffering,
    (forall t s r, synchronous s r -> P t s r) -> (forall t s r, P t s r -> unbounded s r) ->
  forall m u, execution P m a u ->
    (exists k, n = m + k /\ run synchronous k u f) /\
    (stuck (P m) u -> m = n /\ finished u /\ same u f).
Proof. now apply one_finished_run_decides, synchronous_kept. Qed.

(* And one with that much room decides for all that have more. *)
Theorem bounded_run_decides room n a f : run (bounded room) n a f -> finished f ->
  forall P : nat -> buffering,
    (forall t s r, bounded room s r -> P t s r) -> (forall t s r, P t s r -> unbounded s r) ->
  forall m u, execution P m a u ->
    (exists k, n = m + k /\ run (bounded room) k u f) /\
    (stuck (P m) u -> m = n /\ finished u /\ same u f).
Proof. apply one_finished_run_decides, bounded_kept. Qed.

(* A run that cannot go on, finished or in deadlock, decides for all with the same buffers. *)
Theorem schedules_agree P m n a u f :
  P = synchronous \/ (exists room, P = bounded room) \/ P = unbounded ->
  run P m a u -> stuck P u -> run P n a f -> stuck P f -> m = n /\ same u f.
Proof.
  intros Which. apply (schedule_decides_nothing rank own rank_eq act undisturbed).
  destruct Which as [->|[[room ->]| ->]];
    auto using synchronous_kept, bounded_kept, unbounded_kept.
Qed.

(* These bufferings permit one more than the other. *)
Theorem more_room_permits_more (room more : rank -> rank -> nat) a r :
  (forall s d, room s d <= more s d) ->
  (synchronous a r -> bounded room a r) /\ (bounded room a r -> bounded more a r) /\
  (bounded room a r -> unbounded a r).
Proof.
  intros Le. unfold synchronous, bounded, unbounded, waits. specialize (Le r).
  destruct (next (fst (a r))) as [| |i k|]; auto.
  destruct (at_number (posted a r) i) as [[[d t v []|s ok|s ok|c needs v] before]|]; auto.
  - split; [now left|split; [|trivial]]. intros [Y|[S L]]; [now left|right].
    split; [assumption|]. specialize (Le d). lia.
  - split; [now left|split; [|intros [Y|[[=] _]]; assumption]]. intros [Y|[[=] _]]. now left.
Qed.

End Buffers.

Print Assumptions one_finished_run_decides.
Print Assumptions synchronous_run_decides.
Print Assumptions bounded_run_decides.
Print Assumptions schedules_agree.
Print Assumptions more_room_permits_more.
