(* What follows of compositions from points.v: agreement, results, conservation; and an example. *)

From Coq Require Import ZArith List Bool Permutation Lia.
Require Import sums machine terms points points_sound.
Import ListNotations.
Local Open Scope Z_scope.

Section Results.
Variables M linear function : Type.
Variables (op : M -> M -> M) (zero : M).
Variable scale : linear -> M -> M -> M.
Variable test : M -> bool.
Variable index : Type.
Variable p : Z.
Variable owner : index -> Z.
Variable apply : function -> list (index -> option M) -> index -> M.
Variables (own : nat -> Z -> index -> M) (shared : nat -> index -> M).

Local Notation local := (local M linear function).
Local Notation operation := (operation M linear function).
Local Notation formula := (formula M linear function).
Local Notation point := (point M linear function).
Local Notation vector := (vector M index).
Local Notation values := (values M index).
Local Notation nowhere := (nowhere M index).
Local Notation block := (block M index owner).
Local Notation locally := (locally M linear function op scale test index owner apply).
Local Notation added := (added M op p).
Local Notation promised := (promised M op index p owner).
Local Notation does := (does M linear function op scale test index p owner apply).
Local Notation run := (run M linear function op scale test index p owner apply).
Local Notation seen := (seen M index owner).
Local Notation meaning :=
  (meaning M linear function op zero scale test index p owner apply own shared).
Local Notation sum_and_rest :=
  (sum_and_rest M linear function op zero scale test index p owner apply own shared).
Local Notation common :=
  (common M linear function op zero scale test index p owner apply own shared).
Local Notation denotes :=
  (denotes M linear function op zero scale test index p owner apply own shared).
Local Notation rank r := (0 <= r < p) (only parsing).
Local Notation total f := (sum op zero (Z.to_nat p) f).

Hypothesis monoid : commutative_monoid op zero.
Hypothesis scale_adds : forall h c a b, scale h c (op a b) = op (scale h c a) (scale h c b).
Hypothesis scale_zero : forall h c, scale h c zero = zero.
Hypothesis owner_is_a_rank : forall i, rank (owner i).
(* Functions: of the same entries they make the same. *)
Hypothesis same_arguments : forall f l m i,
  Forall2 (fun v w : vector => forall j, v j = w j) l m -> apply f l i = apply f m i.

(* ---- What follows ------------------------------------------------------------------------ *)

(* The value of a formula where its letters stand for anything: what a solver is asked about. *)
Fixpoint evaluated (letters : formula -> M) (t : formula) : M :=
  match t with
  | Nothing => zero
  | Number v => v
  | Plus a b => op (evaluated letters a) (evaluated letters b)
  | Scaled h c a => scale h (evaluated letters c) (evaluated letters a)
  | Chosen c a b =>
      if test (evaluated letters c) then evaluated letters a else evaluated letters b
  | _ => letters t
  end.

Definition alike (a b : formula) : Prop :=
  forall letters, evaluated letters a = evaluated letters b.

Lemma meaning_evaluated t r i : meaning t r i = evaluated (fun t => meaning t r i) t.
Proof. induction t; cbn; rewrite <- ?IHt1, <- ?IHt2, <- ?IHt3; reflexivity. Qed.

Lemma alike_meaning a b r i : alike a b -> meaning a r i = meaning b r i.
Proof. intros A. rewrite (meaning_evaluated a), (meaning_evaluated b). apply A. Qed.

Section Run.
Variables (program : list operation) (inputs : list values) (letters : list point).
Variables (env : list values) (points : list point).
Hypothesis inputs_denote : Forall2 denotes inputs letters.
Hypothesis can_be_read : reading program letters = Some points.
Hypothesis has_run : run program inputs env.

Local Notation x n := (nth n env nowhere) (only parsing).

Lemma value_is n a : nth_error points n = Some a -> denotes (x n) a.
Proof.
  apply value_of_number. eapply point_reading_is_sound; eassumption.
Qed.

(* What is replicate is the same on all ranks. *)
Theorem agreement n a : nth_error points n = Some a -> place a = Replicate ->
  forall i, exists v, forall r, rank r -> x n r i = Some v /\ v = sum_and_rest a r i.
Proof.
  intros A P i. destruct (value_is n a A) as [V C]. exists (sum_and_rest a 0 i). intros r Hr.
  assert (E : sum_and_rest a r i = sum_and_rest a 0 i) by
    (unfold sum_and_rest; now rewrite (C ltac:(congruence) r 0 i)).
  rewrite V, P by assumption. cbn. now rewrite E.
Qed.

(* Points that are equal whatever the letters stand for have equal values. *)
Theorem same_result n m a b : nth_error points n = Some a -> nth_error points m = Some b ->
  place a = place b -> alike (each a) (each b) -> alike (rest a) (rest b) ->
  forall r i, rank r -> x n r i = x m r i.
Proof.
  intros A B P Each Rest r i Hr. destruct (value_is n a A) as [V _], (value_is m b B) as [W _].
  rewrite V, W, P by assumption. unfold seen, sum_and_rest.
  rewrite (alike_meaning _ _ r i Rest).
  rewrite (sum_ext _ _ (fun q => meaning (each b) q i)) by (intros; now apply alike_meaning).
  reflexivity.
