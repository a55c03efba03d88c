(* Which receive gets which message, on the channel from one rank to another.

   MPI 4.1, section 3.5: messages of one sender do not overtake, and receives are served in the
   order in which they were posted.  So each receive, the earliest first, takes the oldest message
   that it accepts and that no earlier receive has taken.

   - [got_more]: sends and receives posted later do not change who got what;
   - [oldest_is_taken], [first_is_served]: so a posted receive takes the oldest message left over
     that it accepts, and a posted message goes to the first receive without one that accepts it;
   - [fifo]: where every receive accepts everything, the k-th gets the k-th message;
   - [spent]: where all messages and receives have found one another, what comes later is matched as
     on a new channel. *)

From Coq Require Import Arith List Bool Lia.
Import ListNotations.

Section Matching.
Variables tag value : Type.

(* What a send posts: the how-many-eth operation of its rank it is, its tag, its value. *)
Record message := { number : nat; label : tag; content : value }.

(* What a receive posts: the how-many-eth operation of its rank it is, and which tags it accepts. *)
Record wish := { asker : nat; accepts : tag -> bool }.

(* The oldest of the messages with an accepted tag, and the others. *)
Fixpoint take (ok : tag -> bool) (sent : list message) : option (message * list message) :=
  match sent with
  | [] => None
  | m :: sent =>
      if ok (label m) then Some (m, sent)
      else match take ok sent with
           | Some (n, rest) => Some (n, m :: rest)
           | None => None
           end
  end.

(* What is left over when each wish, the earliest first, has taken what it can. *)
Fixpoint left_over (sent : list message) (wished : list wish) : list message :=
  match wished with
  | [] => sent
  | w :: wished =>
      match take (accepts w) sent with
      | Some (_, rest) => left_over rest wished
      | None => left_over sent wished
      end
  end.

(* What the receive number i has got. *)
Fixpoint got (sent : list message) (wished : list wish) (i : nat) : option message :=
  match wished with
  | [] => None
  | w :: wished =>
      match take (accepts w) sent with
      | Some (m, rest) => if i =? asker w then Some m else got rest wished i
      | None => if i =? asker w then None else got sent wished i
      end
  end.

(* ---- Later ones change nothing ----------------------------------------------------------- *)

(* Newer messages are taken only if no older one is accepted. *)
Lemma take_app ok sent more : take ok (sent ++ more) =
  match take ok sent with
  | Some (m, rest) => Some (m, rest ++ more)
  | None => match take ok more with
            | Some (m, rest) => Some (m, sent ++ rest)
            | None => None
            end
  end.
Proof.
  induction sent as [|m sent IH]; cbn.
  - now destruct (take ok more) as [[]|].
  - destruct (ok (label m)); [reflexivity|]. rewrite IH.
    destruct (take ok sent) as [[]|]; [reflexivity|]. now destruct (take ok more) as [[]|].
Qed.

(* Whoever has got a message keeps it, whatever is posted later. *)
Theorem got_more wished later i m : forall sent newer,
  got sent wished i = Some m -> got (sent ++ newer) (wished ++ later) i = Some m.
Proof.
  induction wished as [|w wished IH]; intros sent newer; cbn; [discriminate|].
  rewrite take_app. destruct (take (accepts w) sent) as [[n rest]|].
  - destruct (i =? asker w); auto.
  - destruct (i =? asker w); [discriminate|].
    destruct (take (accepts w) newer) as [[n rest]|]; auto.
Qed.

(* The oldest accepted message that is left over stays that, whatever is sent later. *)
Lemma oldest_stays ok m wished : forall sent newer,
  option_map fst (take ok (left_over sent wished)) = Some m ->
  option_map fst (take ok (left_over (sent ++ newer) wished)) = Some m.
Proof.
  induction wished as [|w wished IH]; intros sent newer; cbn; rewrite take_app.
  - now destruct (take ok sent) as [[]|].
  - destruct (take (accepts w) sent) as [[n rest]|]; [apply IH|].
    destruct (take (accepts w) newer) as [[n rest]|]; apply IH.
Qed.

(* Further wishes take from what is left over. *)
Lemma left_over_app wished later : forall sent,
  left_over sent (wished ++ later) = left_over (left_over sent wished) later.
Proof.
  induction wished as [|w wished IH]; intros sent; cbn; [reflexivity|].
  destruct (take (accepts w) sent) as [[m rest]|]; apply IH.
Qed.

(* A receive takes the oldest message left over that it accepts. *)
Theorem oldest_is_taken wished w : forall sent, (forall v, In v wished -> asker v <> asker w) ->
  got sent (wished ++ [w]) (asker w) = option_map fst (take (accepts w) (left_over sent wished)).
Proof.
  induction wished as [|v wished IH]; intros sent Other; cbn.
  - rewrite Nat.eqb_refl. now destruct (take (accepts w) sent) as [[]|].
  - destruct (Nat.eqb_spec (asker w) (asker v)) as [E|_].
    + destruct (Other v); [now left|now symmetry].
    + assert (Others : forall v, In v wished -> asker v <> asker w) by
        (intros; apply Other; now right).
      destruct (take (accepts v) sent) as [[m rest]|]; now apply IH.
