(* Why the obligations about [holds] are the theorem where a rank sends several messages in a step.

   [several_exactly_once]: in every commutative monoid, a wanted cell ends as the sum of exactly the
   contributions that its goal names, each taken once.

   Letters as in several.v. *)

From Coq Require Import ZArith List Sorting.Sorted Bool Lia.
Require Import sums machine schedule several.
Import ListNotations.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.
Local Coercion is_true : bool >-> Sortclass.
Local Coercion rest_of : several >-> family.

(* ---- What the kernel asks: who holds what -------------------------------------------------- *)

Record inductive (F : several) (p : Z) : Prop := {
  base : forall q r c, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    live F r c 0 p ->
    holds F q r c 0 p = start F q r c p;
  live_from_live : forall q r c t, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p -> live F r c (t + 1) p ->
    if came F p q r c t
    then live F (bringer F p q r c t) c t p && (negb (adds F t p) || live F r c t p)
    else live F r c t p;
  step : forall q r c t, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p ->
    live F r c (t + 1) p ->
    let s := bringer F p q r c t in
    holds F q r c (t + 1) p =
      if came F p q r c t
      then if adds F t p
           then holds F q r c t p || holds F q s c t p
           else holds F q s c t p
      else holds F q r c t p;
  disjoint : forall q r c t, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p ->
    live F r c (t + 1) p ->
    came F p q r c t -> adds F t p ->
    holds F q r c t p && holds F q (bringer F p q r c t) c t p = false;
  live_each : forall r c t j, 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
    0 <= j < messages F t p -> live F r c (t + 1) p -> got F p r c t j ->
    live F (src_j F r t p j) c t p && (negb (adds F t p) || live F r c t p);
  brought_once : forall q r c t j, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p -> 0 <= j < messages F t p ->
    live F r c (t + 1) p -> got F p r c t j ->
    negb (adds F t p) || holds F q (src_j F r t p j) c t p -> who F q r c t p = j;
  conclusion : forall q r c, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    wanted F r c p ->
    live F r c (steps F p) p /\ holds F q r c (steps F p) p = goal F q r c p
}.

(* ---- Exactly once -------------------------------------------------------------------------- *)

Section CommutativeMonoid.
Variables (M : Type) (op : M -> M -> M) (zero : M).
Hypothesis monoid : commutative_monoid op zero.

Local Notation part := (part M zero).
Local Notation total := (total M op zero).

Definition plus_all {A : Type} (f : A -> M) (l : list A) : M := fold_right (fun e v => op (f e) v) zero l.

(* Adding from the left is adding. *)
Lemma added_all own {A : Type} (f : A -> M) (l : list A) : l <> [] ->
  added op own (map f l) = plus_all f l.
Proof.
  destruct monoid as [assoc comm zero_right].
  destruct l as [|a l]; [easy|]. intros _. cbn. generalize (f a). induction l as [|b l IH]; intros v; cbn.
  - now rewrite zero_right.
  - now rewrite IH, assoc.
Qed.

(* The totals of many sets add up, rank by rank. *)
Lemma plus_totals p {A : Type} (P : A -> Z -> bool) x c (l : list A) :
  plus_all (fun e => total p (P e) x c) l =
  sum op zero (Z.to_nat p) (fun q => plus_all (fun e => part (P e q) (x q c)) l).
Proof.
  induction l as [|e l IH]; cbn [plus_all fold_right].
  - now rewrite (sum_zero monoid).
  - fold (plus_all (fun e => total p (P e) x c) l). rewrite IH. unfold schedule.total.
    now rewrite (sum_op monoid).
Qed.

(* A contribution that one of many has is taken once. *)
Lemma plus_one {A : Type} (P : A -> bool) v (l : list A) : NoDup l ->
  (forall d e, In d l -> In e l -> P d -> P e -> d = e) ->
  plus_all (fun e => part (P e) v) l = part (existsb P l) v.
Proof.
  destruct monoid as [assoc comm zero_right].
  induction 1 as [|a l Out D IH]; intros One; [reflexivity|]. cbn [plus_all fold_right existsb].
  fold (plus_all (fun e => part (P e) v) l). rewrite IH by (intros; apply One; auto; now right).
  destruct (P a) eqn:E; cbn [orb]; [|rewrite comm; apply zero_right].
  destruct (existsb P l) eqn:Other; [|apply zero_right].
  apply existsb_exists in Other as [b [Hb Eb]]. destruct Out.
  rewrite (One a b); auto; [now left|now right].