Qed.

(* What holds of one rank's summands holds of the sums over all ranks. *)
Theorem conservation y kept given a b c :
  nth_error points y = Some a -> nth_error points kept = Some b ->
  nth_error points given = Some c ->
  place a = Replicate -> place b = Partial -> place c = Partial ->
  alike (rest a) Nothing -> alike (each b) Nothing -> alike (each c) Nothing ->
  alike (Plus (each a) (rest b)) (rest c) ->
  forall i, exists v f g,
    (forall r, rank r -> x y r i = Some v /\ x kept r i = Some (f r) /\ x given r i = Some (g r)) /\
    op v (total f) = total g.
Proof.
  destruct monoid as [assoc comm unit].
  intros A B C PA PB PC RA EB EC Sum i.
  assert (None : forall t, alike t Nothing -> total (fun q => meaning t q i) = zero).
  { intros t N. rewrite (sum_ext _ _ (fun _ => zero)) by
      (intros q _; exact (alike_meaning _ _ q i N)).
    now apply sum_zero. }
  exists (total (fun q => meaning (each a) q i)), (fun q => meaning (rest b) q i),
    (fun q => meaning (rest c) q i). split.
  - intros r Hr. destruct (value_is y a A) as [VA _], (value_is kept b B) as [VB _],
      (value_is given c C) as [VC _].
    rewrite VA, VB, VC, PA, PB, PC by assumption. cbn. unfold sum_and_rest.
    rewrite (None _ EB), (None _ EC), (alike_meaning _ _ r i RA). cbn.
    now rewrite unit, !(comm zero), !unit.
  - rewrite (sum_op monoid). apply sum_ext. intros q _. exact (alike_meaning _ _ q i Sum).
Qed.

End Run.

(* Inputs that each rank has for itself, that all ranks have, and that owners have. *)
Theorem inputs_are_letters n :
  denotes (fun r i => Some (own n r i)) {| place := Partial; each := Nothing; rest := Own n |} /\
  denotes (fun _ i => Some (shared n i)) {| place := Replicate; each := Nothing; rest := Shared n |} /\
  denotes (fun r i => if owner i =? r then Some (shared n i) else None)
    {| place := Shard; each := Nothing; rest := Shared n |}.
Proof.
  split; [|split]; (split; [intros r Hr i; unfold seen; now rewrite only_rest|intros N r s i]);
    [now destruct N|reflexivity|reflexivity].
Qed.

(* ---- Every program has a run ------------------------------------------------------------- *)

Lemma sum_added f : 1 <= p -> added f (total f).
Proof.
  intros P. set (comb := fix comb n := match n with
    | O => Leaf 0 0 | S n => terms.Plus (comb n) (Leaf (Z.of_nat (S n)) 0) end).
  assert (L : forall n, leaves (comb n) = map Z.of_nat (seq 0 (S n))).
  { induction n as [|n IH]; [reflexivity|]. rewrite seq_S, map_app, <- IH. reflexivity. }
  exists (comb (Z.to_nat p - 1)%nat).
  assert (E : leaves (comb (Z.to_nat p - 1)%nat) = ranks p).
  { rewrite L. unfold ranks. do 2 f_equal. lia. }
  split; [now rewrite E|]. rewrite (leaves_listed M op zero monoid), E. apply (sum_listed M op zero monoid).
Qed.

Definition something (x : option M) : M := match x with Some v => v | None => zero end.

Theorem runs_exist program : 1 <= p -> forall env, exists env', run program env env'.
Proof.
  intros P. induction program as [|o program IH]; intros env; [now exists env|].
  assert (S : exists y, does env o y).
  { destruct o as [o|e n].
    - now exists (fun r => locally o (map (fun x => x r) env)).
    - set (x := nth n env nowhere). set (s := fun i => total (fun q => something (x q i))).
      assert (A : forall i f, (forall q, rank q -> x q i = Some (f q)) -> added f (s i)).
      { intros i f F. replace (s i) with (total f); [now apply sum_added|].
        apply sum_ext. intros q Hq. rewrite F by lia. reflexivity. }
      destruct e; cbn; fold x.
      + exists (fun r i => if owner i =? r then Some (s i) else None). intros i f F r _.
        destruct (owner i =? r); eauto.
      + exists (fun _ i => x (owner i) i). now intros i v E r _.
      + exists (fun _ i => Some (s i)). eauto. }
  destruct S as [y Y], (IH (env ++ [y])) as [env' R]. exists env'. now exists y.
Qed.

(* ---- Ok-Topk ----------------------------------------------------------------------------- *)

Section Oktopk.
Variables reached stays : function.  (* read what they are given against a threshold *)

(* A rank sends what reached its threshold, owners keep of the sums what stays, and what did not get
   through is left for the next call (S. Li and T. Hoefler, PPoPP 2022).  [test zero = false]. *)
Definition oktopk : list operation := [
  (* 0, 1: x, residual *)
  (* 2: nothing *)  Local (Constant zero);
  (* 3: v       *)  Local (Add 0 1);
  (* 4          *)  Local (By_block reached [3]);
  (* 5: mine    *)  Local (Where 4 3 2);
  (* 6: sums    *)  Exchange Reduce_scatter 5;
  (* 7          *)  Local (By_block stays [6]);
  (* 8: there   *)  Exchange Allgather 7;
  (* 9          *)  Local (Where 7 6 2);
  (* 10: y      *)  Exchange Allgather 9;
  (* 11: through *) Local (Where 4 8 2);
  (* 12: kept   *)  Local (Where 11 2 3)]%nat.

Theorem oktopk_conserves env : test zero = false ->
  run oktopk [fun r i => Some (own 0%nat r i); fun r i => Some (own 1%nat r i)] env ->
  forall i, exists v f g,
    (forall r, rank r -> nth 10 env nowhere r i = Some v /\ nth 12 env nowhere r i = Some (f r) /\
                         nth 3 env nowhere r i = Some (g r)) /\
    op v (total f) = total g.
Proof.
  intros No R. destruct monoid as [assoc comm unit].
  eapply (conservation oktopk _ _ env _ (Forall2_cons _ _ (proj1 (inputs_are_letters 0))
    (Forall2_cons _ _ (proj1 (inputs_are_letters 1)) (Forall2_nil _))) eq_refl R 10 12 3);
    try reflexivity; intros letters; cbn -[Z.add];
    repeat (rewrite ?No; match goal with |- context [if test ?c then _ else _] =>
      match c with context [if _ then _ else _] => fail 1 | _ => destruct (test c) eqn:? end end);
    rewrite ?No; cbn; rewrite ?unit, ?(comm zero), ?unit; congruence.
Qed.

(* Refused: an allgather of each rank's own; a second reduce-scatter; a selection of sums by each
   rank's own condition; the owner's condition on each rank's own; a sum that is added again. *)
Theorem refusals : Forall (fun program : list operation =>
    reading program [{| place := Partial; each := Nothing; rest := Own 0 |}] = None) [
  [Exchange Allgather 0];
  [Exchange Reduce_scatter 0; Exchange Reduce_scatter 1];
  [Exchange Allreduce 0; Local (By_block reached [0]); Local (Where 2 1 1)];
  [Exchange Reduce_scatter 0; Local (By_block stays [1]); Local (Where 2 0 0)];
  [Exchange Allreduce 0; Exchange Allreduce 1]]%nat.
Proof. repeat constructor. Qed.

End Oktopk.

End Results.

(* ---- What is seen whole ------------------------------------------------------------------ *)

(* Two ranks, each the owner of one index, and a function that counts the entries that it sees. *)
Definition owner_of (i : bool) : Z := if i then 1 else 0.
Definition entries (_ : unit) (l : list (bool -> option Z)) (_ : bool) : Z :=
  match l with
  | [v] => (if is_some (v true) then 1 else 0) + (if is_some (v false) then 1 else 0)
  | _ => 0
  end.
Definition runs (program : list (operation Z unit unit)) env : Prop :=
  run Z unit unit Z.add (fun _ => Z.mul) (fun _ => true) bool 2 owner_of entries program
    [fun _ _ => Some 0] env.
Definition outcome (n : nat) (env : list (values Z bool)) : option Z :=
  nth n env (nowhere Z bool) 0 true.

(* Of a shard it makes something else than of the whole: its letter has to say which of them it saw. *)
Theorem a_shard_is_not_the_whole :
  (forall env, runs [Exchange Reduce_scatter 0; Local (Whole tt [1%nat]); Exchange Allgather 2] env ->
    outcome 3 env = Some 1) /\
  (forall env, runs [Exchange Allreduce 0; Local (Whole tt [1%nat])] env -> outcome 2 env = Some 2).
Proof.
  split; intros env.
  - intros [y [Y [z [E [w [W R]]]]]]. cbn in R, Y, E, W. subst env. cbn.
    assert (H := fun i r => Y i (fun _ => 0) ltac:(reflexivity) r). cbn in H.
    destruct (H true 1 ltac:(lia)) as [v [_ T]]. assert (N := H false 1 ltac:(lia)). cbn in N.
    apply W; [|lia]. change (owner_of true) with 1. rewrite E by lia. cbn. now rewrite T, N.
  - intros [y [Y [z [E R]]]]. cbn in R, Y, E. subst env. cbn.
    assert (H := fun i => Y i (fun _ => 0) ltac:(reflexivity) 0 ltac:(lia)). cbn in H.
    destruct (H true) as [v [_ T]], (H false) as [u [_ N]].
    unfold outcome. cbn. rewrite E by lia. cbn. now rewrite T, N.
Qed.

Print Assumptions agreement.
Print Assumptions same_result.
Print Assumptions conservation.
Print Assumptions inputs_are_letters.
Print Assumptions runs_exist.
Print Assumptions oktopk_conserves.
Print Assumptions refusals.
Print Assumptions a_shard_is_not_the_whole.
