(* Why the obligations about [holds] are the theorem.

   Pages that meet them compute what their kind promises, for every p ([exactly_once]): in every
   commutative monoid, a wanted cell ends as the sum of exactly the contributions that its goal
   names, each taken once.  [allreduce], [reduce_scatter] and [allgather] are the three kinds.

   Letters as in machine.v. *)

From Coq Require Import ZArith Bool Lia.
Require Import sums machine.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.
Local Coercion is_true : bool >-> Sortclass.

(* ---- What the kernel asks: who holds what ------------------------------------------------ *)

(* [holds] is right at the start, stays right on live cells, and says the goal at the end. *)
Record inductive (F : family) (p : Z) : Prop := {
  base : forall q r c, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    live F r c 0 p ->
    holds F q r c 0 p = start F q r c p;
  live_from_live : forall r c t, 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
    live F r c (t + 1) p ->
    let s := src F r t p in
    if sends F s c t p
    then live F s c t p && (negb (adds F t p) || live F r c t p)
    else live F r c t p;
  step : forall q r c t, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p ->
    live F r c (t + 1) p ->
    let s := src F r t p in
    holds F q r c (t + 1) p =
      if sends F s c t p
      then if adds F t p
           then holds F q r c t p || holds F q s c t p
           else holds F q s c t p
      else holds F q r c t p;
  disjoint : forall q r c t, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p ->
    live F r c (t + 1) p ->
    let s := src F r t p in
    sends F s c t p -> adds F t p ->
    holds F q r c t p && holds F q s c t p = false;
  conclusion : forall q r c, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    wanted F r c p ->
    live F r c (steps F p) p /\ holds F q r c (steps F p) p = goal F q r c p
}.

(* ---- Totals ------------------------------------------------------------------------------ *)

Section CommutativeMonoid.
Variables (M : Type) (op : M -> M -> M) (zero : M).
Hypothesis monoid : commutative_monoid op zero.

(* v if b, else nothing. *)
Definition part (b : bool) (v : M) : M := if b then v else zero.

