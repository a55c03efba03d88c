(* Why the obligations about [same] make all ranks agree where a rank sends several messages in a step.

   A step that adds, adds in the order of ranks.  A copy in one rank's sum has a counterpart in the
   other's, which is the same; counterparts are in the same order, and as this is so both ways there are
   as many of them ([parts_same]).  So all ranks end with the same term up to swapping the sides of sums
   ([several_same_terms]), hence with the same bits under any commutative operation
   ([several_same_bits]).

   Letters as in several.v. *)

From Coq Require Import ZArith List Sorting.Sorted Bool Lia.
Require Import machine terms several.
Import ListNotations.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.
Local Coercion is_true : bool >-> Sortclass.
Local Coercion rest_of : several >-> family.

(* ---- What the kernel asks of [same] -------------------------------------------------------- *)

(* Rank x's copy goes into the sum that r makes in the step. *)
Definition takes_part (F : several) p x r c t : bool :=
  (x =? r) || came F p x r c t && (bringer F p x r c t =? x).

(* The rank whose copy brings x's contribution to s's sum. *)
Definition counterpart (F : several) p x s c t : Z :=
  if holds F x s c t p then s else bringer F p x s c t.

(* What has to be so before a step that overwrites, as in terms.v. *)
Definition same_before (F : several) p (same : Z -> Z -> Z -> Z -> bool) (r s c t : Z) : Prop :=
  let r' := bringer F p r r c t in
  let s' := bringer F p s s c t in
  let r_got := came F p r r c t in
  let s_got := came F p s s c t in
  r = s \/
  ~ r_got /\ ~ s_got /\ same r s c t \/
  r_got /\ s_got /\ same r' s' c t \/
  r_got /\ ~ s_got /\ same r' s c t \/
  ~ r_got /\ s_got /\ same r s' c t.

Record agreement (F : several) (p : Z) (same : Z -> Z -> Z -> Z -> bool) : Prop := {
  not_to_itself : forall r c t j, 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
    0 <= j < messages F t p -> sends_j F r c t p j -> dst_j F r t p j <> r;
  one_from_a_rank : forall r c t j, 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
    0 <= j < messages F t p -> got F p r c t j -> who F (src_j F r t p j) r c t p = j;
  overwritten_once : forall q r c t j, 0 <= q < p -> 0 <= r < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p -> 0 <= j < messages F t p ->
    adds F t p = false -> got F p r c t j -> who F q r c t p = j;
  same_base : forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    same r s c 0 -> r = s;
  same_step : forall r s c t, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p -> same r s c (t + 1) ->
    adds F t p \/ same_before F p same r s c t;
  same_both_ways : forall r s c t, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p -> same r s c (t + 1) -> same s r c (t + 1);
  has_counterpart : forall q r s c t, 0 <= q < p -> 0 <= r < p -> 0 <= s < p ->
    0 <= c < chunks F p -> 0 <= t < steps F p ->
    adds F t p -> r <> s -> same r s c (t + 1) -> takes_part F p q r c t ->
    takes_part F p (counterpart F p q s c t) s c t /\ same q (counterpart F p q s c t) c t;
  same_order : forall q v r s c t, 0 <= q < p -> 0 <= v < p -> 0 <= r < p -> 0 <= s < p ->
    0 <= c < chunks F p -> 0 <= t < steps F p ->
    adds F t p -> r <> s -> same r s c (t + 1) ->
    takes_part F p q r c t -> takes_part F p v r c t -> q < v ->
    counterpart F p q s c t < counterpart F p v s c t;
  same_conclusion : forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    same r s c (steps F p)
}.

(* ---- All ranks end with the same term ------------------------------------------------------ *)

(* Running on terms and evaluating the result is the same as running on values. *)
Lemma value_val (F : several) p {M : Type} (op : M -> M -> M) x (t : nat) : forall r c,
  value op x (val F p Plus Leaf t r c) = val F p op x t r c.
Proof.
  induction t as [|t IH]; intros r c; cbn [val]; [reflexivity|]. cbn zeta.
  assert (Adding : forall own l, value op x (added Plus own l) =
    added op (value op x own) (map (value op x) l)).
  { intros own [|a l]; [reflexivity|]. cbn. revert a.
    induction l as [|b l IHl]; intros a; cbn; [reflexivity|apply (IHl (Plus a b))]. }
  assert (Last : forall own l, value op x (last l own) = last (map (value op x) l) (value op x own)).
  { intros own l. induction l as [|a [|b l] IHl]; [reflexivity|reflexivity|exact IHl]. }
  destruct (adds F t p); rewrite ?Adding, ?Last, map_map, IH; f_equal; apply map_ext; intros; apply IH.
Qed.

Section Agreement.
Variables (F : several) (p : Z) (same : Z -> Z -> Z -> Z -> bool).
Hypothesis schedule_matched : matched F p.
Hypothesis ranks_agree : agreement F p same.

Local Notation OK := schedule_matched.
Local Notation parts r c t := (map fst (arrivals F p r c t)).

(* No rank's copy comes twice. *)
Lemma parts_sorted r c t : 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
  StronglySorted Z.lt (parts r c t).
Proof.
  intros Hr Hc Ht. assert (S := arrivals_sorted F p r c t).
  assert (One : forall s i j, In (s, i) (arrivals F p r c t) -> In (s, j) (arrivals F p r c t) -> i = j).
  { intros s i j I J. apply (arrives F p OK r c t s i Hr Ht) in I.
    apply (arrives F p OK r c t s j Hr Ht) in J.
    assert (NotSelf : forall k, 0 <= k < messages F t p -> got F p r c t k -> src_j F r t p k <> r).
    { intros k Hk G E. unfold got in G. rewrite E in G.
      apply (not_to_itself F p same ranks_agree r c t k Hr Hc Ht Hk G).
      rewrite <- E at 1. now apply (dst_of_src F p OK). }
    destruct I as [[-> ->]|[Hi [Ei Gi]]], J as [[Er ->]|[Hj [Ej Gj]]]; [reflexivity|exfalso..|].
    - now apply (NotSelf j).
    - apply (NotSelf i); congruence.
    - rewrite <- (one_from_a_rank F p same ranks_agree r c t i Hr Hc Ht Hi Gi).
      rewrite <- (one_from_a_rank F p same ranks_agree r c t j Hr Hc Ht Hj Gj). congruence. }
  revert S One. induction (arrivals F p r c t) as [|[s i] l IH]; intros S One; cbn; [constructor|].
  inversion S as [|? ? Sl Fl]; subst. constructor.
  - apply IH; [assumption|]. intros. apply (One s0); now right.
  - apply Forall_forall. intros u Hu. apply in_map_iff in Hu as [[u' j] [<- I]].
    rewrite Forall_forall in Fl. destruct (Fl _ I) as [L|[E L]]; [exact L|]. cbn in E, L. subst u'.
    exfalso. assert (i = j) by (apply (One s); [now left|now right]). lia.
Qed.

(* Those take part that the formulas name. *)
Lemma in_parts r c t s : 0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
  In s (parts r c t) <-> 0 <= s < p /\ takes_part F p s r c t.
Proof.
  intros Hr Hc Ht. unfold takes_part, is_true. rewrite in_map_iff, orb_true_iff, andb_true_iff, !Z.eqb_eq.
  split.
  - intros [[u j] [E I]]. cbn in E. subst u. apply (arrives F p OK r c t s j Hr Ht) in I.
    destruct I as [[-> ->]|[Hj [-> G]]]; [tauto|].
    assert (W := one_from_a_rank F p same ranks_agree r c t j Hr Hc Ht Hj G).
    split; [now apply (src_in_range F p OK)|right].
    split; [now apply (got_came F p _ r c t j)|]. unfold bringer. now rewrite W.
  - intros [Hs [->|[C E]]].
    + exists (r, -1). split; [reflexivity|]. apply (arrives F p OK); auto.
    + exists (s, who F s r c t p). split; [reflexivity|]. apply (arrives F p OK); auto. right.
      destruct (came_got F p s r c t C) as [Hj G]. split; [exact Hj|]. split; [now symmetry|exact G].
Qed.

(* Step by step, copies that are the same one by one make the same sum. *)
Lemma added_identical l : forall m a b, identical a b -> Forall2 identical l m ->
  identical (fold_left Plus l a) (fold_left Plus m b).
Proof.
  induction l as [|u l IH]; intros m a b H L; inversion L; subst; cbn; [assumption|].
  apply IH; [now constructor|assumption].
Qed.

(* Each copy in r's sum has its counterpart in s's, at the same place. *)
Lemma parts_same r s c t : 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p -> 0 <= t < steps F p ->
  adds F t p -> r <> s -> same r s c (t + 1) ->
  parts s c t = map (fun q => counterpart F p q s c t) (parts r c t).
Proof.
  intros Hr Hs Hc Ht A N Same.
  assert (Counted : forall a b, 0 <= a < p -> 0 <= b < p -> a <> b -> same a b c (t + 1) ->
    StronglySorted Z.lt (map (fun q => counterpart F p q b c t) (parts a c t)) /\
    incl (map (fun q => counterpart F p q b c t) (parts a c t)) (parts b c t)).
  { intros a b Ha Hb Nab Sab. split.
    - assert (I : forall q, In q (parts a c t) -> 0 <= q < p /\ takes_part F p q a c t) by
        (intros q; now apply in_parts).
      revert I. induction (parts_sorted a c t Ha Hc Ht) as [|q l Sl IH Fl]; intros I; cbn; [constructor|].
      constructor; [apply IH; intros; apply I; now right|]. rewrite Forall_forall in *.
      intros y Hy. apply in_map_iff in Hy as [v [<- Hv]].
      destruct (I q (or_introl eq_refl)), (I v (or_intror Hv)).
      apply (same_order F p same ranks_agree q v a b c t); auto.
    - intros y Hy. apply in_map_iff in Hy as [q [<- Hq]]. apply in_parts in Hq as [Rq Hq]; try assumption.
      destruct (has_counterpart F p same ranks_agree q a b c t Rq Ha Hb Hc Ht A Nab Sab Hq) as [P _].
      apply in_parts; try assumption. split; [|exact P].
      unfold takes_part, is_true in P. rewrite orb_true_iff, andb_true_iff, !Z.eqb_eq in P.
      destruct P as [->|[C E]]; [assumption|]. rewrite <- E.
      apply (src_in_range F p OK); try assumption. now apply came_got. }
  assert (Back := same_both_ways F p same ranks_agree r s c t Hr Hs Hc Ht Same).
  destruct (Counted r s Hr Hs N Same) as [Sm Im], (Counted s r Hs Hr (not_eq_sym N) Back) as [Sw Iw].
  assert (Strict : forall l, StronglySorted Z.lt l -> NoDup l) by
    (intros l; apply sorted_distinct; intros; lia).
  assert (Short := NoDup_incl_length (Strict _ Sw) Iw). rewrite map_length in Short.
  apply sorted_same; [now apply parts_sorted|exact Sm|]. intro y. split; [|apply Im].
  apply (NoDup_length_incl (Strict _ Sm)); [|exact Im]. now rewrite (map_length _ (parts r c t)).
Qed.

(* In a step that overwrites, the message that [who] names is the one that comes. *)
Lemma val_overwrites {M : Type} (op : M -> M -> M) initial (t : nat) r c :
  0 <= r < p -> 0 <= c < chunks F p -> 0 <= t < steps F p -> adds F t p = false ->
  val F p op initial (S t) r c =
    if came F p r r c t then val F p op initial t (bringer F p r r c t) c else val F p op initial t r c.
Proof.
  intros Hr Hc Ht A. cbn [val]. cbn zeta. rewrite A.
  assert (Named := fun j Hj G => overwritten_once F p same ranks_agree r r c t j Hr Hr Hc Ht Hj A G).
  assert (Only : forall e, In e (filter is_message (arrivals F p r c t)) ->
    came F p r r c t /\ e = (bringer F p r r c t, who F r r c t p)).
  { intros [s j] I. apply filter_In in I as [I N].
    apply (arrives F p OK r c t s j Hr Ht) in I as [[-> ->]|[Hj [-> G]]]; [discriminate|].
    assert (W := Named j Hj G). unfold bringer. rewrite W. split; [|reflexivity].
    now apply (got_came F p r r c t j). }
  destruct (came F p r r c t) eqn:C.
  - change (val F p op initial t (bringer F p r r c t) c) with
      ((fun e : Z * Z => val F p op initial t (fst e) c) (bringer F p r r c t, who F r r c t p)).
    apply last_of; [|intros b Hb; now apply Only].
    destruct (came_got F p r r c t C) as [Hj G]. apply filter_In. split.
    + apply (arrives F p OK); auto.
    + unfold is_message. cbn. lia.
  - destruct (filter _ _) as [|e l]; [reflexivity|]. destruct (Only e); [now left|discriminate].
Qed.

(* Wherever [same] says so, the terms are identical. *)
Lemma same_invariant (t : nat) : t <= steps F p ->
  forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p -> same r s c t ->
  identical (val F p Plus Leaf t r c) (val F p Plus Leaf t s c).
Proof.
  induction t as [|t IH]; intros Ht r s c Hr Hs Hc Same.
  - rewrite (same_base F p same ranks_agree r s c Hr Hs Hc Same). apply identical_self.
  - assert (Ht' : 0 <= t < steps F p) by lia.
    replace (Z.of_nat (S t)) with (t + 1) in * by lia.
    destruct (Z.eq_dec r s) as [->|N]; [apply identical_self|].
    destruct (adds F t p) eqn:A.
    + assert (P := parts_same r s c t Hr Hs Hc Ht' A N Same).
      cbn [val]. cbn zeta. rewrite A.
      rewrite <- !(map_map fst (fun q => val F p Plus Leaf t q c)), P.
      assert (I : forall q, In q (parts r c t) -> identical (val F p Plus Leaf t q c)
          (val F p Plus Leaf t (counterpart F p q s c t) c)).
      { intros q Hq. assert (Hq' := Hq). apply in_parts in Hq' as [Rq Tq]; try assumption.
        destruct (has_counterpart F p same ranks_agree q r s c t Rq Hr Hs Hc Ht' A N Same Tq) as [_ S'].
        apply IH; try assumption; try lia. apply (in_parts s c t); try assumption.
        rewrite P. apply in_map_iff. now exists q. }
      assert (There : In r (parts r c t)).
      { apply in_parts; try assumption. unfold takes_part. now rewrite Z.eqb_refl. }
      destruct (parts r c t) as [|q l]; [easy|]. cbn [map added].
      apply added_identical; [apply I; now left|].
      assert (I' : forall q, In q l -> identical (val F p Plus Leaf t q c)
          (val F p Plus Leaf t (counterpart F p q s c t) c)) by (intros; apply I; now right).
      clear -I'. induction l as [|v l IHl]; cbn; constructor; [apply I'; now left|].
      apply IHl. intros. apply I'. now right.
    + rewrite !val_overwrites by assumption.
      assert (From : forall x, 0 <= x < p -> came F p x x c t -> 0 <= bringer F p x x c t < p) by
        (intros x Hx C; apply (src_in_range F p OK); try assumption; now apply came_got).
      destruct (same_step F p same ranks_agree r s c t Hr Hs Hc Ht' Same) as [X|B]; [now rewrite A in X|].
      destruct B as [E|[B|[B|[B|B]]]]; [contradiction|..];
        destruct (came F p r r c t) eqn:Cr, (came F p s s c t) eqn:Cs; unfold is_true in *;
        destruct B as [B1 B2]; try discriminate; try (now destruct B1); try (now destruct B2);
        try (destruct B2 as [B2 B3]); try discriminate; try (now destruct B2);
        apply IH; auto; lia.
Qed.

(* All ranks end with identical terms. *)
Theorem several_same_terms r s c : 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
  identical (final F p Plus Leaf r c) (final F p Plus Leaf s c).
Proof.
  intros Hr Hs Hc. assert (T := steps_nonneg F p schedule_matched).
  apply same_invariant; rewrite ?Z2Nat.id by lia; try assumption; try lia.
  now apply (same_conclusion F p same ranks_agree).
Qed.

(* All ranks end with the same bits if only the operation is commutative. *)
Theorem several_same_bits {M : Type} (op : M -> M -> M) (x : Z -> Z -> M) :
  (forall u v, op u v = op v u) ->
  forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
  final F p op x r c = final F p op x s c.
Proof.
  intros comm r s c Hr Hs Hc. unfold final.
  rewrite <- !(value_val F p op x). apply identical_value; [assumption|].
  now apply several_same_terms.
Qed.

End Agreement.

Print Assumptions several_same_terms.
Print Assumptions several_same_bits.
