(* Programs on MPI whose result neither a schedule nor a buffer can change (Siegel and Avrunin,
   "Modeling wildcard-free MPI programs for verification", PPoPP 2005).

   A rank is a deterministic program: its next call is a function of its local state.  It posts
   operations, numbered 0, 1, ... in the order of posting, and waits for one by its number.

   Covered; a blocking call posts and waits at once, Waitall waits for one after another:
     Send, Isend       MPI may buffer or not, as it likes at each call
     Ssend, Issend     never buffered
     Recv, Irecv       from a named source, with a named tag or any
     Sendrecv          the same
     Wait, Waitall
     Barrier, Bcast, Allreduce, Allgather, Allgatherv, Alltoall, Alltoallv, Dup, Free
                       everybody may wait for everybody, or only for what it needs

   Not covered, since what they bring depends on the schedule:
     Recv, Irecv, Sendrecv from ANY_SOURCE
     Waitany, Waitsome, Test, Testall, Testany, Testsome
     Probe, Iprobe, Mprobe, Improbe, Cancel
   nor ranks that read a clock or random numbers, or that share memory or files.  Bsend, Rsend,
   persistent requests, other collective calls and one-sided communication are not described.

   A tag here stands for MPI's communicator and tag.  A buffer belongs to MPI until the wait: what
   is sent is what was there at the post, what arrives is seen after the wait.  A reduction is a
   function of what is given; so is what a rank does about a message that is too long.

   - [synchronous_run_decides]: if one run with synchronous sends finishes, then under every
     buffering, even one that changes at each call, and every schedule, each execution is the
     beginning of one of as many moves that finishes with the same local states and the same
     messages; so none is in deadlock, none goes on for ever, none ends otherwise;
   - [bounded_run_decides]: the same of a run with bounded buffers, for all that have more room;
   - [schedules_agree]: under one buffering, two runs that cannot go on have come to the same
     end; so a deadlock with synchronous sends is one under every schedule. *)

From Coq Require Import Arith List Bool Lia.
Require Import kahn matching.
Import ListNotations.

Section MPI.
Variables rank tag value local : Type.
Variable rank_eq : forall r q : rank, {r = q} + {r <> q}.
Variable members : nat -> list rank.  (* the ranks of a communicator, by its number *)

Local Notation message := (matching.message tag value).
Local Notation wish := (matching.wish tag).

Inductive operation :=
  | Send (d : rank) (t : tag) (v : value) (standard : bool)  (* standard: it may be buffered *)
  | Receive (s : rank) (ok : tag -> bool)
  | Meet (c : nat) (needs : list rank) (v : value).  (* brings what the ranks [needs] give *)

Inductive result :=
  | Sent
  | Received (m : message)
  | Met (l : list value).

Inductive call :=
  | Compute (k : local)
  | Post (o : operation) (k : local)
  | Wait (i : nat) (k : result -> local)
  | Halt.

Variable next : local -> call.

