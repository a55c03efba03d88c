(* Pages of which a rank sends several messages in a step: what they say, and what they do.

   The machine of machine.v once more, where a message has a number j besides its step.  What comes for a cell in a step, and the copy that is
   there, are added in the order of the ranks they are from.  (Of one message and a copy pages are
   run the other way round, which no commutative operation can tell.)

   Letters as in machine.v; j is one of the messages that a rank sends in a step. *)

From Coq Require Import ZArith List Sorting.Sorted Bool Lia.
Require Import machine.
Import ListNotations.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.
Local Coercion is_true : bool >-> Sortclass.

(* ---- What a page says, and what it does ---------------------------------------------------- *)

Record several := {
  rest_of  : family;                             (* what does not ask for j: all but the next three *)
  messages : Z -> Z -> Z;                        (* t p        messages that a rank may send *)
  dst_j    : Z -> Z -> Z -> Z -> Z;              (* r t p j    to whom rank r sends message j *)
  src_j    : Z -> Z -> Z -> Z -> Z;              (* r t p j    from whom it receives message j *)
  sends_j  : Z -> Z -> Z -> Z -> Z -> bool;      (* s c t p j  chunk c is in message j of s *)
  who      : Z -> Z -> Z -> Z -> Z -> Z          (* q r c t p  which message brings q's contribution *)
}.
Local Coercion rest_of : several >-> family.

(* Where r's new copy of c is from in a step where it adds: (s, j) is message j of rank s, and
   (r, -1) the copy that is there. *)
Definition comes F p r c t (e : Z * Z) : bool :=
  let (s, j) := e in
  if j =? -1 then s =? r else (dst_j F s t p j =? r) && sends_j F s c t p j.
Definition arrivals (F : several) p r c t : list (Z * Z) :=
  filter (comes F p r c t) (list_prod (ranks p) (-1 :: ranks (messages F t p))).
Definition is_message (e : Z * Z) : bool := negb (snd e =? -1).

(* a + b + ..., from the left; [own] where there is nothing. *)
Definition added {M : Type} (op : M -> M -> M) (own : M) (l : list M) : M :=
  match l with [] => own | a :: l => fold_left op l a end.

Fixpoint val (F : several) (p : Z) {M : Type} (op : M -> M -> M) (initial : Z -> Z -> M)
    (t : nat) (r c : Z) : M :=
  match t with
  | O => initial r c
  | S t =>
      let copy e := val F p op initial t (fst e) c in
      let own := val F p op initial t r c in
      if adds F t p
      then added op own (map copy (arrivals F p r c t))
      else last (map copy (filter is_message (arrivals F p r c t))) own
  end.

Definition final (F : several) p {M : Type} (op : M -> M -> M) initial : Z -> Z -> M :=
  val F p op initial (Z.to_nat (steps F p)).

(* ---- What the kernel asks: the schedule ---------------------------------------------------- *)

Record matched (F : several) (p : Z) : Prop := {
  steps_nonneg : 0 <= steps F p;
  src_in_range : forall r t j, 0 <= r < p -> 0 <= t < steps F p -> 0 <= j < messages F t p ->
    0 <= src_j F r t p j < p;
  dst_of_src : forall r t j, 0 <= r < p -> 0 <= t < steps F p -> 0 <= j < messages F t p ->
    dst_j F (src_j F r t p j) t p j = r;
  src_of_dst : forall r t j, 0 <= r < p -> 0 <= t < steps F p -> 0 <= j < messages F t p ->
    src_j F (dst_j F r t p j) t p j = r
}.

(* ---- Lists in order ------------------------------------------------------------------------ *)

Definition before (d e : Z * Z) : Prop := fst d < fst e \/ fst d = fst e /\ snd d < snd e.

Lemma ranks_sorted (n : Z) : StronglySorted Z.lt (ranks n).
Proof.
  unfold ranks. generalize O. induction (Z.to_nat n) as [|m IH]; intros a; cbn; constructor.
  - apply IH.
  - apply Forall_forall. intros x Hx. apply in_map_iff in Hx as [y [<- Hy]].
    apply in_seq in Hy. lia.
Qed.

Lemma sorted_app {A : Type} (R : A -> A -> Prop) (l m : list A) :
  StronglySorted R l -> StronglySorted R m -> (forall a b, In a l -> In b m -> R a b) ->
  StronglySorted R (l ++ m).
Proof.
  induction l as [|a l IH]; intros Hl Hm H; cbn; [assumption|].
  inversion Hl as [|? ? Sl Fl]; subst. rewrite Forall_forall in Fl. constructor.
  - apply IH; auto. intros. apply H; [now right|assumption].
  - apply Forall_forall. intros b Hb. apply in_app_iff in Hb as [Hb|Hb]; [now apply Fl|].
    apply H; [now left|assumption].
Qed.

Lemma sorted_pairs (l m : list Z) : StronglySorted Z.lt l -> StronglySorted Z.lt m ->
  StronglySorted before (list_prod l m).
Proof.
  intros Hl Hm. induction Hl as [|a l Sl IH Fl]; cbn; [constructor|].
  rewrite Forall_forall in Fl. apply sorted_app; [|exact IH|].
  - clear -Hm. induction Hm as [|b m Sm IH Fm]; cbn; constructor; [exact IH|].
    rewrite Forall_forall in *. intros e He. apply in_map_iff in He as [x [<- Hx]].
    right. cbn. split; [reflexivity|now apply Fm].
  - intros d e Hd He. apply in_map_iff in Hd as [x [<- Hx]]. destruct e as [u v].
    apply in_prod_iff in He as [Hu _]. left. cbn. now apply Fl.
Qed.

Lemma sorted_filter {A : Type} (R : A -> A -> Prop) P (l : list A) :
  StronglySorted R l -> StronglySorted R (filter P l).
Proof.
  induction 1 as [|a l S IH F]; cbn; [constructor|]. destruct (P a); [|assumption].
  constructor; [assumption|]. rewrite Forall_forall in *. intros x Hx.
  apply filter_In in Hx as [Hx _]. now apply F.
Qed.

Lemma sorted_distinct {A : Type} (R : A -> A -> Prop) (l : list A) :
  (forall a, ~ R a a) -> StronglySorted R l -> NoDup l.
Proof.
  intros N. induction 1 as [|a l S IH F]; constructor; [|assumption].
  rewrite Forall_forall in F. intro H. exact (N a (F a H)).
Qed.

(* Two lists in order with the same numbers are the same. *)
Lemma sorted_same (l m : list Z) : StronglySorted Z.lt l -> StronglySorted Z.lt m ->
  (forall x, In x l <-> In x m) -> l = m.
Proof.
  intros Hl. revert m. induction Hl as [|a l Sl IH Fl]; intros m Hm H.
  - destruct m as [|b m]; [reflexivity|]. destruct (proj2 (H b)). now left.
  - destruct Hm as [|b m Sm Fm]; [destruct (proj1 (H a)); now left|].
    rewrite Forall_forall in Fl, Fm. assert (a = b).
    { destruct (proj1 (H a) (or_introl eq_refl)) as [E|Ia]; [now symmetry|].
      destruct (proj2 (H b) (or_introl eq_refl)) as [E|Ib]; [assumption|].
      specialize (Fl b Ib). specialize (Fm a Ia). lia. }
    subst b. f_equal. apply IH; [assumption|]. intro x. specialize (H x). cbn in H. split; intro I.
    + destruct (proj1 H (or_intror I)) as [->|?]; [|assumption]. specialize (Fl x I). lia.
    + destruct (proj2 H (or_intror I)) as [->|?]; [|assumption]. specialize (Fm x I). lia.
Qed.

(* ---- What comes ---------------------------------------------------------------------------- *)

Lemma arrivals_sorted F p r c t : StronglySorted before (arrivals F p r c t).
Proof.
  apply sorted_filter, sorted_pairs; [apply ranks_sorted|]. constructor; [apply ranks_sorted|].
  apply Forall_forall. intros j Hj. apply in_ranks in Hj. lia.
Qed.

Lemma arrivals_distinct F p r c t : NoDup (arrivals F p r c t).
Proof. apply (sorted_distinct before); [unfold before; lia|apply arrivals_sorted]. Qed.

(* Message j is got if its sender sends the chunk. *)
Definition got F p r c t j : bool := sends_j F (src_j F r t p j) c t p j.

(* What comes: the copy that is there, and each message that is got, from its sender. *)
Theorem arrives F p (OK : matched F p) r c t s j : 0 <= r < p -> 0 <= t < steps F p ->
  In (s, j) (arrivals F p r c t) <->
  s = r /\ j = -1 \/ 0 <= j < messages F t p /\ s = src_j F r t p j /\ got F p r c t j.
Proof.
  intros Hr Ht. unfold arrivals, got. rewrite filter_In, in_prod_iff, in_ranks.
  cbn [In comes]. rewrite in_ranks. split.
  - intros [[Hs Hj] H]. destruct (Z.eqb_spec j (-1)) as [->|Nj]; [left; lia|right].
    apply andb_true_iff in H as [D Sent]. apply Z.eqb_eq in D.
    destruct Hj as [Hj|Hj]; [lia|]. split; [assumption|].
    assert (B := src_of_dst F p OK s t j Hs Ht Hj). rewrite D in B. rewrite B. now split.
  - intros [[-> ->]|[Hj [-> G]]].
    + split; [|apply Z.eqb_refl]. auto.
    + assert (R := src_in_range F p OK r t j Hr Ht Hj). split; [auto|].
      destruct (Z.eqb_spec j (-1)); [lia|].
      now rewrite (dst_of_src F p OK r t j Hr Ht Hj), Z.eqb_refl, G.
Qed.

(* Whether the message comes that may bring q's contribution, and from whom. *)
Definition bringer (F : several) p q r c t : Z := src_j F r t p (who F q r c t p).
Definition came (F : several) p q r c t : bool :=
  let j := who F q r c t p in
  (0 <=? j) && (j <? messages F t p) && got F p r c t j.

Lemma came_got F p q r c t : came F p q r c t ->
  0 <= who F q r c t p < messages F t p /\ got F p r c t (who F q r c t p).
Proof. unfold came, is_true. rewrite !andb_true_iff, Z.leb_le, Z.ltb_lt. tauto. Qed.

Lemma got_came F p q r c t j : 0 <= j < messages F t p -> got F p r c t j -> who F q r c t p = j ->
  came F p q r c t.
Proof. unfold came, is_true. intros Hj G ->. rewrite !andb_true_iff, Z.leb_le, Z.ltb_lt. tauto. Qed.

(* The last of many that are all the same. *)
Lemma last_of {A M : Type} (f : A -> M) (l : list A) a own : In a l -> (forall b, In b l -> b = a) ->
  last (map f l) own = f a.
Proof.
  induction l as [|b l IH]; [easy|]. intros _ Only. cbn [map].
  destruct l as [|d l]; [cbn; f_equal; apply Only; now left|].
  change (last (map f (d :: l)) own = f a). apply IH; [|intros; apply Only; now right].
  left. apply Only. right. now left.
Qed.

Print Assumptions arrives.
