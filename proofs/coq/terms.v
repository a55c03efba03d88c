(* Why the obligations about [same] make all ranks agree bit by bit.

   By the rule for [same], all ranks end with the same term up to swapping the sides of sums
   ([same_terms]), hence with the same bits under any commutative operation, associative or not
   ([same_bits]).

   Letters as in machine.v. *)

From Coq Require Import ZArith List Bool Lia.
Require Import machine.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.
Local Coercion is_true : bool >-> Sortclass.

(* ---- Terms ------------------------------------------------------------------------------- *)

(* A term says which contributions were added, and in which order. *)
Inductive term :=
  | Leaf (r c : Z)
  | Plus (a b : term).

(* Equal up to swapping the two sides of any sum: the free commutative magma. *)
Inductive identical : term -> term -> Prop :=
  | identical_leaf r c : identical (Leaf r c) (Leaf r c)
  | identical_pairwise a b a' b' :
      identical a a' -> identical b b' -> identical (Plus a b) (Plus a' b')
  | identical_crosswise a b a' b' :
      identical a b' -> identical b a' -> identical (Plus a b) (Plus a' b').

(* The value of a term. *)
Fixpoint value {M : Type} (op : M -> M -> M) (x : Z -> Z -> M) (a : term) : M :=
  match a with
  | Leaf r c => x r c
  | Plus a b => op (value op x a) (value op x b)
  end.

(* Every term is identical to itself. *)
Lemma identical_self a : identical a a.
Proof. induction a; now constructor. Qed.

(* Identical terms have the same value, whatever the commutative operation. *)
Lemma identical_value {M : Type} (op : M -> M -> M) x :
  (forall u v, op u v = op v u) ->
  forall a b, identical a b -> value op x a = value op x b.
Proof.
  intros comm a b H. induction H as [|a b a' b' _ IHa _ IHb|a b a' b' _ IHa _ IHb]; cbn.
  - reflexivity.
  - now rewrite IHa, IHb.
  - rewrite IHa, IHb. apply comm.
Qed.