(* A rank's local state, and all that it has posted, the last first. *)
Definition own : Type := local * list operation.
Local Notation state := (kahn.state rank own).
Definition posted (a : state) (r : rank) : list operation := snd (a r).

(* ---- What the posted operations say ------------------------------------------------------ *)

(* The operation number i, and those before it. *)
Fixpoint at_number (h : list operation) (i : nat) : option (operation * list operation) :=
  match h with
  | [] => None
  | o :: h => if i =? length h then Some (o, h) else at_number h i
  end.

(* The messages to d, the oldest first. *)
Fixpoint sent (h : list operation) (d : rank) : list message :=
  match h with
  | [] => []
  | Send q t v _ :: h =>
      sent h d ++ if rank_eq q d then [{| number := length h; label := t; content := v |}] else []
  | _ :: h => sent h d
  end.

(* The receives from s, the earliest first. *)
Fixpoint wished (h : list operation) (s : rank) : list wish :=
  match h with
  | [] => []
  | Receive q ok :: h =>
      wished h s ++ if rank_eq q s then [{| asker := length h; accepts := ok |}] else []
  | _ :: h => wished h s
  end.

(* What was given to the meetings on communicator c, the earliest first. *)
Fixpoint given (h : list operation) (c : nat) : list value :=
  match h with
  | [] => []
  | Meet b _ v :: h => given h c ++ if b =? c then [v] else []
  | _ :: h => given h c
  end.

(* What the receive number i of d has got from s. *)
Definition arrived (a : state) (s d : rank) (i : nat) : option message :=
  got _ _ (sent (posted a s) d) (wished (posted a d) s) i.

(* The send number i from s to d has met its receive. *)
Definition matched (a : state) (s d : rank) (i : nat) : Prop :=
  exists j m, arrived a s d j = Some m /\ number _ _ m = i.

(* What each of the ranks has given to the meeting number k on c, if all have. *)
Fixpoint gathered (a : state) (c k : nat) (ranks : list rank) : option (list value) :=
  match ranks with
  | [] => Some []
  | q :: ranks =>
      match nth_error (given (posted a q) c) k, gathered a c k ranks with
      | Some v, Some l => Some (v :: l)
      | _, _ => None
      end
  end.

(* ---- What a rank does -------------------------------------------------------------------- *)

(* What an operation of r brings; None while it lacks something. *)
Definition brings (a : state) (r : rank) (i : nat) : option result :=
  match at_number (posted a r) i with
  | Some (Send _ _ _ _, _) => Some Sent
  | Some (Receive s _, _) => option_map Received (arrived a s r i)
  | Some (Meet c needs _, before) => option_map Met (gathered a c (length (given before c)) needs)
  | None => None
  end.

Definition act (a : state) (r : rank) : option own :=
  match next (fst (a r)) with
  | Compute k => Some (k, posted a r)
  | Post o k => Some (k, o :: posted a r)
  | Wait i k => option_map (fun x => (k x, posted a r)) (brings a r i)
  | Halt => None
  end.

Definition finished (a : state) : Prop := forall r, next (fst (a r)) = Halt.

(* Nothing has been posted. *)
Definition begin (l : rank -> local) : state := fun r => (l r, []).

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
  | (Receive _ _, _) => True
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
      length (filter (fun m => number _ _ m <=? i)
        (left_over _ _ (sent (posted a r) d) (wished (posted a d) r))) <= room r d
  | (Receive _ _, _) => True
  | (Meet c _ _, before) => gathered a c (length (given before c)) (members c) <> None
  end).

(* ---- Nobody disturbs another ------------------------------------------------------------- *)

Local Notation meanwhile := (kahn.meanwhile rank own act).

(* Acting posts at most one operation, and takes none back. *)
Lemma posts_more a r x : act a r = Some x -> exists more, snd x = more ++ posted a r.
Proof.
  unfold act. destruct (next (fst (a r))) as [k|o k|i k|]; [| |destruct (brings a r i)|];
    intros [= <-]; [now exists []|now exists [o]|now exists []].
Qed.

(* Meanwhile, every rank has posted more, and r has not. *)
Lemma meanwhile_more r a b q : meanwhile r a b -> exists more, posted b q = more ++ posted a q.
Proof.
  intros [_ M]. destruct (M q) as [E|A]; [|now apply posts_more].
  exists []. unfold posted. now rewrite E.
Qed.

Lemma meanwhile_own r a b : meanwhile r a b -> posted b r = posted a r.
Proof. intros [E _]. unfold posted. now rewrite E. Qed.

(* What is posted later comes later. *)
Lemma sent_more h d more : exists newer, sent (more ++ h) d = sent h d ++ newer.
Proof.
  induction more as [|o more [newer IH]]; [exists []; apply app_nil_end|]. cbn.
  destruct o; rewrite IH, <- ?app_assoc; now eexists.
Qed.

Lemma wished_more h s more : exists later, wished (more ++ h) s = wished h s ++ later.
Proof.
  induction more as [|o more [later IH]]; [exists []; apply app_nil_end|]. cbn.
  destruct o; rewrite IH, <- ?app_assoc; now eexists.
Qed.

Lemma given_more h c more : exists later, given (more ++ h) c = given h c ++ later.
Proof.
  induction more as [|o more [later IH]]; [exists []; apply app_nil_end|]. cbn.
  destruct o; rewrite IH, <- ?app_assoc; now eexists.
Qed.

(* What has arrived stays; and what it needs stays there. *)
Lemma arrived_kept r a b s d i m : meanwhile r a b -> arrived a s d i = Some m ->
  arrived b s d i = Some m.
Proof.
  intros M. unfold arrived.
  destruct (meanwhile_more r a b s M) as [x ->], (meanwhile_more r a b d M) as [y ->].
  destruct (sent_more (posted a s) d x) as [newer ->].
  destruct (wished_more (posted a d) s y) as [later ->]. apply got_more.
Qed.

Lemma matched_kept r a b s d i : meanwhile r a b -> matched a s d i -> matched b s d i.
Proof. intros M [j [m [A N]]]. exists j, m. split; [now apply (arrived_kept r a)|assumption]. Qed.

