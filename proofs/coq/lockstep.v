(* Why a matched schedule cannot deadlock, even if no message is ever buffered.

   Every rank runs this program, for t = 0, 1, ..., T - 1:

       post a receive from [src r t];  post a send to [dst r t];  wait until both are complete.

   Sends are synchronous: a send completes only when it meets its receive.  Messages from one rank
   to another do not overtake: the k-th send posted meets the k-th receive posted, whatever
   steps they belong to.  Which of the possible moves happens next is left open.

   If sends and receives match in every step (the obligations "dst in range", "src in range",
   "dst(src(r)) = r" and "src(dst(r)) = r"), then for every number of ranks p and of steps T:

   - [no_deadlock]: in every reachable state some move is possible, unless all have finished;
   - [moves_bounded], [all_finish]: no execution makes more than 2 p T moves, and one that cannot
     go on has made exactly 2 p T and finished every rank;
   - [fifo_is_by_step], [transfers_are_in_step]: a send meets the receive of its own step, so
     what arrives in a step is what the page says arrives in it;
   - [all_is_waited_for]: the machine's wait leaves nothing out;
   - [page_finishes]: a page with a matched schedule is such a program.

   Letters: r, s, d ranks (s sends, d receives), t, u steps. *)

From Coq Require Import ZArith Bool Lia.
Require Import counting machine.
Local Open Scope Z_scope.

Section Lockstep.
Variables (p : Z) (T : nat) (dst src : Z -> nat -> Z).

Local Notation rank := (counting.rank p).
Local Notation over_ranks := (counting.over_ranks p).

Hypothesis dst_in_range : forall r t, rank r -> (t < T)%nat -> rank (dst r t).
Hypothesis src_in_range : forall r t, rank r -> (t < T)%nat -> rank (src r t).
Hypothesis dst_of_src : forall r t, rank r -> (t < T)%nat -> dst (src r t) t = r.
Hypothesis src_of_dst : forall r t, rank r -> (t < T)%nat -> src (dst r t) t = r.

(* ---- Counting what a rank has posted ----------------------------------------------------- *)

(* Sends that s posts to d, and receives that d posts from s, in the steps before t. *)
Definition sends (s d : Z) (t : nat) : nat := count (dst s) d t.
Definition receives (s d : Z) (t : nat) : nat := count (src d) s t.

(* s sends to d in a step exactly when d receives from s in it. *)
Lemma same_step s d t : rank s -> rank d -> (t < T)%nat -> (dst s t = d <-> src d t = s).
Proof.
  intros Hs Hd Ht. split; [intros <-; now apply src_of_dst|intros <-; now apply dst_of_src].
Qed.

(* On every channel, as many sends as receives are posted in the steps before t. *)
Theorem sends_are_receives s d t : rank s -> rank d -> (t <= T)%nat ->
  sends s d t = receives s d t.
Proof.
  intros Hs Hd. unfold sends, receives. induction t as [|t IH]; intros Ht; cbn [count]; [auto|].
  rewrite IH by lia. pose proof (same_step s d t Hs Hd ltac:(lia)). unfold is.
  destruct (Z.eqb_spec (dst s t) d), (Z.eqb_spec (src d t) s); tauto.
Qed.

(* A send in step t and a receive in step u that are both the k-th of their channel are of one
   step. *)
Theorem fifo_is_by_step s d t u : rank s -> rank d -> (t < T)%nat -> (u < T)%nat ->
  dst s t = d -> src d u = s -> sends s d t = receives s d u -> t = u.
Proof.
  intros Hs Hd Ht Hu Hdst Hsrc E.
  assert (sends s d u = receives s d u) by (apply sends_are_receives; auto; lia).
  assert (sends s d t = receives s d t) by (apply sends_are_receives; auto; lia).
  unfold sends, receives in *.
  destruct (Nat.lt_trichotomy t u) as [L|[|L]]; [|assumption|].
  - pose proof (count_strict (dst s) d t u L Hdst). lia.
  - pose proof (count_strict (src d) s u t L Hsrc). lia.