Qed.

(* The first of the wishes that are without a message and accept this tag. *)
Fixpoint first_without (sent : list message) (wished : list wish) (t : tag) : option wish :=
  match wished with
  | [] => None
  | w :: wished =>
      match take (accepts w) sent with
      | Some (_, rest) => first_without rest wished t
      | None => if accepts w t then Some w else first_without sent wished t
      end
  end.

(* A message goes to the first receive that is without one and accepts it; else it is left over. *)
Theorem first_is_served wished m : NoDup (map asker wished) -> forall sent,
  match first_without sent wished (label m) with
  | Some w => got (sent ++ [m]) wished (asker w) = Some m
  | None => left_over (sent ++ [m]) wished = left_over sent wished ++ [m]
  end.
Proof.
  intros Distinct. induction wished as [|w wished IH]; intros sent; cbn; [reflexivity|].
  inversion Distinct as [|? ? New Distinct']; subst. specialize (IH Distinct').
  assert (Other : forall s v, first_without s wished (label m) = Some v -> asker v <> asker w).
  { intros s v Is E. apply New. rewrite <- E. apply in_map. clear - Is.
    revert s Is. induction wished as [|x wished IH]; intros s; cbn; [discriminate|].
    destruct (take (accepts x) s) as [[]|]; [eauto|].
    destruct (accepts x (label m)); [intros [= ->]; now left|eauto]. }
  rewrite take_app. destruct (take (accepts w) sent) as [[n rest]|].
  - specialize (IH rest). destruct (first_without rest wished (label m)) as [v|] eqn:E; [|exact IH].
    destruct (Nat.eqb_spec (asker v) (asker w)) as [Same|_]; [|exact IH].
    now destruct (Other rest v E).
  - cbn. destruct (accepts w (label m)); cbn.
    + now rewrite Nat.eqb_refl.
    + specialize (IH sent).
      destruct (first_without sent wished (label m)) as [v|] eqn:E; [|exact IH].
      destruct (Nat.eqb_spec (asker v) (asker w)) as [Same|_]; [|exact IH].
      now destruct (Other sent v E).
Qed.

(* ---- First in, first out ----------------------------------------------------------------- *)

(* Wishes that accept everything take the oldest messages. *)
Lemma left_over_fifo wished : (forall w, In w wished -> forall t, accepts w t = true) ->
  forall sent, length wished <= length sent ->
  left_over sent wished = skipn (length wished) sent.
Proof.
  intros Any. induction wished as [|w wished IH]; intros [|m sent]; cbn; try (auto; lia).
  intros Le. rewrite Any by now left. apply IH; [|lia]. intros v I. apply Any. now right.
Qed.

(* Of as many messages as receives, the last receive gets the last message. *)
Theorem fifo sent wished m w : (forall v, In v (wished ++ [w]) -> forall t, accepts v t = true) ->
  (forall v, In v wished -> asker v <> asker w) -> length sent = length wished ->
  got (sent ++ [m]) (wished ++ [w]) (asker w) = Some m.
Proof.
  intros Any New E. rewrite oldest_is_taken by assumption.
  rewrite left_over_fifo; [|intros; apply Any; apply in_or_app; now left|rewrite app_length; lia].
  rewrite skipn_app, <- E, Nat.sub_diag, skipn_all. cbn.
  rewrite (Any w); [reflexivity|]. apply in_or_app. right. now left.
Qed.

(* ---- What buffers hold ------------------------------------------------------------------- *)

(* Taking a message leaves no more behind. *)
Lemma take_fewer f ok sent m rest : take ok sent = Some (m, rest) ->
  length (filter f rest) <= length (filter f sent).
