(* Programs on MPI whose result neither a schedule nor a buffer can change (Siegel and Avrunin,
   "Modeling wildcard-free MPI programs for verification", PPoPP 2005).

   A rank is a deterministic program: its next call is a function of its local state.  It posts
   operations, numbered 0, 1, ... in the order of posting, and waits for one by its number.

   Covered; a blocking call posts and waits at once, Waitall waits for one after another:
     Send, Isend, Rsend   MPI may buffer or not, as it likes at each call
     Ssend, Issend        never buffered
     Bsend                is posted and not waited for; the attached buffer must suffice
     Recv, Irecv, Sendrecv, Sendrecv_replace, Probe
                          from a named source, with a named tag or any
     Wait, Waitall, Start, Startall
     Barrier, Bcast, Gather, Gatherv, Scatter, Scatterv, Reduce, Scan, Exscan, Allreduce
     Allgather, Allgatherv, Alltoall, Alltoallv, Alltoallw, Reduce_scatter, Reduce_scatter_block
     Neighbor_allgather
     Dup, Clone, Split, Split_type, Create, Create_group, Create_intercomm, Create_cart, Sub
     Free, Disconnect
                          everybody may wait for everybody, or only for what it needs
   and the nonblocking and persistent forms of these, which post when they are started.

   Not covered, since what they bring may depend on the schedule:
     Recv, Irecv, Sendrecv, Probe from ANY_SOURCE
     Waitany, Waitsome, Test, Testall, Testany, Testsome, Get_status
     Iprobe, Improbe, Mprobe, Cancel, Wtime
   nor ranks that read a clock or random numbers, or that share memory or files.  One-sided
   communication is not described.

   A tag here stands for MPI's communicator and tag.  A buffer belongs to MPI until the wait: what
   is sent is what was there at the post, what arrives is seen after the wait.  A reduction is a
   function of what is given; so is what a rank does about a message that is too long.

   - [undisturbed]: what a rank can do it can still do, with the same effect, whatever the others do
     meanwhile.  So kahn.v applies; buffers.v says what follows. *)

From Coq Require Import Arith List Bool Lia.
Require Import kahn matching.
Import ListNotations.

Section MPI.
Variables rank tag value local : Type.
Variable rank_eq : forall r q : rank, {r = q} + {r <> q}.

Local Notation message := (matching.message tag value).
Local Notation wish := (matching.wish tag).

Inductive operation :=
  | Send (d : rank) (t : tag) (v : value) (standard : bool)  (* standard: it may be buffered *)
  | Receive (s : rank) (ok : tag -> bool)
  | Look (s : rank) (ok : tag -> bool)  (* shows what a receive would get *)
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
  got (sent (posted a s) d) (wished (posted a d) s) i.

(* The send number i from s to d has met its receive. *)
Definition matched (a : state) (s d : rank) (i : nat) : Prop :=
  exists j m, arrived a s d j = Some m /\ number m = i.

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

(* ---- Later operations ------------------------------------------------------------------- *)

(* What is posted on top of h counts from there. *)
Lemma sent_on h g d : sent (h ++ g) d =
  sent g d ++ map (later_message (length g)) (sent h d).
Proof.
  induction h as [|o h IH]; cbn; [symmetry; apply app_nil_r|].
  destruct o as [q t v b|q ok|q ok|c needs v]; rewrite IH; auto.
  rewrite map_app, app_assoc. destruct (rank_eq q d); cbn; [|reflexivity].
  unfold later_message. cbn. now rewrite app_length, Nat.add_comm.
Qed.

Lemma wished_on h g s : wished (h ++ g) s =
  wished g s ++ map (later_wish (length g)) (wished h s).
Proof.
  induction h as [|o h IH]; cbn; [symmetry; apply app_nil_r|].
  destruct o as [q t v b|q ok|q ok|c needs v]; rewrite IH; auto.
  rewrite map_app, app_assoc. destruct (rank_eq q s); cbn; [|reflexivity].
  unfold later_wish. cbn. now rewrite app_length, Nat.add_comm.
Qed.

Lemma given_on h g c : given (h ++ g) c = given g c ++ given h c.
Proof.
  induction h as [|o h IH]; cbn; [symmetry; apply app_nil_r|].
  destruct o as [q t v b|q ok|q ok|b needs v]; rewrite IH; auto. symmetry. apply app_assoc.
Qed.

Lemma wished_early h s w : In w (wished h s) -> asker w < length h.
Proof.
  induction h as [|o h IH]; cbn; [contradiction|].
  destruct o as [q t v b|q ok|q ok|c needs v]; try (intros I; specialize (IH I); lia). intros I.
  apply in_app_or in I as [I|I]; [specialize (IH I); lia|]. destruct (rank_eq q s); [|contradiction].
  destruct I as [<-|[]]. cbn. lia.
Qed.

Lemma no_number_so_high g i : length g <= i -> at_number g i = None.
Proof.
  induction g as [|o g IH]; cbn; [reflexivity|]. intros L.
  destruct (Nat.eqb_spec i (length g)); [lia|]. apply IH. lia.
Qed.

Lemma at_number_on h g i : at_number (h ++ g) (length g + i) =
  option_map (fun x => (fst x, snd x ++ g)) (at_number h i).
Proof.
  induction h as [|o h IH]; cbn; [apply no_number_so_high; lia|].
  rewrite app_length. replace (length g + i =? length h + length g) with (i =? length h) by
    (destruct (Nat.eqb_spec i (length h)), (Nat.eqb_spec (length g + i) (length h + length g)); lia).
  destruct (i =? length h); [reflexivity|apply IH].
Qed.

Lemma at_number_in h i o older : at_number h i = Some (o, older) -> In o h.
Proof.
  induction h as [|x h IH]; cbn; [discriminate|].
  destruct (i =? length h); [intros [= -> _]; now left|]. right. auto.
Qed.

(* ---- What a rank does -------------------------------------------------------------------- *)

(* What an operation of r brings; None while it lacks something. *)
Definition brings (a : state) (r : rank) (i : nat) : option result :=
  match at_number (posted a r) i with
  | Some (Send _ _ _ _, _) => Some Sent
  | Some (Receive s _, _) => option_map Received (arrived a s r i)
  | Some (Look s ok, before) => option_map (fun m => Received (fst m))
      (take ok (left_over (sent (posted a s) r) (wished before s)))
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
  destruct (at_number (posted a r) i) as [[[d t v s|s ok|s ok|c needs v] before]|]; auto.
  - destruct (arrived a s r i) as [m|] eqn:E; [|discriminate].
    now rewrite (arrived_kept r a b s r i m).
  - destruct (meanwhile_more r a b s M) as [more ->].
    destruct (sent_more (posted a s) r more) as [newer ->].
    destruct (take ok (left_over (sent (posted a s) r) _)) as [[m rest]|] eqn:E; [|discriminate].
    assert (O := oldest_stays _ _ ok m (wished before s) (sent (posted a s) r) newer).
    rewrite E in O. specialize (O eq_refl). revert O.
    destruct (take ok (left_over (_ ++ newer) _)) as [[n rest']|]; [|discriminate].
    now intros [= ->].
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

End MPI.

Arguments Send {rank tag value}.
Arguments Receive {rank tag value}.
Arguments Look {rank tag value}.
Arguments Meet {rank tag value}.
Arguments Sent {tag value}.
Arguments Received {tag value}.
Arguments Met {tag value}.
Arguments Compute {rank tag value local}.
Arguments Post {rank tag value local}.
Arguments Wait {rank tag value local}.
Arguments Halt {rank tag value local}.

Print Assumptions undisturbed.