(* A map that respects the operation can be taken at the end or at the start of a fold. *)
Lemma fold_map {A A' B : Type} (g : A -> A') (f : A -> B -> A) (f' : A' -> B -> A') l :
  (forall v b, g (f v b) = f' (g v) b) -> forall v, g (fold_left f l v) = fold_left f' l (g v).
Proof. intros H. induction l as [|b l IH]; intros v; cbn; [reflexivity|]. now rewrite IH, H. Qed.

(* Running on terms and evaluating the result is the same as running on values. *)
Lemma value_val F p {M : Type} (op : M -> M -> M) x (t : nat) : forall r c,
  value op x (val F p Plus Leaf t r c) = val F p op x t r c.
Proof.
  induction t as [|t IH]; intros r c; cbn [val]; [reflexivity|].
  rewrite <- (IH r c). apply fold_map. intros own s.
  destruct (_ && _); [destruct (adds F t p)|]; cbn [value]; now rewrite ?IH.
Qed.

(* ---- What the kernel asks ---------------------------------------------------------------- *)

(* What has to be so before a step for the copies of c at r and s to be the same after it. *)
Definition same_before F p (same : Z -> Z -> Z -> Z -> bool) (r s c t : Z) : Prop :=
  let r' := src F r t p in
  let s' := src F s t p in
  let r_got := sends F r' c t p in
  let s_got := sends F s' c t p in
  let adding := adds F t p in
  r = s \/
  (* both idle, and the same *)
  ~ r_got /\ ~ s_got /\ same r s c t \/
  (* both overwritten, by senders that were the same *)
  ~ adding /\ r_got /\ s_got /\ same r' s' c t \/
  (* one overwritten, by a sender that was the same as the idle other *)
  ~ adding /\ r_got /\ ~ s_got /\ same r' s c t \/
  ~ adding /\ ~ r_got /\ s_got /\ same r s' c t \/
  (* both added to: own copies the same and sent copies the same, or crosswise *)
  adding /\ r_got /\ s_got /\
    (same r s c t /\ same r' s' c t \/ same r s' c t /\ same r' s c t).

(* What the kernel asks of [same r s c t]: after t steps, r and s have the same copy of c. *)
Record agreement (F : family) (p : Z) (same : Z -> Z -> Z -> Z -> bool) : Prop := {
  same_base : forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    same r s c 0 -> r = s;
  same_step : forall r s c t, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    0 <= t < steps F p ->
    same r s c (t + 1) -> same_before F p same r s c t;
  same_conclusion : forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
    same r s c (steps F p)
}.

(* ---- The theorem ------------------------------------------------------------------------- *)

Section Agreement.
Variables (F : family) (p : Z) (same : Z -> Z -> Z -> Z -> bool).
Hypothesis schedule_matched : matched F p.
Hypothesis ranks_agree : agreement F p same.

(* Wherever [same] says so, the terms are identical. *)
Lemma same_invariant (t : nat) : t <= steps F p ->
  forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p -> same r s c t ->
  identical (val F p Plus Leaf t r c) (val F p Plus Leaf t s c).
Proof.
  induction t as [|t IH]; intros Ht r s c Hr Hs Hc Same.
  - rewrite (same_base F p same ranks_agree r s c) by assumption. apply identical_self.
  - assert (Ht' : 0 <= t < steps F p) by lia.
    replace (Z.of_nat (S t)) with (t + 1) in Same by lia.
    assert (before := same_step F p same ranks_agree r s c t Hr Hs Hc Ht' Same).
    assert (Hr' := src_in_range F p schedule_matched r t Hr Ht').
    assert (Hs' := src_in_range F p schedule_matched s t Hs Ht').
    rewrite !val_step by assumption. unfold same_before in before. cbn zeta in *.
    specialize (IH ltac:(lia)). unfold is_true in *.
    destruct before as [->|before]; [apply identical_self|].
    destruct (adds F t p), (sends F (src F r t p) c t p), (sends F (src F s t p) c t p);
      intuition (auto using identical_pairwise, identical_crosswise || discriminate).
Qed.

(* All ranks end with identical terms. *)
Theorem same_terms r s c : 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
  identical (final F p Plus Leaf r c) (final F p Plus Leaf s c).
Proof.
  intros Hr Hs Hc. assert (T := steps_nonneg F p schedule_matched).
  apply same_invariant; rewrite ?Z2Nat.id by lia; try assumption; try lia.
  now apply (same_conclusion F p same ranks_agree).
Qed.

(* All ranks end with the same bits if only the operation is commutative. *)
Theorem same_bits {M : Type} (op : M -> M -> M) (x : Z -> Z -> M) :
  (forall u v, op u v = op v u) ->
  forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks F p ->
  final F p op x r c = final F p op x s c.
Proof.
  intros comm r s c Hr Hs Hc. unfold final.
  rewrite <- !(value_val F p op x). apply identical_value; [assumption|].
  now apply same_terms.
Qed.

End Agreement.

(* ---- For the tactics ---------------------------------------------------------------------- *)

(* The lines of [same_before], each with the condition under which it is the one to look at. *)
Theorem same_cases F p same r s c t :
  (r <> s ->
   let r' := src F r t p in
   let s' := src F s t p in
   (if sends F r' c t p
    then if sends F s' c t p
         then if adds F t p
              then same r s c t && same r' s' c t || same r s' c t && same r' s c t
              else same r' s' c t
         else negb (adds F t p) && same r' s c t
    else if sends F s' c t p then negb (adds F t p) && same r s' c t else same r s c t) = true) ->
  same_before F p same r s c t.
Proof.
  unfold same_before, is_true. cbv zeta. intro H.
  destruct (Z.eq_dec r s) as [|N]; [now left|right]. specialize (H N). revert H.
  destruct (sends F _ c t p), (sends F _ c t p), (adds F t p); cbn [negb andb];
    rewrite ?orb_true_iff, ?andb_true_iff; intuition discriminate.
Qed.

Print Assumptions same_terms.
Print Assumptions same_bits.
Print Assumptions same_cases.
