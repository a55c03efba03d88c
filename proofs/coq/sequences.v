(* A sequence of exchanges that end without a deadlock ends without a deadlock.

   Each exchange is a program of mpi.v for every rank.  In the sequence a rank starts the next one as
   soon as its own part of the one before is over, whatever the others do ([next_in_turn]); what it
   does in an exchange, and with which values it starts, may depend on all that it has received.

   - [sequence_finishes]: if each exchange, started with all ranks ready, runs to its end with
     synchronous sends and leaves nothing behind ([ends]), then so does the sequence, and the ranks
     end with the same values;
   - [sequence_runs_anywhere]: so under every schedule and every buffering each execution does;
   - [exchanges_compose]: exchanges that end from wherever the one before may leave the ranks are
     such a sequence.

   outside.v shows that the hypotheses can be met, and that a message that is left behind can stop
   the next exchange.  A rank makes nothing of the number by which mpi.v counts a message ([blind]).
   Not in it: a list of exchanges that itself depends on values; it is one for all ranks. *)

From Coq Require Import Arith List Bool Lia.
Require Import kahn matching mpi buffers program.
Import ListNotations.

(* ---- Sequences --------------------------------------------------------------------------- *)

Section Sequences.
Variables rank tag value local : Type.
Variable rank_eq : forall r q : rank, {r = q} + {r <> q}.
Variable members : nat -> list rank.  (* the ranks of a communicator, by its number *)
Variable present : list rank.         (* who takes part *)

(* An exchange: with what a rank starts, given what it has, and what it does next. *)
Record exchange := { enter : rank -> local -> local; code : local -> call rank tag value local }.

(* What a rank is: who it is, the exchanges from the present one on, how many operations it has
   posted before this one and until now, and its state in it. *)
Record turn := { me : rank; todo : list exchange; before : nat; until_now : nat; here : local }.

Definition enters (todo : list exchange) (r : rank) (l : local) : local :=
  match todo with
  | [] => l
  | e :: _ => enter e r l
  end.

Definition starting (todo : list exchange) (r : rank) (n : nat) (l : local) : turn :=
  {| me := r; todo := todo; before := n; until_now := n; here := enters todo r l |}.

Definition still (l : turn) (n : nat) (k : local) : turn :=
  {| me := me l; todo := todo l; before := before l; until_now := n; here := k |}.

Definition next_in_turn (l : turn) : call rank tag value turn :=
  match todo l with
  | [] => Halt
  | e :: rest =>
      match code e (here l) with
      | Compute k => Compute (still l (until_now l) k)
      | Post o k => Post o (still l (S (until_now l)) k)
      | Wait i k => Wait (before l + i) (fun y => still l (until_now l) (k y))
      | Halt => Compute (starting rest (me l) (until_now l) (here l))
      end
  end.

(* ---- One exchange alone ------------------------------------------------------------------ *)

Local Notation operation := (operation rank tag value).
Local Notation alone := (kahn.state rank (own rank tag value local)).
Local Notation posted := (posted rank tag value local).
Local Notation sent := (sent rank tag value rank_eq).
Local Notation wished := (wished rank tag value rank_eq).
Local Notation given := (given rank tag value).
Local Notation at_number := (at_number rank tag value).

Local Notation does e := (act rank tag value local rank_eq (code e)).
Local Notation synchronous e := (buffers.synchronous rank tag value local rank_eq members (code e)).

(* A meeting is one of its members, and needs members only. *)
Definition proper (r : rank) (o : operation) : Prop :=
  match o with
  | Meet c needs _ => In r (members c) /\ incl needs (members c)
  | _ => True
  end.

(* What has been posted is over: no message and no receive is left, members have met as often. *)
Definition over (h : rank -> list operation) : Prop :=
  (forall s d, spent (sent (h s) d) (wished (h d) s)) /\
  (forall c r q, In r (members c) -> In q (members c) -> length (given (h r) c) = length (given (h q) c)).

Definition settled (h : rank -> list operation) : Prop :=
  over h /\ (forall r o, In o (h r) -> proper r o) /\ (forall r, ~ In r present -> h r = []).

(* From a good state on, a rank makes nothing of the numbers of messages. *)
Definition blind (e : exchange) (good : local -> Prop) : Prop :=
  forall l, good l -> match code e l with
    | Compute k | Post _ k => good k
    | Wait i k => (forall y, good (k y)) /\ forall m n,
        k (Received m) = k (Received {| number := n; label := label m; content := content m |})
    | Halt => True
    end.

