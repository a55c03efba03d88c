(* What a regular page says, and what it does.

   A page is a family of formulas over the integers.  The machine [val] sends what they say, step
   by step.

   Letters: p ranks, r and s ranks, t step, c chunk, q the rank whose contribution is meant.
   All count from 0. *)

From Coq Require Import ZArith List FinFun Bool Lia.
Local Open Scope Z_scope.
Local Coercion Z.of_nat : nat >-> Z.

(* ---- What a page says -------------------------------------------------------------------- *)

Record family := {
  steps  : Z -> Z;                          (* p          how many steps there are *)
  chunks : Z -> Z;                          (* p          how many chunks there are *)
  dst    : Z -> Z -> Z -> Z;                (* r t p      to whom rank r sends in step t *)
  src    : Z -> Z -> Z -> Z;                (* r t p      from whom rank r receives *)
  sends  : Z -> Z -> Z -> Z -> bool;        (* s c t p    s sends chunk c: chunk s t p = c *)
  adds   : Z -> Z -> bool;                  (* t p        the receiver adds, else overwrites *)
  holds  : Z -> Z -> Z -> Z -> Z -> bool;   (* q r c t p  after t steps r's copy of c has q's *)
  live   : Z -> Z -> Z -> Z -> bool;        (* r c t p    the page vouches for this cell *)
  start  : Z -> Z -> Z -> Z -> bool;        (* q r c p    r's first copy of c contains q's *)
  goal   : Z -> Z -> Z -> Z -> bool;        (* q r c p    r's last copy of c has to *)
  wanted : Z -> Z -> Z -> bool              (* r c p      the kind makes a promise here *)
}.

(* What the kinds of collectives promise, whatever the page: [start], [goal] and [wanted]. *)
Definition promise : Type := (Z -> Z -> Z -> Z -> bool) * (Z -> Z -> Z -> Z -> bool) * (Z -> Z -> Z -> bool).
Definition of_allreduce : promise := (fun q r c p => q =? r, fun q r c p => true, fun r c p => true).
Definition of_reduce_scatter : promise := (fun q r c p => q =? r, fun q r c p => true, fun r c p => r =? c).
Definition of_allgather : promise :=
  (fun q r c p => (q =? r) && (r =? c), fun q r c p => q =? c, fun r c p => true).
Definition promises (F : family) : promise := (start F, goal F, wanted F).

(* ---- What a page does -------------------------------------------------------------------- *)

(* 0, 1, ..., p - 1 *)
Definition ranks (p : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat p)).

(* Rank r's copy of chunk c after t steps, over any values with an operation [op].  In a step
   every rank s sends its copies from before the step, and what is addressed to r arrives at r.
   The machine knows nothing of [src], [holds], [live], [start], [goal] and [wanted]. *)
Fixpoint val (F : family) (p : Z) {M : Type} (op : M -> M -> M) (initial : Z -> Z -> M)
    (t : nat) (r c : Z) : M :=
  match t with
  | O => initial r c
  | S t =>
      let arrive own s :=
        if (dst F s t p =? r) && sends F s c t p
        then if adds F t p
             then op (val F p op initial t s c) own
             else val F p op initial t s c
        else own in
      fold_left arrive (ranks p) (val F p op initial t r c)
  end.

(* The copy after the last step. *)
Definition final F p {M : Type} (op : M -> M -> M) initial : Z -> Z -> M :=
  val F p op initial (Z.to_nat (steps F p)).

(* ---- What the kernel asks: the schedule -------------------------------------------------- *)

(* Sends and receives match: whoever rank r listens to sends to r, and nobody else does. *)
Record matched (F : family) (p : Z) : Prop := {
  steps_nonneg : 0 <= steps F p;
  src_in_range : forall r t, 0 <= r < p -> 0 <= t < steps F p -> 0 <= src F r t p < p;
  dst_of_src : forall r t, 0 <= r < p -> 0 <= t < steps F p -> dst F (src F r t p) t p = r;
  src_of_dst : forall r t, 0 <= r < p -> 0 <= t < steps F p -> src F (dst F r t p) t p = r
}.

(* A number is in the list of ranks exactly when it is in range. *)
Lemma in_ranks (p s : Z) : In s (ranks p) <-> 0 <= s < p.
Proof.
  unfold ranks. rewrite in_map_iff. split.
  - intros [n [<- Hn]]. apply in_seq in Hn. lia.
  - intros Hs. exists (Z.to_nat s). rewrite in_seq. lia.
Qed.

(* No rank is listed twice. *)
Lemma ranks_distinct (p : Z) : NoDup (ranks p).
Proof.
  apply Injective_map_NoDup; [|apply seq_NoDup].
  intros m n H. lia.
Qed.

(* Folding a function that leaves the value alone at every element changes nothing. *)
Lemma fold_none {A B : Type} (f : A -> B -> A) (l : list B) :
  (forall b v, In b l -> f v b = v) -> forall v, fold_left f l v = v.
Proof.
  induction l as [|b l IH]; intros none v; cbn; [reflexivity|].
  rewrite none by now left. apply IH. intros; apply none; now right.
Qed.

(* Folding a function that acts at one element only acts once. *)
Lemma fold_one {A B : Type} (f : A -> B -> A) (l : list B) (b0 : B) :
  NoDup l -> In b0 l -> (forall b v, In b l -> b <> b0 -> f v b = v) ->
  forall v, fold_left f l v = f v b0.
Proof.
  induction l as [|b l IH]; intros distinct here others v; [contradiction|].
  inversion distinct as [|? ? absent distinct']; subst. cbn. destruct here as [->|here].
  - apply fold_none. intros b v' Hb. apply others; [now right|]. intros ->; contradiction.
  - rewrite others by (try (intros ->; contradiction); now left).
    apply IH; auto. intros; apply others; auto; now right.
Qed.

(* In a matched schedule exactly one message arrives at r in a step: the one from [src]. *)
Theorem val_step F p (OK : matched F p) {M : Type} (op : M -> M -> M) initial (t : nat) r c :
  0 <= r < p -> 0 <= t < steps F p ->
  val F p op initial (S t) r c =
    let s := src F r t p in
    if sends F s c t p
    then if adds F t p
         then op (val F p op initial t s c) (val F p op initial t r c)
         else val F p op initial t s c
    else val F p op initial t r c.
Proof.
  intros Hr Ht. cbn [val].
  rewrite (fold_one _ _ (src F r t p)).
  - rewrite (dst_of_src F p OK r t Hr Ht), Z.eqb_refl. reflexivity.
  - apply ranks_distinct.
  - apply in_ranks, src_in_range; assumption.
  - intros s own Hs Hne. apply in_ranks in Hs.
    destruct (Z.eqb_spec (dst F s t p) r) as [Hd|_]; [|reflexivity].
    exfalso. apply Hne. rewrite <- Hd. symmetry. now apply src_of_dst.
Qed.

Print Assumptions val_step.