Qed.

(* ---- The machine ------------------------------------------------------------------------- *)

(* [posted r]: the number of steps whose send and receive rank r has posted.
   [moved s d]: the number of messages that have gone from s to d. *)
Record state := { posted : Z -> nat; moved : Z -> Z -> nat }.

(* Everything that r has posted is complete. *)
Definition complete (a : state) (r : Z) : Prop :=
  forall q, rank q -> moved a r q = sends r q (posted a r) /\
                      moved a q r = receives q r (posted a r).

(* r posts its next step. *)
Definition post (a : state) (r : Z) : state := {|
  posted := fun q => if q =? r then S (posted a q) else posted a q;
  moved := moved a
|}.

(* The earliest incomplete send from s to d meets the earliest incomplete receive. *)
Definition transfer (a : state) (s d : Z) : state := {|
  posted := posted a;
  moved := fun q r => if (q =? s) && (r =? d) then S (moved a q r) else moved a q r
|}.

Inductive move (a : state) : state -> Prop :=
  | move_post r : rank r -> (posted a r < T)%nat -> complete a r -> move a (post a r)
  | move_transfer s d : rank s -> rank d ->
      (moved a s d < sends s d (posted a s))%nat ->
      (moved a s d < receives s d (posted a d))%nat ->
      move a (transfer a s d).

(* The states that can be reached, and with how many moves. *)
Inductive reached : nat -> state -> Prop :=
  | reached_start : reached 0 {| posted := fun _ => O; moved := fun _ _ => O |}
  | reached_move n a b : reached n a -> move a b -> reached (S n) b.

(* Every rank is through its program. *)
Definition finished (a : state) : Prop := forall r, rank r -> posted a r = T /\ complete a r.

(* ---- What is always so ------------------------------------------------------------------- *)

(* What is posted and moved never exceeds the program; what was posted in earlier steps has
   moved, since a rank waits before it goes on. *)
Record sound (a : state) : Prop := {
  posted_in_program : forall r, rank r -> (posted a r <= T)%nat;
  moved_was_sent : forall s d, rank s -> rank d -> (moved a s d <= sends s d (posted a s))%nat;
  moved_was_received : forall s d, rank s -> rank d ->
    (moved a s d <= receives s d (posted a d))%nat;
  sent_before_moved : forall s d, rank s -> rank d ->
    (sends s d (pred (posted a s)) <= moved a s d)%nat;
  received_before_moved : forall s d, rank s -> rank d ->
    (receives s d (pred (posted a d)) <= moved a s d)%nat
}.

(* Posting keeps this so. *)
Lemma sound_post a r : sound a -> rank r -> (posted a r < T)%nat -> complete a r ->
  sound (post a r).
Proof.
  intros [P MS MR SM RM] Hr Ht C.
  assert (up : forall peer q t, (count peer q t <= count peer q (S t))%nat) by
    (intros; apply count_monotone; lia).
  constructor; cbn [post posted moved]; unfold sends, receives in *.
  - intros q Hq. destruct (Z.eqb_spec q r) as [->|]; [lia|auto].
  - intros s d Hs Hd. specialize (MS s d Hs Hd). specialize (up (dst s) d (posted a s)).
    destruct (s =? r); lia.
  - intros s d Hs Hd. specialize (MR s d Hs Hd). specialize (up (src d) s (posted a d)).
    destruct (d =? r); lia.
  - intros s d Hs Hd. destruct (Z.eqb_spec s r) as [->|]; [|auto].
    destruct (C d Hd) as [E _]. unfold sends in E. cbn [pred]. lia.
  - intros s d Hs Hd. destruct (Z.eqb_spec d r) as [->|]; [|auto].
    destruct (C s Hs) as [_ E]. unfold receives in E. cbn [pred]. lia.
