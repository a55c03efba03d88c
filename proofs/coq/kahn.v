(* Why one schedule decides for all: networks of ranks that cannot disturb each other's next
   action (G. Kahn, "The semantics of a simple language for parallel programming", IFIP 1974).

   [act a r] is what rank r becomes if it acts in state a, None while it lacks something.  It is a
   function, so ranks are deterministic.  Which rank acts next is left open.  A policy says which
   actions are also permitted, as a bounded buffer does.

   - [confluent]: if one run under A ends where not even B permits a move, then every run under B
     can be continued under A to that same end, and in all they have as many moves;
   - [schedule_decides_nothing]: two complete runs under one policy end in the same state;
   - [one_run_decides]: if one run under A ends where not even B permits a move, then under every
     policy between A and B, which may be another in each step, no run is longer, each can be
     continued to that end, and none ends elsewhere. *)

From Coq Require Import List Lia.

Section Network.
Variables rank own : Type.
Variable rank_eq : forall r q : rank, {r = q} + {r <> q}.

Definition state := rank -> own.

Variable act : state -> rank -> option own.

(* Between a and b every rank has stood still or acted once, and r has stood still. *)
Definition meanwhile (r : rank) (a b : state) : Prop :=
  b r = a r /\ forall q, b q = a q \/ act a q = Some (b q).

(* What r can do in a, it can still do, with the same effect, after others have acted. *)
Hypothesis undisturbed : forall r a b x, meanwhile r a b -> act a r = Some x -> act b r = Some x.

(* ---- Moves and runs ---------------------------------------------------------------------- *)

(* Which rank may act in which state. *)
Definition policy := state -> rank -> Prop.

(* A permission that others do not take away. *)
Definition kept (P : policy) : Prop := forall r a b, meanwhile r a b -> P a r -> P b r.

(* Rank r acts; all others stand still. *)
Definition move (P : policy) (r : rank) (a b : state) : Prop :=
  P a r /\ act a r = Some (b r) /\ forall q, q <> r -> b q = a q.

(* No move is possible. *)
Definition stuck (P : policy) (a : state) : Prop := forall r b, ~ move P r a b.

(* The states that n moves lead to.  States are functions: they are compared rank by rank. *)
Definition same (a b : state) : Prop := forall r, b r = a r.

Inductive run (P : policy) : nat -> state -> state -> Prop :=
  | run_end a b : same a b -> run P 0 a b
  | run_move n r a b c : move P r a b -> run P n b c -> run P (S n) a c.

(* The same under a policy that may be another in each step. *)
Inductive execution (P : nat -> policy) : nat -> state -> state -> Prop :=
  | execution_start a : execution P 0 a a
  | execution_move n r a b c : execution P n a b -> move (P n) r b c -> execution P (S n) a c.

(* ---- Moves of different ranks commute ---------------------------------------------------- *)

(* A move is the same move from the same state. *)
Lemma move_same P r a b c : kept P -> same a b -> move P r a c -> move P r b c.
Proof.
  intros K E [Pa [A O]]. assert (M : meanwhile r a b) by (split; auto).
  repeat split; [now apply (K r a)|now apply (undisturbed r a)|].
  intros q N. now rewrite O, E.
Qed.

(* A run is the same run from the same state. *)
Lemma run_same P n a b c : kept P -> same a b -> run P n a c -> run P n b c.
Proof.
  intros K E R. destruct R as [a c E'|n r a d c M R].
  - apply run_end. intros q. now rewrite E', E.
  - apply run_move with r d; [now apply (move_same P r a)|assumption].
Qed.

(* Moves of two ranks can be made in either order, with the same effect. *)
Lemma diamond P Q r q a b c : kept P -> kept Q -> r <> q -> move P q a c -> move Q r a b ->
  exists d, move P q b d /\ move Q r c d.
Proof.
  intros KP KQ N [Pq [Aq Oq]] [Qr [Ar Or]].
  assert (Mq : meanwhile q a b).
  { split; [now apply Or, not_eq_sym|]. intros x.
    destruct (rank_eq x r) as [->|X]; [now right|left; now apply Or]. }
  assert (Mr : meanwhile r a c).
  { split; [now apply Oq|]. intros x.
    destruct (rank_eq x q) as [->|X]; [now right|left; now apply Oq]. }
  exists (fun x => if rank_eq x r then b r else c x). repeat split.
  - now apply (KP q a).
  - destruct (rank_eq q r) as [->|_]; [contradiction|]. now apply (undisturbed q a).
  - intros x X. destruct (rank_eq x r) as [->|Y]; [reflexivity|]. now rewrite Oq, Or.
  - now apply (KQ r a).
  - destruct (rank_eq r r) as [_|[]]; [|reflexivity]. now apply (undisturbed r a).
  - intros x X. now destruct (rank_eq x r).
Qed.

(* A move that is possible somewhere, and not at the end, can be made first. *)
Lemma first A B n a f : kept A -> kept B -> run A n a f -> stuck B f ->
  forall r b, move B r a b -> exists m, n = S m /\ run A m b f.
Proof.
  intros KA KB R. induction R as [a f E|n q a c f M R IH]; intros End r b M'.
  - destruct (End r b). now apply (move_same B r a).
  - destruct (rank_eq r q) as [->|N].
    + exists n. split; [reflexivity|]. apply (run_same A n c); auto.
      destruct M as [_ [A1 O1]], M' as [_ [A2 O2]]. intros x.
      destruct (rank_eq x q) as [->|X]; [congruence|]. now rewrite O1, O2.
    + destruct (diamond A B r q a b c KA KB N M M') as [d [Md Md']].
      destruct (IH End r d Md') as [m [-> R']].
      exists (S m). split; [reflexivity|]. now apply run_move with q d.
