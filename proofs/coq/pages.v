(* A page as an MPI program, and what all its executions come to.

   Rank r runs this, for t = 0, 1, ..., steps - 1:

       if [src r t] sends:  post a receive from it;    if r sends:  post a send to [dst r t];
       if it received:  wait, then add or overwrite;   if it sent:  wait.

   [active s t] says whether s sends in step t.  If sends and receives match (the obligations "dst
   in range", "src in range", "dst(src(r)) = r" and "src(dst(r)) = r"), then

   - [page_finishes]: one run without any buffer finishes with what the page computes ([final]);
   - [page_runs_anywhere]: so under every schedule and every buffering each execution does.

   Letters as in machine.v. *)

From Coq Require Import ZArith List Bool Lia.
Require Import kahn matching mpi buffers program machine.
Import ListNotations.
Local Open Scope Z_scope.

Section Page.
Variables (F : family) (p : Z) (active : Z -> nat -> bool).
Context {M : Type}.
Variables (op : M -> M -> M) (x : Z -> Z -> M).

Local Notation rank r := (0 <= r < p) (only parsing).
Local Notation T := (Z.to_nat (steps F p)).
Local Notation to r t := (dst F r (Z.of_nat t) p) (only parsing).
Local Notation from r t := (src F r (Z.of_nat t) p) (only parsing).

Hypothesis schedule_matched : matched F p.
Hypothesis dst_in_range : forall r t, rank r -> 0 <= t < steps F p -> rank (dst F r t p).
Hypothesis silent : forall s c t, active s t = false -> sends F s c (Z.of_nat t) p = false.

(* ---- The program ------------------------------------------------------------------------- *)

Definition vector : Type := Z -> M.
Definition payload : Type := Z -> option M.  (* the chunks that are in a message *)
Local Notation code := (program Z unit payload vector).
Local Notation post := (operation Z unit payload).

Definition listens (r : Z) (t : nat) : bool := active (from r t) t.

(* What r sends in step t. *)
Definition packed (r : Z) (t : nat) (v : vector) : payload :=
  fun c => if sends F r c (Z.of_nat t) p then Some (v c) else None.

(* What r makes of a message in step t. *)
Definition unpacked (t : nat) (v : vector) (m : payload) : vector :=
  fun c => match m c with
           | Some y => if adds F (Z.of_nat t) p then op y (v c) else y
           | None => v c
           end.

Definition taken (t : nat) (v : vector) (y : result unit payload) : vector :=
  match y with Received m => unpacked t v (content m) | _ => v end.

Definition receive (r : Z) (t : nat) : post := Receive (from r t) (fun _ => true).
Definition send (r : Z) (t : nat) (v : vector) : post := Send (to r t) tt (packed r t v) true.

(* Step t of rank r, which has posted i operations so far, in four parts; [rest] comes after. *)
Definition fourth r t (i : nat) (rest : code) : code :=
  if active r t then After (if listens r t then S i else i) (fun _ => rest) else rest.
Definition third r t i v (rest : vector -> code) : code :=
  if listens r t then After i (fun y => fourth r t i (rest (taken t v y)))
  else fourth r t i (rest v).
Definition second r t i v rest : code :=
  if active r t then Then (send r t v) (third r t i v rest) else third r t i v rest.
Definition first r t i v rest : code :=
  if listens r t then Then (receive r t) (second r t i v rest) else second r t i v rest.

Definition posts (r : Z) (t : nat) : nat := Nat.b2n (listens r t) + Nat.b2n (active r t).

(* The last n steps of rank r, from step t on. *)
Fixpoint steps_from (r : Z) (n t i : nat) (v : vector) : code :=
  match n with
  | O => Done v
  | S n => first r t i v (steps_from r n (S t) (posts r t + i))
  end.

(* Who is no rank of the page does nothing. *)
Definition inside (r : Z) : bool := (0 <=? r) && (r <? p).
Definition page_program (r : Z) : code := if inside r then steps_from r T 0 0 (x r) else Done (x r).

(* ---- What it does ------------------------------------------------------------------------ *)

(* The vector of rank r after t steps. *)
Fixpoint copies (t : nat) (r : Z) : vector :=
  match t with
  | O => x r
  | S t =>
      if listens r t
      then unpacked t (copies t r) (packed (from r t) t (copies t (from r t)))
      else copies t r
  end.

(* That is what the page says. *)
Lemma copies_val (t : nat) : (t <= T)%nat -> forall r c, rank r ->
  copies t r c = val F p op x t r c.
Proof.
  induction t as [|t IH]; intros Ht r c Hr; [reflexivity|].
  assert (Hs : 0 <= Z.of_nat t < steps F p) by lia.
  rewrite val_step by assumption. cbn [copies]. unfold listens, unpacked, packed. cbn zeta.
  assert (H := src_in_range F p schedule_matched r (Z.of_nat t) Hr Hs).
  rewrite <- !IH by (assumption || lia).
  destruct (active (from r t) t) eqn:A.
  - now destruct (sends F (from r t) c (Z.of_nat t) p), (adds F (Z.of_nat t) p).
  - now rewrite silent.
Qed.

(* What rank r has posted in the steps before t, the last first. *)
Definition with_receive (r : Z) (t : nat) (h : list post) : list post :=
  if listens r t then receive r t :: h else h.
Fixpoint history (r : Z) (t : nat) : list post :=
  match t with
  | O => []
  | S t =>
      let h := with_receive r t (history r t) in
      if active r t then send r t (copies t r) :: h else h
  end.

Lemma history_length r t : length (history r (S t)) = (posts r t + length (history r t))%nat.
Proof.
  cbn [history]. unfold with_receive, posts.
  now destruct (listens r t), (active r t).
Qed.

(* ---- Every receive gets the message of its step ------------------------------------------ *)

Local Notation sent := (sent Z unit payload Z.eq_dec).
Local Notation wished := (wished Z unit payload Z.eq_dec).

(* What step t adds to the messages from s to d, and to the receives of d from s. *)
Definition message_of (s : Z) (t : nat) : message unit payload := {|
  number := length (with_receive s t (history s t));
  label := tt;
  content := packed s t (copies t s)
|}.
Definition wish_of (d : Z) (t : nat) : wish unit := {|
  asker := length (history d t);
  accepts := fun _ => true
|}.

Lemma sent_step s d t : sent (history s (S t)) d = sent (history s t) d ++
  (if active s t && (to s t =? d) then [message_of s t] else []).
Proof.
  assert (E : sent (with_receive s t (history s t)) d = sent (history s t) d) by
    (unfold with_receive; now destruct (listens s t)).
  cbn [history]. destruct (active s t); cbn [sent andb send]; [|now rewrite E, app_nil_r].
  rewrite E. now destruct (Z.eq_dec (to s t) d), (Z.eqb_spec (to s t) d).
Qed.

Lemma wished_step s d t : wished (history d (S t)) s = wished (history d t) s ++
  (if listens d t && (from d t =? s) then [wish_of d t] else []).
Proof.
  assert (E : wished (history d (S t)) s = wished (with_receive d t (history d t)) s) by
    (cbn [history]; now destruct (active d t)).
  rewrite E. unfold with_receive.
  destruct (listens d t); cbn [wished andb receive]; [|now rewrite app_nil_r].
  now destruct (Z.eq_dec (from d t) s), (Z.eqb_spec (from d t) s).
Qed.

(* s sends to d in a step exactly when d listens to s in it. *)
Lemma same_step s d t : rank s -> rank d -> (t < T)%nat ->
  active s t && (to s t =? d) = listens d t && (from d t =? s).
Proof.
  intros Hs Hd Ht. assert (H : 0 <= Z.of_nat t < steps F p) by lia. unfold listens.
  destruct (Z.eqb_spec (to s t) d) as [D|D], (Z.eqb_spec (from d t) s) as [S|S].
  - now rewrite S.
  - destruct S. rewrite <- D. now apply src_of_dst.
  - destruct D. rewrite <- S. now apply dst_of_src.
  - now rewrite !andb_false_r.
Qed.

(* So on every channel as many messages as receives are posted in the steps before t. *)
Lemma sends_are_receives s d t : rank s -> rank d -> (t <= T)%nat ->
  length (sent (history s t) d) = length (wished (history d t) s).
Proof.
  intros Hs Hd. induction t as [|t IH]; intros Ht; [reflexivity|].
  rewrite sent_step, wished_step, !app_length, IH, same_step by (assumption || lia).
  now destruct (_ && _).
Qed.

(* Receives are numbered by what was posted before them, and accept everything. *)
Lemma wished_before s d t w : In w (wished (history d t) s) ->
  (asker w < length (history d t))%nat /\ forall y, accepts w y = true.
Proof.
  induction t as [|t IH]; [intros []|]. rewrite wished_step, history_length. intros I.
  apply in_app_or in I as [I|I]; [destruct (IH I); split; [lia|assumption]|].
  unfold posts. destruct (listens d t), (from d t =? s); cbn in I; try contradiction;
    destruct I as [<-|[]]; cbn. split; [lia|reflexivity].
Qed.

Local Notation state := (kahn.state Z (own Z unit payload code)).
Local Notation posted := (posted Z unit payload code).

(* When both have posted step t, the receive of it has got the message of it. *)
Lemma arrives (a : state) r t : rank r -> (t < T)%nat -> listens r t = true ->
  posted a r = history r (S t) -> posted a (from r t) = history (from r t) (S t) ->
  arrived _ _ _ _ Z.eq_dec a (from r t) r (length (history r t)) = Some (message_of (from r t) t).
Proof.
  intros Hr Ht L Er Es. unfold arrived. rewrite Er, Es.
  assert (Hs := src_in_range F p schedule_matched r (Z.of_nat t) Hr ltac:(lia)).
  rewrite sent_step, wished_step, same_step, L, Z.eqb_refl by assumption. cbn [andb].
  apply (fifo _ _ _ _ (message_of (from r t) t) (wish_of r t)).
  - intros v I. apply in_app_or in I as [I|[<-|[]]]; [|reflexivity]. now apply wished_before in I.
  - intros v I. apply wished_before in I as [I _]. cbn. lia.
  - apply sends_are_receives; auto; lia.
Qed.

(* ---- One run without buffers ------------------------------------------------------------- *)

Local Notation does := (act Z unit payload code Z.eq_dec next).
Local Notation unbuffered := (synchronous Z unit payload code Z.eq_dec (fun _ => []) next).
Local Notation run := (kahn.run Z (own Z unit payload code) does).

(* The state in which the ranks of the page are as f says. *)
Definition at_ranks (f : Z -> own Z unit payload code) : state :=
  fun r => if inside r then f r else (Done (x r), []).

Lemma inside_rank r : inside r = true <-> rank r.
Proof. unfold inside. lia. Qed.

(* If every rank that changes can move, then one after another can. *)
Lemma sweep f g : (forall r, rank r -> g r = f r \/
    unbuffered (at_ranks f) r /\ does (at_ranks f) r = Some (g r)) ->
  exists n, run unbuffered n (at_ranks f) (at_ranks g).
Proof.
  intros Each. apply all_move with (l := ranks p).
  - apply Z.eq_dec.
  - apply undisturbed.
  - apply synchronous_kept.
  - intros r Out. rewrite in_ranks, <- inside_rank in Out. unfold at_ranks.
    now destruct (inside r).
  - intros r I. apply in_ranks in I. assert (at_rank : forall h, at_ranks h r = h r) by
      (intros h; unfold at_ranks; now rewrite ((proj2 (inside_rank r)) I)).
    rewrite !at_rank. now apply Each.
Qed.

(* Rank r before step t, and after each of its four parts. *)
Definition rest r t : vector -> code :=
  steps_from r (T - S t) (S t) (posts r t + length (history r t)).
Definition before t r : own Z unit payload code :=
  (steps_from r (T - t) t (length (history r t)) (copies t r), history r t).
Definition received t r : own Z unit payload code :=
  (second r t (length (history r t)) (copies t r) (rest r t), with_receive r t (history r t)).
Definition posted_all t r : own Z unit payload code :=
  (third r t (length (history r t)) (copies t r) (rest r t), history r (S t)).
Definition has_received t r : own Z unit payload code :=
  (fourth r t (length (history r t)) (rest r t (copies (S t) r)), history r (S t)).

(* What a rank of the page is in such a state. *)
Lemma at_rank f r : rank r -> at_ranks f r = f r.
Proof. intros Hr. unfold at_ranks. now rewrite (proj2 (inside_rank r) Hr). Qed.

Lemma receives_posted t : (t < T)%nat ->
  exists n, run unbuffered n (at_ranks (before t)) (at_ranks (received t)).
Proof.
  intros Ht. apply sweep. intros r Hr. unfold synchronous, waits, act, posted.
  rewrite at_rank by assumption. unfold before, received, first, with_receive. cbn [fst snd].
  replace (T - t)%nat with (S (T - S t)) by lia. cbn [steps_from]. unfold first.
  destruct (listens r t); [right|left; reflexivity]. split; [exact I|reflexivity].
Qed.

Lemma sends_posted t : (t < T)%nat ->
  exists n, run unbuffered n (at_ranks (received t)) (at_ranks (posted_all t)).
Proof.
  intros Ht. apply sweep. intros r Hr. unfold synchronous, waits, act, posted.
  rewrite at_rank by assumption. unfold received, posted_all, second. cbn [fst snd history].
  destruct (active r t); [right|left; reflexivity]. split; [exact I|reflexivity].
Qed.

(* A receive may end when its message has arrived, a send when its receive has got it. *)
Lemma wait_receive a r h older i k s ok m : a r = (After i k, h) ->
  at_number _ _ _ h i = Some (Receive s ok, older) ->
  arrived _ _ _ _ Z.eq_dec a s r i = Some m ->
  unbuffered a r /\ does a r = Some (k (Received m), h).
Proof.
  intros E A Y. unfold synchronous, waits, act, brings, posted. rewrite E. cbn [fst snd next].
  rewrite A, Y. split; [exact I|reflexivity].
Qed.

Lemma wait_send a r h older i k d y v b : a r = (After i k, h) ->
  at_number _ _ _ h i = Some (Send d y v b, older) ->
  mpi.matched _ _ _ _ Z.eq_dec a r d i -> unbuffered a r /\ does a r = Some (k Sent, h).
Proof.
  intros E A Y. unfold synchronous, waits, act, brings, posted. rewrite E. cbn [fst snd next].
  rewrite A. split; [exact Y|reflexivity].
Qed.

(* The operations of step t are found under their numbers. *)
Lemma receive_number r t : listens r t = true ->
  at_number _ _ _ (history r (S t)) (length (history r t)) = Some (receive r t, history r t).
Proof.
  intros L. cbn [history]. unfold with_receive. rewrite L.
  destruct (active r t); cbn [at_number length]; rewrite ?Nat.eqb_refl; [|reflexivity].
  now rewrite (proj2 (Nat.eqb_neq _ _) (Nat.neq_succ_diag_r _)).
Qed.

Lemma send_number r t : active r t = true ->
  at_number _ _ _ (history r (S t)) (length (with_receive r t (history r t))) =
  Some (send r t (copies t r), with_receive r t (history r t)).
Proof. intros A. cbn [history]. rewrite A. cbn [at_number]. now rewrite Nat.eqb_refl. Qed.

Lemma receives_complete t : (t < T)%nat ->
  exists n, run unbuffered n (at_ranks (posted_all t)) (at_ranks (has_received t)).
Proof.
  intros Ht. apply sweep. intros r Hr.
  assert (Hs := src_in_range F p schedule_matched r (Z.of_nat t) Hr ltac:(lia)).
  unfold has_received. cbn [copies]. destruct (listens r t) eqn:L; [right|left].
  - apply (wait_receive _ r _ (history r t) (length (history r t))
      (fun y => fourth r t (length (history r t)) (rest r t (taken t (copies t r) y)))
      (from r t) (fun _ => true) (message_of (from r t) t)).
    + rewrite at_rank by assumption. unfold posted_all, third. rewrite L. reflexivity.
    + now apply receive_number.
    + apply arrives; auto; unfold posted; now rewrite at_rank.
  - unfold posted_all, third. now rewrite L.
Qed.

Lemma sends_complete t : (t < T)%nat ->
  exists n, run unbuffered n (at_ranks (has_received t)) (at_ranks (before (S t))).
Proof.
  intros Ht. apply sweep. intros r Hr.
  assert (Hd := dst_in_range r (Z.of_nat t) Hr ltac:(lia)).
  assert (Back := src_of_dst F p schedule_matched r (Z.of_nat t) Hr ltac:(lia)).
  unfold before. rewrite history_length. destruct (active r t) eqn:A; [right|left].
  - apply (wait_send _ r _ (with_receive r t (history r t))
      (length (with_receive r t (history r t))) (fun _ => rest r t (copies (S t) r))
      (to r t) tt (packed r t (copies t r)) true).
    + rewrite at_rank by assumption. unfold has_received, fourth. rewrite A.
      replace (if listens r t then _ else _) with (length (with_receive r t (history r t))) by
        (unfold with_receive; now destruct (listens r t)).
      reflexivity.
    + now apply send_number.
    + exists (length (history (to r t) t)), (message_of r t). split; [|reflexivity].
      assert (Y := arrives (at_ranks (has_received t)) (to r t) t Hd Ht).
      unfold listens in Y. rewrite Back in Y. apply Y; auto; unfold posted; now rewrite at_rank.
  - unfold has_received, fourth. now rewrite A.
Qed.

(* Step by step. *)
Lemma steps_run (t : nat) : (t <= T)%nat ->
  exists n, run unbuffered n (at_ranks (before 0)) (at_ranks (before t)).
Proof.
  induction t as [|t IH]; intros Ht.
  - exists O. apply run_end. now intros r.
  - destruct IH as [a A], (receives_posted t Ht) as [b B], (sends_posted t Ht) as [c C];
      [lia|]. destruct (receives_complete t Ht) as [d D], (sends_complete t Ht) as [e E].
    exists (a + (b + (c + (d + e))))%nat.
    repeat (eapply run_run; [apply undisturbed|apply synchronous_kept|eassumption|]). assumption.
Qed.

(* ---- The theorems ------------------------------------------------------------------------ *)

Local Notation finished := (finished Z unit payload code next).
Definition start : state := begin _ _ _ _ page_program.

(* Rank r is through, with the vector that the page computes. *)
Definition computed (u : state) : Prop := forall r, rank r ->
  exists v, fst (u r) = Done v /\ forall c, v c = final F p op x r c.

(* Without any buffer the program can finish, with what the page computes. *)
Theorem page_finishes : exists n f, run unbuffered n start f /\ finished f /\ computed f.
Proof.
  destruct (steps_run T) as [n R]; [lia|]. exists n, (at_ranks (before T)). split; [|split].
  - apply (run_same _ _ _ (undisturbed _ _ _ _ Z.eq_dec next) _ _ (at_ranks (before 0)));
      [apply synchronous_kept| |assumption].
    intros r. unfold start, begin, page_program, at_ranks, before. cbn [copies history length].
    rewrite Nat.sub_0_r. now destruct (inside r).
  - intros r. unfold at_ranks, before. rewrite Nat.sub_diag. now destruct (inside r).
  - intros r Hr. rewrite at_rank by assumption. unfold before. rewrite Nat.sub_diag.
    exists (copies T r). split; [reflexivity|]. intros c. now apply copies_val.
Qed.

Local Notation buffering := (buffering Z unit payload code).
Local Notation unbounded := (unbounded Z unit payload code Z.eq_dec next).
Local Notation execution := (execution Z (own Z unit payload code) does).
Local Notation stuck := (stuck Z (own Z unit payload code) does).

(* So under every schedule and every buffering: each execution can go on until it has computed
   that, after a number of moves that is always the same, and none stops before. *)
Theorem page_runs_anywhere : exists n,
  forall P : nat -> buffering,
    (forall t a r, unbuffered a r -> P t a r) -> (forall t a r, P t a r -> unbounded a r) ->
  forall m u, execution P m start u ->
    (exists k f, n = (m + k)%nat /\ run unbuffered k u f /\ finished f /\ computed f) /\
    (stuck (P m) u -> m = n /\ finished u /\ computed u).
Proof.
  destruct page_finishes as [n [f [R [End Right]]]]. exists n. intros P Below Above m u X.
  destruct (synchronous_run_decides _ _ _ _ Z.eq_dec (fun _ => []) next n start f R End P Below
              Above m u X) as [[k [E Rest]] Stop].
  split; [now exists k, f|]. intros S. destruct (Stop S) as [Em [Fu Same]].
  repeat split; auto. intros r Hr. rewrite <- (Same r). now apply Right.
Qed.

End Page.

Print Assumptions page_finishes.
Print Assumptions page_runs_anywhere.