(* Started with all ranks ready, it runs to its end with synchronous sends. *)
Definition ends (e : exchange) (l : rank -> local) (f : alone) : Prop :=
  (exists good, blind e good /\ forall r, good (enter e r (l r))) /\
  (exists n, run _ _ (does e) (synchronous e) n (begin _ _ _ _ (fun r => enter e r (l r))) f) /\
  finished _ _ _ _ (code e) f /\ settled (posted f).

(* One after another, all ranks ready each time, from the values l to the values l'. *)
Inductive each_ends : list exchange -> (rank -> local) -> (rank -> local) -> Prop :=
  | none_left l : each_ends [] l l
  | one_more e rest l f l' : ends e l f -> each_ends rest (fun r => fst (f r)) l' ->
      each_ends (e :: rest) l l'.

(* ---- In the sequence --------------------------------------------------------------------- *)

Local Notation state := (kahn.state rank (own rank tag value turn)).
Local Notation does_all := (act rank tag value turn rank_eq next_in_turn).
Local Notation unbuffered := (buffers.synchronous rank tag value turn rank_eq members next_in_turn).
Local Notation runs := (run rank (own rank tag value turn) does_all unbuffered).

Definition here_now (r : rank) : bool := if in_dec rank_eq r present then true else false.

(* The state of the sequence when the present exchange is in state a; h is from before it, and who
   takes no part stays with what [aside] says. *)
Section Within.
Variable aside : rank -> local.

Definition within (h : rank -> list operation) (todo : list exchange) (a : alone) : state :=
  fun r => ({| me := r;
               todo := if here_now r then todo else [];
               before := length (h r);
               until_now := length (posted a r ++ h r);
               here := if here_now r then fst (a r) else aside r |}, posted a r ++ h r).

Section Present.
Variables (h : rank -> list operation) (e : exchange) (rest : list exchange).
Variable good : local -> Prop.
Hypothesis is_over : over h.
Hypothesis is_blind : blind e good.

Local Notation on a := (within h (e :: rest) a).
Local Notation arrived := (arrived rank tag value local rank_eq).
Local Notation matched := (matched rank tag value local rank_eq).
Local Notation gathered := (gathered rank tag value local).
Local Notation brings := (brings rank tag value local rank_eq).

Lemma arrived_on a s d i : mpi.arrived _ _ _ _ rank_eq (on a) s d (length (h d) + i) =
  option_map (later_message (length (h s))) (arrived a s d i).
Proof.
  unfold mpi.arrived. change (mpi.posted _ _ _ _ (on a) s) with (posted a s ++ h s).
  change (mpi.posted _ _ _ _ (on a) d) with (posted a d ++ h d).
  rewrite sent_on, wished_on, got_after; [apply got_later|apply is_over|].
  intros w I. apply wished_early in I. lia.
Qed.

Lemma matched_on a s d i : matched a s d i ->
  mpi.matched _ _ _ _ rank_eq (on a) s d (length (h s) + i).
Proof.
  intros [j [m [A <-]]]. exists (length (h d) + j), (later_message (length (h s)) m).
  split; [|reflexivity]. now rewrite arrived_on, A.
Qed.

Lemma gathered_on a r c k needs : In r (members c) -> incl needs (members c) ->
  mpi.gathered _ _ _ _ (on a) c (length (given (h r) c) + k) needs = gathered a c k needs.
Proof.
  intros R I. induction needs as [|q needs IH]; [reflexivity|]. cbn.
  rewrite IH by (intros x X; apply I; now right).
  change (mpi.posted _ _ _ _ (on a) q) with (posted a q ++ h q). rewrite given_on.
  rewrite (proj2 is_over c r q R) by (apply I; now left).
  rewrite nth_error_app2 by lia. now rewrite Nat.add_comm, Nat.add_sub.
Qed.

(* The same, up to the numbers of messages. *)
Inductive similar : result tag value -> result tag value -> Prop :=
  | similar_same y : similar y y
  | similar_received m n : similar (Received m)
      (Received {| number := n; label := label m; content := content m |}).

Lemma brings_on a r i y : (forall o, In o (posted a r) -> proper r o) -> brings a r i = Some y ->
  exists z, mpi.brings _ _ _ _ rank_eq (on a) r (length (h r) + i) = Some z /\ similar y z.
Proof.
  intros Proper. unfold mpi.brings.
  change (mpi.posted _ _ _ _ (on a) r) with (posted a r ++ h r). rewrite at_number_on.
  destruct (at_number (posted a r) i) as [[o older]|] eqn:O; cbn [option_map fst snd];
    [|discriminate].
  apply at_number_in in O. apply Proper in O.
  destruct o as [d t v b|s ok|s ok|c needs v].
  - intros [= <-]. exists Sent. split; [reflexivity|constructor].
  - rewrite arrived_on. destruct (arrived a s r i) as [m|]; cbn; [|discriminate].
    intros [= <-]. eexists. split; [reflexivity|apply similar_received].
  - change (mpi.posted _ _ _ _ (on a) s) with (posted a s ++ h s).
    rewrite sent_on, wished_on, left_over_after, left_over_later, take_later by apply is_over.
    destruct (take ok _) as [[m left]|]; cbn; [|discriminate].
    intros [= <-]. eexists. split; [reflexivity|apply similar_received].
  - destruct O as [Member Needs]. rewrite given_on, app_length, gathered_on by assumption.
    destruct (gathered a c _ needs) as [l|]; cbn; [|discriminate].
    intros [= <-]. eexists. split; [reflexivity|constructor].
Qed.

(* A rank that takes part moves in the sequence as it does alone. *)
Lemma moves_on a b r : here_now r = true -> good (fst (a r)) ->
  (forall o, In o (posted a r) -> proper r o) ->
  move _ _ (does e) (synchronous e) r a b -> move _ _ does_all unbuffered r (on a) (on b).
Proof.
  intros Here Good Proper [May [Can Others]]. split; [|split].
  - revert May. unfold buffers.synchronous, waits.
    change (mpi.posted _ _ _ _ (on a) r) with (posted a r ++ h r).
    unfold within at 1, next_in_turn. rewrite Here. cbn [fst todo here].
    destruct (code e (fst (a r))) as [k|o k|i k|]; auto. cbn [before].
    rewrite at_number_on. destruct (at_number (posted a r) i) as [[o older]|] eqn:O; [|auto].
    apply at_number_in in O. apply Proper in O. cbn.
    destruct o as [d t v b'|s ok|s ok|c needs v]; auto.
    + apply matched_on.
    + destruct O as [Member _]. rewrite given_on, app_length, gathered_on; auto using incl_refl.
  - revert Can. unfold act.
    change (mpi.posted _ _ _ _ (on a) r) with (posted a r ++ h r).
    unfold within at 1, next_in_turn. rewrite Here. cbn [fst todo here].
    assert (B := is_blind _ Good). revert B.
    destruct (code e (fst (a r))) as [k|o k|i k|]; intros B; [| | |discriminate].
    + intros [= E]. unfold within, mpi.posted. rewrite Here, <- E. reflexivity.
    + intros [= E]. unfold within, mpi.posted. rewrite Here, <- E. reflexivity.
    + destruct (brings a r i) as [y|] eqn:Y; [|discriminate]. intros [= E]. cbn [before].
      destruct (brings_on a r i y Proper Y) as [z [-> S]]. cbn.
      assert (K : k y = k z) by (destruct S; [reflexivity|apply B]).
      unfold within, mpi.posted. rewrite Here, <- E, K. reflexivity.
  - intros q Q. unfold within, mpi.posted. now rewrite Others.
Qed.

(* What has been posted stays posted. *)
Lemma run_posts n a f r : run _ _ (does e) (synchronous e) n a f ->
  exists more, posted f r = more ++ posted a r.
Proof.
  intros R. induction R as [a f E|n q a b f [_ [Can Others]] R [more IH]].
  - exists []. unfold mpi.posted. now rewrite E.
  - rewrite IH. destruct (rank_eq r q) as [->|N].
    + apply posts_more in Can as [new E]. exists (more ++ new). unfold mpi.posted at 1. rewrite E.
      apply app_assoc.
    + exists more. unfold mpi.posted. now rewrite Others.
Qed.

Lemma good_stays a b r : move _ _ (does e) (synchronous e) r a b ->
  (forall q, good (fst (a q))) -> forall q, good (fst (b q)).
Proof.
  intros [_ [Can Others]] Good q. destruct (rank_eq q r) as [->|N]; [|now rewrite Others].
  assert (B := is_blind _ (Good r)). revert Can B. unfold act.
  destruct (code e (fst (a r))) as [k|o k|i k|]; [| |destruct (brings a r i)|];
    intros [= <-] B; cbn; try assumption. apply B.
Qed.

Lemma kept_all : kept _ _ does_all unbuffered.
Proof. apply synchronous_kept. Qed.

(* So does all of its run. *)
Lemma runs_on n a f : (forall r o, In o (posted f r) -> proper r o) ->
  (forall r, ~ In r present -> posted f r = []) -> (forall r, good (fst (a r))) ->
  run _ _ (does e) (synchronous e) n a f -> exists m, runs m (on a) (on f).
Proof.
  intros Proper Out Good R. induction R as [a f E|n r a b f M R IH].
  - exists 0. apply run_end. intros r. unfold within, mpi.posted. now rewrite E.
  - destruct (IH Proper Out (good_stays a b r M Good)) as [m Rest]. destruct (here_now r) eqn:Here.
    + exists (S m). apply run_move with r (on b); [|assumption]. apply moves_on; auto.
      intros o I. destruct (run_posts (S n) a f r (run_move _ _ _ _ _ _ _ _ _ M R)) as [more E].
      apply Proper. rewrite E. apply in_or_app. now right.
    + exists m. apply (run_same _ _ _ (undisturbed _ _ _ _ rank_eq next_in_turn) _ _ (on b));
        [apply kept_all| |assumption].
      assert (Nobody : ~ In r present) by
        (unfold here_now in Here; now destruct (in_dec rank_eq r present)).
      intros q. unfold within, mpi.posted. destruct (rank_eq q r) as [->|N].
      * rewrite Here. destruct (run_posts n b f r R) as [more B],
          (run_posts (S n) a f r (run_move _ _ _ _ _ _ _ _ _ M R)) as [more' A].
        rewrite Out in A, B by assumption. symmetry in A, B.
        apply app_eq_nil in A as [_ A], B as [_ B]. unfold mpi.posted in A, B. now rewrite A, B.
      * destruct M as [_ [_ Others]]. now rewrite Others.
Qed.

(* When it is over, all who take part start the next one. *)
Lemma next_starts f : finished _ _ _ _ (code e) f ->
  (forall r, ~ In r present -> posted f r = [] /\ h r = []) ->
  exists m, runs m (on f) (within (fun r => posted f r ++ h r) rest
    (begin _ _ _ _ (fun r => enters rest r (fst (f r))))).
Proof.
  intros F Out. apply all_move with present.
  - apply rank_eq.
  - apply undisturbed.
  - apply kept_all.
  - intros r N. destruct (Out r N) as [P Q]. unfold within. cbn. rewrite P, Q.
    unfold here_now. now destruct (in_dec rank_eq r present).
  - intros r In_it. right. assert (Here : here_now r = true) by
      (unfold here_now; now destruct (in_dec rank_eq r present)).
    unfold buffers.synchronous, waits, act.
    assert (N : next_in_turn (fst (on f r)) =
      Compute (starting rest r (length (posted f r ++ h r)) (fst (f r)))).
    { unfold within, next_in_turn. rewrite Here. cbn [fst todo here until_now]. now rewrite F. }
    rewrite N. split; [exact I|]. unfold within. rewrite Here. reflexivity.
Qed.

End Present.

Lemma over_twice h f : over h -> over (posted f) -> over (fun r => posted f r ++ h r).
Proof.
  intros [S G] [S' G']. split.
  - intros s d. rewrite sent_on, wished_on. now apply spent_twice.
  - intros c r q R Q. rewrite !given_on, !app_length, (G c r q), (G' c r q) by assumption.
    reflexivity.
Qed.

Lemma sequence_from es l l' : each_ends es l l' ->
  forall h, over h -> (forall r, ~ In r present -> h r = []) ->
  exists n f, runs n (within h es (begin _ _ _ _ (fun r => enters es r (l r)))) f /\
    finished _ _ _ _ next_in_turn f /\ forall r, In r present -> here (fst (f r)) = l' r.
Proof.
  intros Each. induction Each as 
    [l|e rest l f l' [[good [Blind Good]] [[n R] [F [Over [Proper Out]]]]] Each IH]; intros h Before Aside.
  - eexists 0, _. split; [apply run_end; intros r; reflexivity|]. split.
    + intros r. unfold within, next_in_turn. cbn. now destruct (here_now r).
    + intros r I. unfold within, here_now. cbn. now destruct (in_dec rank_eq r present).
  - destruct (runs_on h e rest good Before Blind n
      (begin _ _ _ _ (fun r => enter e r (l r))) f Proper Out Good R) as [m First].
    destruct (next_starts h e rest f F) as [k Next]; [intros r N; split; auto|].
    destruct (IH (fun r => posted f r ++ h r)) as [j [u [Rest [Fu Right]]]].
    + now apply over_twice.
    + intros r N. now rewrite Out, Aside.
    + exists (m + (k + j)), u. split; [|now split].
      repeat (eapply run_run; [apply undisturbed|apply kept_all|eassumption|]). assumption.
Qed.

End Within.

(* ---- The theorems ------------------------------------------------------------------------ *)

(* All who take part go through the exchanges. *)
Definition start (es : list exchange) (l : rank -> local) : state :=
  begin _ _ _ _ (fun r => starting (if here_now r then es else []) r 0 (l r)).

(* All have finished, with these values. *)
Definition through (l : rank -> local) (f : state) : Prop :=
  finished _ _ _ _ next_in_turn f /\ forall r, In r present -> here (fst (f r)) = l r.

(* Without any buffer the sequence can finish, with what one exchange after another makes. *)
Theorem sequence_finishes es l l' : each_ends es l l' ->
  exists n f, runs n (start es l) f /\ through l' f.
Proof.
  intros Each. destruct (sequence_from l es l l' Each (fun _ => [])) as [n [f [R F]]].
  - split; [now intros s d|reflexivity].
  - reflexivity.
  - exists n, f. split; [|assumption].
    apply (run_same _ _ _ (undisturbed _ _ _ _ rank_eq next_in_turn) _ _
      (within l (fun _ => []) es (begin _ _ _ _ (fun r => enters es r (l r)))));
      [apply synchronous_kept| |assumption].
    intros r. unfold start, begin, within, starting. cbn. now destruct (here_now r).
Qed.

Local Notation buffering := (buffering rank tag value turn).
Local Notation unbounded := (unbounded rank tag value turn rank_eq next_in_turn).
Local Notation execution := (execution rank (own rank tag value turn) does_all).
Local Notation stuck := (stuck rank (own rank tag value turn) does_all).

(* So under every schedule and every buffering: each execution can go on until it has finished with
   that, after a number of moves that is always the same, and none stops before. *)
Theorem sequence_runs_anywhere es l l' : each_ends es l l' -> exists n,
  forall P : nat -> buffering,
    (forall t a r, unbuffered a r -> P t a r) -> (forall t a r, P t a r -> unbounded a r) ->
  forall m u, execution P m (start es l) u ->
    (exists k f, n = m + k /\ runs k u f /\ through l' f) /\
    (stuck (P m) u -> m = n /\ through l' u).
Proof.
  intros Each. destruct (sequence_finishes es l l' Each) as [n [f [R [F Right]]]].
  exists n. intros P Below Above m u X.
  destruct (synchronous_run_decides _ _ _ _ rank_eq members next_in_turn n (start es l) f R F P
              Below Above m u X) as [[k [E Rest]] Stop].
  split; [now exists k, f|]. intros S. destruct (Stop S) as [Em [Fu Same]].
  repeat split; auto. intros r I. rewrite <- (Same r). now apply Right.
Qed.

(* Exchanges that end from wherever the one before may leave the ranks are such a sequence: [ready]
   says what the ranks have before the exchanges that are left. *)
Theorem exchanges_compose (ready : list exchange -> (rank -> local) -> Prop) :
  (forall e rest l, ready (e :: rest) l ->
    exists f, ends e l f /\ ready rest (fun r => fst (f r))) ->
  forall es l, ready es l -> exists l', each_ends es l l' /\ ready [] l'.
Proof.
  intros Each es. induction es as [|e rest IH]; intros l Ready.
  - exists l. split; [constructor|assumption].
  - destruct (Each e rest l Ready) as [f [E Then]]. destruct (IH _ Then) as [l' [R Last]].
    exists l'. split; [|assumption]. now apply one_more with f.
Qed.

End Sequences.

Arguments enter {rank tag value local}.
Arguments code {rank tag value local}.

(* Programs written out are, if they make nothing of them. *)
Lemma programs_are_blind {rank tag value output : Type} enter :
  blind rank tag value _ {| enter := enter; code := next |} (sees_no_number rank tag value output).
Proof. intros l S. destruct S; cbn; auto. Qed.

Print Assumptions sequence_finishes.
Print Assumptions sequence_runs_anywhere.
Print Assumptions exchanges_compose.