Lemma gathered_kept r a b c k ranks l : meanwhile r a b -> gathered a c k ranks = Some l ->
  gathered b c k ranks = Some l.
Proof.
  intros M. revert l. induction ranks as [|q ranks IH]; intros l; cbn; [auto|].
  destruct (meanwhile_more r a b q M) as [x ->], (given_more (posted a q) c x) as [later ->].
  destruct (nth_error (given (posted a q) c) k) as [v|] eqn:E; [|discriminate].
  rewrite nth_error_app1, E by (apply nth_error_Some; congruence).
  destruct (gathered a c k ranks) as [l'|]; [|discriminate]. now rewrite (IH l' eq_refl).
Qed.

(* What an operation has brought it brings. *)
Lemma brings_kept r a b i x : meanwhile r a b -> brings a r i = Some x -> brings b r i = Some x.
Proof.
  intros M. unfold brings. rewrite (meanwhile_own r a b M).
  destruct (at_number (posted a r) i) as [[[d t v s|s ok|c needs v] before]|]; auto.
  - destruct (arrived a s r i) as [m|] eqn:E; [|discriminate].
    now rewrite (arrived_kept r a b s r i m).
  - destruct (gathered a c _ needs) as [l|] eqn:E; [|discriminate].
    now rewrite (gathered_kept r a b c _ _ l).
Qed.

(* The condition of kahn.v: what a rank can do it can still do after others have acted. *)
Theorem undisturbed r a b x : meanwhile r a b -> act a r = Some x -> act b r = Some x.
Proof.
  intros M. unfold act. rewrite (meanwhile_own r a b M). rewrite (proj1 M).
  destruct (next (fst (a r))) as [| |i k|]; auto.
  destruct (brings a r i) as [y|] eqn:B; [|discriminate]. now rewrite (brings_kept r a b i y).
Qed.

(* A permission to end a wait is kept if what it asks for stays. *)
Lemma waits_kept (may : state -> rank -> operation * list operation -> nat -> Prop) :
  (forall r a b o i, meanwhile r a b -> may a r o i -> may b r o i) ->
  kept rank own act (waits may).
Proof.
  intros K r a b M. unfold waits. rewrite (meanwhile_own r a b M). rewrite (proj1 M).
  destruct (next (fst (a r))) as [| |i k|]; auto.
  destruct (at_number (posted a r) i) as [o|]; auto. now apply K.
Qed.

(* So are those of the bufferings above. *)
Lemma all_met r a b c k ranks : meanwhile r a b -> gathered a c k ranks <> None ->
  gathered b c k ranks <> None.
Proof.
  intros M. destruct (gathered a c k ranks) as [l|] eqn:E; [|contradiction].
  now rewrite (gathered_kept r a b c k ranks l).
Qed.

Lemma synchronous_kept : kept rank own act synchronous.
Proof.
  apply waits_kept. intros r a b [[d t v s|s ok|c needs v] before] i M; auto.
  - now apply (matched_kept r).
  - now apply (all_met r).
Qed.

Lemma unbounded_kept : kept rank own act unbounded.
Proof.
  apply waits_kept. intros r a b [[d t v []|s ok|c needs v] before] i M; auto.
  now apply (matched_kept r).
Qed.

Lemma bounded_kept room : kept rank own act (bounded room).
Proof.
  apply waits_kept. intros r a b [[d t v s|s ok|c needs v] before] i M; auto;
    [|now apply (all_met r)].
  intros [Y|[S L]]; [left; now apply (matched_kept r a)|right]. split; [assumption|].
  rewrite (meanwhile_own r a b M). destruct (meanwhile_more r a b d M) as [x ->].
  destruct (wished_more (posted a d) r x) as [later ->]. rewrite left_over_app.
  eapply Nat.le_trans; [apply left_over_fewer|assumption].
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
  destruct (at_number (posted a r) i) as [[[d t v []|s ok|c needs v] before]|]; auto.
  - split; [now left|split; [|trivial]]. intros [Y|[S L]]; [now left|right].
    split; [assumption|]. specialize (Le d). lia.
  - split; [now left|split; [|intros [Y|[[=] _]]; assumption]]. intros [Y|[[=] _]]. now left.
Qed.

End MPI.

Print Assumptions undisturbed.
Print Assumptions one_finished_run_decides.
Print Assumptions synchronous_run_decides.
Print Assumptions bounded_run_decides.
Print Assumptions schedules_agree.
Print Assumptions more_room_permits_more.