Qed.

(* Transferring keeps this so. *)
Lemma sound_transfer a s d : sound a ->
  (moved a s d < sends s d (posted a s))%nat -> (moved a s d < receives s d (posted a d))%nat ->
  sound (transfer a s d).
Proof.
  intros [P MS MR SM RM] LS LR. constructor; cbn [transfer posted moved]; [auto|..];
    intros q r Hq Hr; specialize (MS q r Hq Hr); specialize (MR q r Hq Hr);
    specialize (SM q r Hq Hr); specialize (RM q r Hq Hr);
    destruct (Z.eqb_spec q s), (Z.eqb_spec r d); subst; cbn [andb]; lia.
Qed.

(* So it is in every reachable state. *)
Lemma reached_sound n a : reached n a -> sound a.
Proof.
  induction 1 as [|n a b _ IH M].
  - constructor; cbn; intros; lia.
  - destruct M; [now apply sound_post|now apply sound_transfer].
Qed.

(* ---- Transfers are in step --------------------------------------------------------------- *)

(* A rank between post and wait is in step [pred (posted a r)].  When a message goes from s to d,
   both are in the same step, and it is the message of that step. *)
Theorem transfers_are_in_step n a s d : reached n a -> rank s -> rank d ->
  (moved a s d < sends s d (posted a s))%nat -> (moved a s d < receives s d (posted a d))%nat ->
  exists t, (t < T)%nat /\ posted a s = S t /\ posted a d = S t /\ dst s t = d /\ src d t = s.
Proof.
  intros R Hs Hd LS LR. destruct (reached_sound n a R) as [P _ _ SM RM].
  specialize (SM s d Hs Hd). specialize (RM s d Hs Hd).
  pose proof (P s Hs). pose proof (P d Hd). unfold sends, receives in *.
  destruct (posted a s) as [|t] eqn:Es; [cbn in *; lia|].
  destruct (posted a d) as [|u] eqn:Ed; [cbn in *; lia|]. cbn [pred] in *.
  assert (Hdst : dst s t = d) by (apply count_grew; lia).
  assert (Hsrc : src d u = s) by (apply count_grew; lia).
  assert (t = u).
  { apply (fifo_is_by_step s d); auto; try lia. unfold sends, receives.
    cbn [count] in *. unfold is in *. rewrite Hdst, Hsrc, Z.eqb_refl in *. lia. }
  subst u. exists t. repeat split; auto; lia.
Qed.

(* ---- No deadlock ------------------------------------------------------------------------- *)

(* Some rank has posted the fewest steps. *)
Lemma last_rank (a : state) r0 : rank r0 ->
  exists r, rank r /\ forall q, rank q -> (posted a r <= posted a q)%nat.
Proof.
  intros H0. remember (posted a r0) as n eqn:En. revert r0 H0 En.
  induction n as [n IH] using lt_wf_ind. intros r0 H0 ->.
  destruct (all_or_one p (fun q => posted a r0 <= posted a q)%nat
                       (fun q => posted a q < posted a r0)%nat) as [A|[q [Hq L]]].
  - intros q _. lia.
  - now exists r0.
  - now apply (IH (posted a q) L q).
Qed.

(* A rank that nobody is behind of can have its incomplete messages moved. *)
Lemma complete_or_move a r : sound a -> rank r ->
  (forall q, rank q -> (posted a r <= posted a q)%nat) -> complete a r \/ exists b, move a b.