Qed.

(* ---- The theorems ------------------------------------------------------------------------ *)

(* Every run is a part of one that ends where the known one ends. *)
Theorem confluent A B m n a u f : kept A -> kept B -> run B m a u ->
  run A n a f -> stuck B f -> exists k, n = m + k /\ run A k u f.
Proof.
  intros KA KB R. revert n. induction R as [a u E|m r a b u M R IH]; intros n Known End.
  - exists n. split; [reflexivity|]. now apply (run_same A n a).
  - destruct (first A B n a f KA KB Known End r b M) as [l [-> Rest]].
    destruct (IH l Rest End) as [k [-> R']]. now exists k.
Qed.

(* Complete runs under one policy have as many moves and end in the same state, if only in the
   same deadlock. *)
Theorem schedule_decides_nothing P m n a u f : kept P ->
  run P m a u -> stuck P u -> run P n a f -> stuck P f -> m = n /\ same u f.
Proof.
  intros K R Stuck Known End.
  destruct (confluent P P m n a u f K K R Known End) as [k [-> R']].
  destruct R' as [u f E|k r u b f M _]; [split; [lia|assumption]|now destruct (Stuck r b)].
Qed.

(* A run can be prolonged by a move. *)
Lemma run_last P n r a b c : run P n a b -> kept P -> move P r b c -> run P (S n) a c.
Proof.
  intros R K M. induction R as [a b E|n q a d b M' R IH].
  - apply run_move with r c; [|apply run_end; now intros q].
    apply (move_same P r b); auto. intros q. now rewrite E.
  - apply run_move with q d; auto.
Qed.

(* An execution under stricter policies is a run. *)
Lemma execution_run (P : nat -> policy) B n a b : kept B -> (forall t s r, P t s r -> B s r) ->
  execution P n a b -> run B n a b.
Proof.
  intros K Within X. induction X as [a|n r a b c X IH [Pr [Ar Or]]].
  - apply run_end. now intros r.
  - apply (run_last B n r a b c IH K). repeat split; auto. now apply (Within n).
Qed.

(* One run under A that ends where not even B permits a move decides for every policy between. *)
Theorem one_run_decides A B (P : nat -> policy) n a f : kept A -> kept B ->
  (forall t s r, A s r -> P t s r) -> (forall t s r, P t s r -> B s r) ->
  run A n a f -> stuck B f ->
  forall m u, execution P m a u ->
    (exists k, n = m + k /\ run A k u f) /\ (stuck (P m) u -> m = n /\ same u f).
Proof.
  intros KA KB Below Above Known End m u X.
  assert (R := execution_run P B m a u KB Above X).
  destruct (confluent A B m n a u f KA KB R Known End) as [k [-> R']].
  split; [now exists k|]. intros Stuck. destruct R' as [u f E|k r u b f [Ar M] _].
  - split; [lia|assumption].
  - destruct (Stuck r b). split; auto.
Qed.

(* ---- Making runs ------------------------------------------------------------------------- *)

(* A first move and a run make a run. *)
Lemma moves (P : policy) r n a x f : P a r -> act a r = Some x ->
  run P n (fun q => if rank_eq q r then x else a q) f -> run P (S n) a f.
Proof.
  intros May Can Rest. apply run_move with r (fun q => if rank_eq q r then x else a q); auto.
  repeat split; [assumption|now destruct (rank_eq r r)|]. intros q N. now destruct (rank_eq q r).
Qed.

(* Two runs make a run. *)
Lemma run_run (P : policy) m n a b c : kept P -> run P m a b -> run P n b c -> run P (m + n) a c.
Proof.
  intros K R S. induction R as [a b E|m r a d b M R IH]; cbn.
  - apply (run_same P n b); [assumption| |assumption]. intros r. now rewrite E.
  - apply run_move with r d; auto.
Qed.

(* If finitely many ranks can move, each by itself, then all can, one after another. *)
Lemma all_move (P : policy) l : kept P -> forall a b, (forall r, ~ In r l -> b r = a r) ->
  (forall r, In r l -> b r = a r \/ P a r /\ act a r = Some (b r)) -> exists n, run P n a b.
Proof.
  intros K. induction l as [|r l IH]; intros a b Others These.
  - exists 0. apply run_end. intros r. now apply Others.
  - set (c := fun q => if rank_eq q r then b r else a q).
    assert (M : act a r = Some (b r) -> forall q, q <> r -> meanwhile q a c).
    { intros A q N. unfold c. split; [now destruct (rank_eq q r)|]. intros x.
      destruct (rank_eq x r) as [->|_]; [now right|now left]. }
    assert (Out : forall q, ~ In q l -> b q = c q).
    { intros q N. unfold c. destruct (rank_eq q r) as [->|X]; [reflexivity|].
      apply Others. now intros [E|I]; [apply X|apply N]. }
    destruct (These r (or_introl eq_refl)) as [E|[Pr A]].
    + apply IH; [|intros q I; apply These; now right]. intros q N.
      destruct (rank_eq q r) as [->|X]; [assumption|]. apply Others. now intros [Y|I]; [apply X|].
    + destruct (IH c b Out) as [n R].
      * intros q I. destruct (rank_eq q r) as [->|X].
        { left. unfold c. now destruct (rank_eq r r). }
        assert (Q : c q = a q) by (unfold c; now destruct (rank_eq q r)). rewrite Q.
        destruct (These q (or_intror I)) as [E|[Pq Aq]]; [now left|right].
        split; [now apply (K q a c (M A q X))|now apply (undisturbed q a c _ (M A q X))].
      * exists (S n). now apply moves with r (b r).
Qed.

End Network.

Print Assumptions confluent.
Print Assumptions schedule_decides_nothing.
Print Assumptions one_run_decides.