(* The sum over all q with P q of q's contribution to chunk c. *)
Definition total (p : Z) (P : Z -> bool) (x : Z -> Z -> M) (c : Z) : M :=
  sum op zero (Z.to_nat p) (fun q => part (P q) (x q c)).

(* What rank r has of chunk c before the first step. *)
Definition initial F p (x : Z -> Z -> M) (r c : Z) : M :=
  total p (fun q => start F q r c p) x c.

(* A contribution that only one of two sides has is taken once. *)
Lemma part_or a b v : a && b = false -> op (part b v) (part a v) = part (a || b) v.
Proof.
  destruct monoid as [_ comm zero_right].
  destruct a, b; cbn; intros; try discriminate; rewrite ?zero_right; auto.
  rewrite comm. apply zero_right.
Qed.

(* The totals of equal sets are equal. *)
Lemma total_ext p P Q x c : (forall q, 0 <= q < p -> P q = Q q) -> total p P x c = total p Q x c.
Proof. intros H. apply sum_ext. intros q Hq. rewrite H by lia. reflexivity. Qed.

(* The totals of disjoint sets add up to the total of their union. *)
Lemma total_union p P Q x c : (forall q, 0 <= q < p -> P q && Q q = false) ->
  op (total p Q x c) (total p P x c) = total p (fun q => P q || Q q) x c.
Proof.
  intros H. unfold total. rewrite (sum_op monoid). apply sum_ext. intros q Hq.
  apply part_or, H. lia.
Qed.

(* The total of the set {r} is r's contribution. *)
Lemma total_one p r x c : 0 <= r < p -> total p (fun q => q =? r) x c = x r c.
Proof. intros H. apply (sum_one monoid _ r (fun q => x q c)). lia. Qed.

(* The total of the empty set is nothing. *)
Lemma total_none p x c : total p (fun _ => false) x c = zero.
Proof. apply (sum_zero monoid). Qed.

(* ---- The theorem ------------------------------------------------------------------------- *)

Section Page.
Variables (F : family) (p : Z) (x : Z -> Z -> M).
Hypothesis schedule_matched : matched F p.
Hypothesis holds_inductive : inductive F p.

(* After every step, a live cell is the total of the ranks that [holds] names. *)
Lemma invariant (t : nat) : t <= steps F p ->
  forall r c, 0 <= r < p -> 0 <= c < chunks F p -> live F r c t p ->
  val F p op (initial F p x) t r c = total p (fun q => holds F q r c t p) x c.
Proof.
  induction t as [|t IH]; intros Ht r c Hr Hc L.
  - apply total_ext. intros q Hq. symmetry. now apply base.
  - assert (Ht' : 0 <= t < steps F p) by lia.
    assert (Hs := src_in_range F p schedule_matched r t Hr Ht').
    replace (Z.of_nat (S t)) with (t + 1) in * by lia.
    rewrite val_step by assumption. cbn zeta.
    assert (L' := live_from_live F p holds_inductive r c t Hr Hc Ht' L). cbn zeta in L'.
    assert (St := fun q Hq => step F p holds_inductive q r c t Hq Hr Hc Ht' L). cbn zeta in St.
    rewrite (total_ext p _ _ x c St).
    assert (D := fun q Hq => disjoint F p holds_inductive q r c t Hq Hr Hc Ht' L). cbn zeta in D.
    destruct (sends F _ c t p); [destruct (adds F t p)|]; cbn [negb orb] in L'.
    + apply andb_true_iff in L' as [Ls Lr].
      rewrite (IH ltac:(lia) _ c Hs Hc Ls), (IH ltac:(lia) r c Hr Hc Lr).
      apply total_union. intros q Hq. now apply D.
    + apply andb_true_iff in L' as [Ls _]. apply IH; assumption || lia.
    + apply IH; assumption || lia.
Qed.

(* A wanted cell ends as the sum of what its goal names, each contribution once. *)
Theorem exactly_once r c : 0 <= r < p -> 0 <= c < chunks F p -> wanted F r c p ->
  final F p op (initial F p x) r c = total p (fun q => goal F q r c p) x c.
Proof.
  intros Hr Hc W. assert (T := steps_nonneg F p schedule_matched).
  assert (End := fun q Hq => conclusion F p holds_inductive q r c Hq Hr Hc W).
  unfold final. rewrite invariant; rewrite ?Z2Nat.id by lia; try assumption; try lia.
  - apply total_ext. intros q Hq. now apply End.
  - now apply (End r).
Qed.

(* ---- The kinds --------------------------------------------------------------------------- *)

(* Allreduce: every rank starts with its own vector and ends with the sum of all. *)
Theorem allreduce :
  (forall q r c, start F q r c p = (q =? r)) -> (forall q r c, goal F q r c p = true) ->
  (forall r c, wanted F r c p = true) ->
  forall r c, 0 <= r < p -> 0 <= c < chunks F p ->
  initial F p x r c = x r c /\
  final F p op (initial F p x) r c = sum op zero (Z.to_nat p) (fun q => x q c).
Proof.
  intros Start Goal Want r c Hr Hc. split.
  - unfold initial. rewrite (total_ext p _ (fun q => q =? r)) by auto. now apply total_one.
  - rewrite exactly_once; try assumption; [|apply Want].
    apply sum_ext. intros q _. now rewrite Goal.
Qed.

(* Reduce-scatter: the same promise, on the cells that are wanted alone. *)
Theorem reduce_scatter :
  (forall q r c, start F q r c p = (q =? r)) -> (forall q r c, goal F q r c p = true) ->
  forall r c, 0 <= r < p -> 0 <= c < chunks F p -> wanted F r c p ->
  initial F p x r c = x r c /\
  final F p op (initial F p x) r c = sum op zero (Z.to_nat p) (fun q => x q c).
Proof.
  intros Start Goal r c Hr Hc W. split.
  - unfold initial. rewrite (total_ext p _ (fun q => q =? r)) by auto. now apply total_one.
  - rewrite exactly_once; try assumption.
    apply sum_ext. intros q _. now rewrite Goal.
Qed.

(* Allgather: rank c starts with chunk c, all else is empty; every rank ends with all chunks. *)
Theorem allgather : chunks F p = p ->
  (forall q r c, start F q r c p = (q =? r) && (r =? c)) ->
  (forall q r c, goal F q r c p = (q =? c)) -> (forall r c, wanted F r c p = true) ->
  forall r c, 0 <= r < p -> 0 <= c < chunks F p ->
  initial F p x r c = part (r =? c) (x c c) /\
  final F p op (initial F p x) r c = x c c.
Proof.
  intros Chunks Start Goal Want r c Hr Hc. rewrite Chunks in Hc. split.
  - unfold initial. destruct (Z.eqb_spec r c) as [->|N].
    + rewrite (total_ext p _ (fun q => q =? c)); [now apply total_one|].
      intros q _. rewrite Start, Z.eqb_refl. apply andb_true_r.
    + rewrite (total_ext p _ (fun _ => false)); [apply total_none|].
      intros q _. rewrite Start. destruct (Z.eqb_spec r c); [contradiction|apply andb_false_r].
  - rewrite exactly_once; try assumption; [|now rewrite Chunks|apply Want].
    rewrite (total_ext p _ (fun q => q =? c)) by auto. now apply total_one.
Qed.

End Page.
End CommutativeMonoid.

Print Assumptions exactly_once.
Print Assumptions allreduce.
Print Assumptions reduce_scatter.
Print Assumptions allgather.