Proof.
  intros [P MS MR _ _] Hr least. unfold complete.
  destruct (all_or_one p (fun q => moved a r q = sends r q (posted a r) /\
                                 moved a q r = receives q r (posted a r))
                       (fun q => (moved a r q < sends r q (posted a r))%nat \/
                                 (moved a q r < receives q r (posted a r))%nat))
    as [A|[q [Hq L]]]; [|now left|right].
  - intros q Hq. specialize (MS r q Hr Hq). specialize (MR q r Hq Hr). lia.
  - pose proof (least q Hq). specialize (P r Hr).
    assert (sends r q (posted a r) = receives r q (posted a r)) by now apply sends_are_receives.
    assert (sends q r (posted a r) = receives q r (posted a r)) by now apply sends_are_receives.
    assert (receives r q (posted a r) <= receives r q (posted a q))%nat by
      now apply count_monotone.
    assert (sends q r (posted a r) <= sends q r (posted a q))%nat by now apply count_monotone.
    destruct L; eexists; [apply (move_transfer a r q)|apply (move_transfer a q r)]; auto; lia.
Qed.

(* In every reachable state either all ranks have finished or some move is possible. *)
Theorem no_deadlock n a : reached n a -> finished a \/ exists b, move a b.
Proof.
  intros R. apply reached_sound in R as I.
  destruct (Z_lt_le_dec 0 p) as [Hp|Hp]; [|left; intros r Hr; unfold counting.rank in Hr; lia].
  destruct (last_rank a 0) as [r [Hr least]]; [unfold counting.rank; lia|].
  destruct (Nat.lt_ge_cases (posted a r) T) as [L|G].
  - destruct (complete_or_move a r I Hr least) as [C|M]; [|now right].
    right. exists (post a r). now constructor.
  - assert (through : forall q, rank q -> posted a q = T).
    { intros q Hq. pose proof (least q Hq). pose proof (posted_in_program a I q Hq). lia. }
    destruct (all_or_one p (complete a) (fun _ => exists b, move a b)) as [A|[q [_ M]]].
    + intros q Hq. apply complete_or_move; auto.
      intros o Ho. rewrite !through by assumption. lia.
    + left. intros q Hq. auto.
    + now right.
Qed.

(* ---- Every execution ends ---------------------------------------------------------------- *)

(* In t steps a rank posts t sends to ranks and t receives from ranks: [complete], which asks
   about every rank, waits for everything that was posted. *)
Theorem all_is_waited_for r t : rank r -> (t <= T)%nat ->
  over_ranks (fun d => sends r d t) = t /\ over_ranks (fun s => receives s r t) = t.
Proof.
  intros Hr Ht. split; apply count_in_steps; intros u Hu.
  - apply dst_in_range; auto; lia.
  - apply src_in_range; auto; lia.
Qed.

(* What has been done: posts and transfers. *)
Definition posts (a : state) : nat := over_ranks (posted a).
Definition transfers (a : state) : nat := over_ranks (fun s => over_ranks (moved a s)).

(* A post is counted. *)
Lemma posts_post a r : rank r -> posts (post a r) = S (posts a).
Proof.
  intros Hr. unfold posts. rewrite (over_ranks_ext p _ (fun q => posted a q + is r q)%nat).
  - rewrite over_ranks_add, over_ranks_is by assumption. lia.
  - intros q _. cbn. unfold is. destruct (q =? r); lia.
Qed.

(* A transfer is counted. *)
Lemma transfers_transfer a s d : rank s -> rank d ->
  transfers (transfer a s d) = S (transfers a).
Proof.
  intros Hs Hd. unfold transfers.
  rewrite (over_ranks_ext p _ (fun q => over_ranks (moved a q) + is s q)%nat).
  - rewrite over_ranks_add, over_ranks_is by assumption. lia.
  - intros q _. cbn [transfer moved]. unfold is at 1.
    destruct (q =? s); cbn [andb]; [|apply plus_n_O].
    rewrite (over_ranks_ext p _ (fun r => moved a q r + is d r)%nat).
    + now rewrite over_ranks_add, over_ranks_is.
    + intros r _. unfold is. destruct (r =? d); lia.
Qed.

(* Every move adds one to what has been done. *)
Lemma move_counts a b : move a b -> (posts b + transfers b = S (posts a + transfers a))%nat.
Proof.
  destruct 1 as [r Hr _ _|s d Hs Hd _ _].
  - rewrite posts_post by assumption. reflexivity.
  - rewrite transfers_transfer by assumption. unfold posts; cbn [transfer posted]. lia.