Proof.
  revert rest. induction sent as [|n sent IH]; intros rest; cbn; [discriminate|].
  destruct (ok (label n)).
  - intros [= _ ->]. destruct (f n); cbn; lia.
  - destruct (take ok sent) as [[o rest']|]; [|discriminate]. intros [= -> <-].
    specialize (IH rest' eq_refl). cbn. destruct (f n); cbn; lia.
Qed.

(* Further wishes leave no more behind. *)
Lemma left_over_fewer f later : forall sent,
  length (filter f (left_over sent later)) <= length (filter f sent).
Proof.
  induction later as [|w later IH]; intros sent; cbn; [lia|].
  destruct (take (accepts w) sent) as [[m rest]|] eqn:E; [|apply IH].
  specialize (IH rest). apply (take_fewer f) in E. lia.
Qed.

(* ---- One channel, twice ------------------------------------------------------------------ *)

(* All messages are received, and all receives have got one. *)
Definition spent (sent : list message) (wished : list wish) : Prop :=
  left_over sent wished = [] /\ length sent = length wished.

(* Posted after n other operations. *)
Definition later_message (n : nat) (m : message) : message :=
  {| number := n + number m; label := label m; content := content m |}.
Definition later_wish (n : nat) (w : wish) : wish := {| asker := n + asker w; accepts := accepts w |}.

Lemma taken_is_one_less ok (sent : list message) m rest : take ok sent = Some (m, rest) ->
  length sent = S (length rest).
Proof.
  revert rest. induction sent as [|n sent IH]; intros rest; cbn; [discriminate|].
  destruct (ok (label n)); [now intros [= _ ->]|].
  destruct (take ok sent) as [[o rest']|]; [|discriminate]. intros [= -> <-].
  now rewrite (IH rest' eq_refl).
Qed.

Lemma left_over_most (wished : list wish) : forall sent : list message,
  length sent <= length (left_over sent wished) + length wished.
Proof.
  induction wished as [|w wished IH]; intros sent; cbn; [lia|].
  destruct (take (accepts w) sent) as [[m rest]|] eqn:E.
  - apply taken_is_one_less in E. specialize (IH rest). lia.
  - specialize (IH sent). lia.
Qed.

(* Where a channel is spent, what comes later is matched as on a new one. *)
Lemma spent_takes w wished sent : spent sent (w :: wished) ->
  exists m rest, take (accepts w) sent = Some (m, rest) /\ spent rest wished.
Proof.
  intros [L E]. cbn in L, E. destruct (take (accepts w) sent) as [[m rest]|] eqn:T.
  - exists m, rest. split; [reflexivity|]. apply taken_is_one_less in T. split; [assumption|lia].
  - assert (M := left_over_most wished sent). rewrite L in M. cbn in M. lia.
Qed.

Lemma got_after wished later i : forall sent newer, spent sent wished ->
  (forall w, In w wished -> asker w <> i) ->
  got (sent ++ newer) (wished ++ later) i = got newer later i.
Proof.
  induction wished as [|w wished IH]; intros sent newer S Other.
  - destruct S as [L _]. cbn in L. now subst sent.
  - destruct (spent_takes w wished sent S) as [m [rest [T R]]]. cbn. rewrite take_app, T.
    destruct (Nat.eqb_spec i (asker w)) as [E|_]; [now destruct (Other w (or_introl eq_refl))|].
    apply IH; [assumption|]. intros v I. apply Other. now right.
Qed.

Lemma left_over_after wished later : forall sent newer, spent sent wished ->
  left_over (sent ++ newer) (wished ++ later) = left_over newer later.
Proof.
  induction wished as [|w wished IH]; intros sent newer S.
  - destruct S as [L _]. cbn in L. now subst sent.
  - destruct (spent_takes w wished sent S) as [m [rest [T R]]]. cbn. rewrite take_app, T. now apply IH.
Qed.

(* The numbers of operations decide nothing. *)
Lemma take_later n ok sent : take ok (map (later_message n) sent) =
  option_map (fun x => (later_message n (fst x), map (later_message n) (snd x))) (take ok sent).
Proof.
  induction sent as [|m sent IH]; cbn; [reflexivity|]. destruct (ok (label m)); [reflexivity|].
  rewrite IH. now destruct (take ok sent) as [[]|].
Qed.

Lemma got_later n k wished i : forall sent,
  got (map (later_message n) sent) (map (later_wish k) wished) (k + i) =
  option_map (later_message n) (got sent wished i).
Proof.
  induction wished as [|w wished IH]; intros sent; cbn; [reflexivity|]. rewrite take_later.
  replace (k + i =? k + asker w) with (i =? asker w) by
    (destruct (Nat.eqb_spec i (asker w)), (Nat.eqb_spec (k + i) (k + asker w)); lia).
  destruct (take (accepts w) sent) as [[m rest]|]; cbn; destruct (i =? asker w); auto.
Qed.

Lemma left_over_later n k wished : forall sent,
  left_over (map (later_message n) sent) (map (later_wish k) wished) =
  map (later_message n) (left_over sent wished).
Proof.
  induction wished as [|w wished IH]; intros sent; cbn; [reflexivity|]. rewrite take_later.
  destruct (take (accepts w) sent) as [[m rest]|]; cbn; apply IH.
Qed.

Lemma spent_twice n k sent newer wished later : spent sent wished -> spent newer later ->
  spent (sent ++ map (later_message n) newer) (wished ++ map (later_wish k) later).
Proof.
  intros S [L E]. split.
  - rewrite left_over_after, left_over_later by assumption. now rewrite L.
  - destruct S as [_ E']. rewrite !app_length, !map_length. lia.
Qed.

End Matching.

Arguments number {tag value}.
Arguments label {tag value}.
Arguments content {tag value}.
Arguments asker {tag}.
Arguments accepts {tag}.
Arguments take {tag value}.
Arguments left_over {tag value}.
Arguments got {tag value}.
Arguments spent {tag value}.
Arguments later_message {tag value}.
Arguments later_wish {tag}.

Print Assumptions got_more.
Print Assumptions oldest_is_taken.
Print Assumptions first_is_served.
Print Assumptions fifo.