Qed.

Section Page.
Variables (F : several) (p : Z) (x : Z -> Z -> M).
Hypothesis schedule_matched : matched F p.
Hypothesis holds_inductive : inductive F p.

Local Notation OK := schedule_matched.

(* Of what is added, one has q's contribution, if it is in the sum. *)
Lemma step_adds q r c t : 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
  live F r c (t + 1) p -> adds F t p ->
  (forall d e, In d (arrivals F p r c t) -> In e (arrivals F p r c t) ->
    holds F q (fst d) c t p -> holds F q (fst e) c t p -> d = e) /\
  existsb (fun e => holds F q (fst e) c t p) (arrivals F p r c t) = holds F q r c (t + 1) p.
Proof.
  intros Hq Hr Hc Ht L A.
  assert (St := step F p holds_inductive q r c t Hq Hr Hc Ht L). cbn zeta in St. rewrite A in St.
  assert (Ds := disjoint F p holds_inductive q r c t Hq Hr Hc Ht L).
  assert (Named : forall j, 0 <= j < messages F t p -> got F p r c t j ->
    holds F q (src_j F r t p j) c t p -> who F q r c t p = j).
  { intros j Hj G H. apply (brought_once F p holds_inductive q r c t j); auto.
    now rewrite A, H. }
  assert (Apart : forall j, 0 <= j < messages F t p -> got F p r c t j ->
    holds F q (src_j F r t p j) c t p -> holds F q r c t p -> False).
  { intros j Hj G H O. assert (W := Named j Hj G H). assert (C := got_came F p q r c t j Hj G W).
    specialize (Ds C A). unfold bringer in Ds. rewrite W, H, O in Ds. discriminate. }
  split.
  - intros [s i] [s' j] D E Hs Hs'. cbn [fst] in *.
    apply (arrives F p OK r c t s i Hr Ht) in D. apply (arrives F p OK r c t s' j Hr Ht) in E.
    destruct D as [[-> ->]|[Hi [-> Gi]]], E as [[-> ->]|[Hj [-> Gj]]]; [reflexivity|exfalso; eauto..|].
    assert (Wi := Named i Hi Gi Hs). assert (Wj := Named j Hj Gj Hs'). congruence.
  - apply eq_true_iff_eq. rewrite existsb_exists, St. split.
    + intros [[s j] [E H]]. cbn [fst] in H. apply (arrives F p OK r c t s j Hr Ht) in E.
      destruct E as [[-> ->]|[Hj [-> G]]].
      * destruct (came F p q r c t); now rewrite H.
      * assert (W := Named j Hj G H). assert (C := got_came F p q r c t j Hj G W). rewrite C.
        unfold bringer. rewrite W, H. apply orb_true_r.
    + destruct (came F p q r c t) eqn:C; intro H.
      * apply orb_true_iff in H as [H|H].
        -- exists (r, -1). split; [|exact H]. apply (arrives F p OK); auto.
        -- exists (bringer F p q r c t, who F q r c t p). split; [|exact H].
           apply (arrives F p OK); auto. right. destruct (came_got F p q r c t C). now split.
      * exists (r, -1). split; [|exact H]. apply (arrives F p OK); auto.
Qed.

(* After every step, a live cell is the total of the ranks that [holds] names. *)
Lemma invariant (t : nat) : t <= steps F p ->
  forall r c, 0 <= r < p -> 0 <= c < chunks F p -> live F r c t p ->
  val F p op (initial M op zero F p x) t r c = total p (fun q => holds F q r c t p) x c.
Proof.
  induction t as [|t IH]; intros Ht r c Hr Hc L.
  - apply total_ext. intros q Hq. symmetry. now apply (base F p holds_inductive).
  - assert (Ht' : 0 <= t < steps F p) by lia.
    replace (Z.of_nat (S t)) with (t + 1) in * by lia. cbn [val]. cbn zeta.
    assert (Each := fun j Hj => live_each F p holds_inductive r c t j Hr Hc Ht' Hj L).
    assert (Own := live_from_live F p holds_inductive r r c t Hr Hr Hc Ht' L).
    destruct (adds F t p) eqn:A.
    + assert (There : In (r, -1) (arrivals F p r c t)) by (apply (arrives F p OK); auto).
      rewrite added_all by (intro E; rewrite E in There; easy).
      transitivity (plus_all (fun e => total p (fun q => holds F q (fst e) c t p) x c) (arrivals F p r c t)).
      { assert (Same : forall e, In e (arrivals F p r c t) ->
          val F p op (initial M op zero F p x) t (fst e) c = total p (fun q => holds F q (fst e) c t p) x c).
        { intros [s j] E. cbn [fst]. apply (arrives F p OK r c t s j Hr Ht') in E.
          destruct E as [[-> ->]|[Hj [-> G]]]; apply IH; try assumption; try lia.
          - destruct (came F p r r c t); [|exact Own]. now apply andb_true_iff in Own as [_ Own].
          - now apply (src_in_range F p OK).
          - specialize (Each j Hj G). now apply andb_true_iff in Each as [Each _]. }
        revert Same. clear. induction (arrivals F p r c t) as [|e l IH]; intros Same; [reflexivity|].
        cbn. rewrite Same by now left. f_equal. apply IH. intros d Hd. apply Same. now right. }
      rewrite plus_totals. apply sum_ext. intros q Hq. assert (Hq' : 0 <= q < p) by lia.
      destruct (step_adds q r c t Hq' Hr Hc Ht' L A) as [One All].
      rewrite plus_one; [now rewrite All|apply arrivals_distinct|exact One].
    + assert (Sts := fun q Hq => step F p holds_inductive q r c t Hq Hr Hc Ht' L).
      cbn zeta in Sts. rewrite A in Sts.
      destruct (filter is_message (arrivals F p r c t)) as [|[s j] l] eqn:Came.
      * assert (None : forall q, came F p q r c t = false).
        { intro q. destruct (came F p q r c t) eqn:C; [|reflexivity]. exfalso.
          destruct (came_got F p q r c t C) as [Hj G].
          assert (I : In (bringer F p q r c t, who F q r c t p) (filter is_message (arrivals F p r c t))).
          { apply filter_In. split; [apply (arrives F p OK); auto|unfold is_message; cbn; lia]. }
          rewrite Came in I. easy. }
        cbn [map last]. rewrite None in Own. rewrite IH by (assumption || lia).
        apply total_ext. intros q Hq. rewrite (Sts q Hq), None. reflexivity.
      * assert (Message : forall u i, In (u, i) ((s, j) :: l) ->
          0 <= i < messages F t p /\ u = src_j F r t p i /\ got F p r c t i).
        { intros u i I. rewrite <- Came in I. apply filter_In in I as [I N].
          apply (arrives F p OK r c t u i Hr Ht') in I as [[-> ->]|I]; [discriminate|exact I]. }
        assert (Named : forall u i q, In (u, i) ((s, j) :: l) -> 0 <= q < p -> who F q r c t p = i).
        { intros u i q I Hq. destruct (Message u i I) as [Hi [-> G]].
          apply (brought_once F p holds_inductive q r c t i); auto. now rewrite A. }
        rewrite (last_of _ _ (s, j)); [|now left|].
        -- cbn [fst]. destruct (Message s j) as [Hj [-> G]]; [now left|].
           specialize (Each j Hj G). apply andb_true_iff in Each as [Each _].
           rewrite IH; try assumption; try lia; [|now apply (src_in_range F p OK)].
           apply total_ext. intros q Hq. rewrite (Sts q Hq).
           assert (W := Named (src_j F r t p j) j q ltac:(now left) Hq).
           rewrite (got_came F p q r c t j Hj G W). unfold bringer. now rewrite W.
        -- intros [u i] I. assert (Wi := Named u i r I Hr).
           assert (Wj := Named s j r ltac:(now left) Hr). assert (E : i = j) by congruence. clear Wi Wj. subst i.
           destruct (Message u j I) as [_ [-> _]]. destruct (Message s j) as [_ [-> _]]; [now left|].
           reflexivity.
Qed.

(* A wanted cell ends as the sum of what its goal names, each contribution once. *)
Theorem several_exactly_once r c : 0 <= r < p -> 0 <= c < chunks F p -> wanted F r c p ->
  final F p op (initial M op zero F p x) r c = total p (fun q => goal F q r c p) x c.
Proof.
  intros Hr Hc W. assert (T := steps_nonneg F p schedule_matched).
  assert (End := fun q Hq => conclusion F p holds_inductive q r c Hq Hr Hc W).
  unfold final. rewrite invariant; rewrite ?Z2Nat.id by lia; try assumption; try lia.
  - apply total_ext. intros q Hq. now apply End.
  - now apply (End r).
Qed.

End Page.
End CommutativeMonoid.

Print Assumptions several_exactly_once.