Qed.

(* A state reached with n moves has had n posts and transfers. *)
Lemma reached_counts n a : reached n a -> (posts a + transfers a = n)%nat.
Proof.
  induction 1 as [|n a b _ IH M]; [|now rewrite (move_counts a b M), IH].
  unfold posts, transfers; cbn [posted moved].
  rewrite (over_ranks_ext p (fun _ => over_ranks (fun _ => O)) (fun _ => O)), over_ranks_const.
  - lia.
  - intros. rewrite over_ranks_const. lia.
Qed.

(* No execution makes more than 2 p T moves. *)
Theorem moves_bounded n a : reached n a -> (n <= 2 * Z.to_nat p * T)%nat.
Proof.
  intros R. rewrite <- (reached_counts n a R). destruct (reached_sound n a R) as [P MS _ _ _].
  assert (posts a <= Z.to_nat p * T)%nat.
  { rewrite <- over_ranks_const. now apply over_ranks_le. }
  assert (transfers a <= Z.to_nat p * T)%nat; [|lia].
  rewrite <- over_ranks_const. apply over_ranks_le. intros s Hs.
  apply Nat.le_trans with (over_ranks (fun d => sends s d (posted a s))).
  - apply over_ranks_le. auto.
  - destruct (all_is_waited_for s (posted a s) Hs) as [E _]; [auto|rewrite E; auto].
Qed.

(* An execution that cannot go on has finished every rank, after exactly 2 p T moves. *)
Theorem all_finish n a : reached n a -> (forall b, ~ move a b) ->
  finished a /\ n = (2 * Z.to_nat p * T)%nat.
Proof.
  intros R stuck. destruct (no_deadlock n a R) as [F|[b M]]; [|now destruct (stuck b)].
  split; [assumption|]. rewrite <- (reached_counts n a R). unfold posts, transfers.
  rewrite (over_ranks_ext p (posted a) (fun _ => T)) by (intros r Hr; now destruct (F r Hr)).
  rewrite (over_ranks_ext p (fun s => over_ranks (moved a s)) (fun _ => T)).
  - rewrite over_ranks_const. lia.
  - intros s Hs. destruct (F s Hs) as [E C]. destruct (all_is_waited_for s T Hs) as [<- _]; [lia|].
    apply over_ranks_ext. intros d Hd. destruct (C d Hd) as [-> _]. now rewrite E.
Qed.

End Lockstep.

(* ---- Pages ------------------------------------------------------------------------------- *)

(* A page with a matched schedule is such a program: every execution of it that cannot go on has
   finished every rank. *)
Theorem page_finishes F p : matched F p ->
  (forall r t, 0 <= r < p -> 0 <= t < steps F p -> 0 <= dst F r t p < p) ->
  let T := Z.to_nat (steps F p) in
  let to r t := dst F r (Z.of_nat t) p in
  let from r t := src F r (Z.of_nat t) p in
  forall n a, reached p T to from n a -> (forall b, ~ move p T to from a b) ->
  finished p T to from a.
Proof.
  intros OK dst_in_range T to from n a R stuck. assert (H := steps_nonneg F p OK).
  apply (all_finish p T to from) with (n := n); try assumption; unfold rank, T, to, from;
    intros r t Hr Ht; assert (0 <= Z.of_nat t < steps F p) by lia; auto.
  - now apply src_in_range.
  - now apply dst_of_src.
  - now apply src_of_dst.
Qed.

Print Assumptions sends_are_receives.
Print Assumptions fifo_is_by_step.
Print Assumptions transfers_are_in_step.
Print Assumptions no_deadlock.
Print Assumptions all_is_waited_for.
Print Assumptions moves_bounded.
Print Assumptions all_finish.
Print Assumptions page_finishes.
