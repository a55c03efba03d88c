(* What the prover reads of a composition is what p ranks do: the proof of what points.v says. *)

From Coq Require Import ZArith List Bool Permutation Lia.
Require Import sums machine terms points.
Import ListNotations.
Local Open Scope Z_scope.

Section Sound.
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

Lemma meaning_nothing t r i : nothing t = true -> meaning t r i = zero.
Proof.
  destruct monoid as [_ _ unit].
  induction t; cbn; intros N; try discriminate; try reflexivity.
  - apply andb_true_iff in N as [A B]. rewrite IHt1, IHt2 by assumption. apply unit.
  - now rewrite IHt2.
  - apply andb_true_iff in N as [A B]. rewrite IHt2, IHt3 by assumption.
    now destruct (test _).
Qed.

Lemma total_nothing t i : nothing t = true -> total (fun q => meaning t q i) = zero.
Proof.
  intros N. rewrite (sum_ext _ _ (fun _ => zero)) by (intros; now apply meaning_nothing).
  now apply sum_zero.
Qed.

(* A point without a sum is its rest. *)
Lemma only_rest (a : point) r i : nothing (each a) = true -> sum_and_rest a r i = meaning (rest a) r i.
Proof.
  destruct monoid as [_ comm unit]. intros N. unfold sum_and_rest.
  rewrite total_nothing by assumption. rewrite comm. apply unit.
Qed.

(* Scaling passes through sums. *)
Lemma total_scale h c f : scale h c (total f) = total (fun q => scale h c (f q)).
Proof.
  induction (Z.to_nat p) as [|n IH]; cbn; [apply scale_zero|]. now rewrite scale_adds, IH.
Qed.

(* Who can be somewhere together with others. *)
Lemma lowest_own j k l : lowest j k = Some l -> l <> Partial -> j <> Partial /\ k <> Partial.
Proof. destruct j, k; cbn; intros [= <-]; repeat split; congruence. Qed.

Lemma lowest_of_own l k : lowest_of l = Some k -> k <> Partial -> forall j, In j l -> j <> Partial.
Proof.
  revert k. induction l as [|j l IH]; cbn; intros k E N i I; [contradiction|].
  destruct (lowest_of l) as [k'|]; [|discriminate].
  destruct (lowest_own _ _ _ E N) as [J K]. destruct I as [<-|I]; eauto.
Qed.

Lemma lowest_of_shard l k : lowest_of l = Some k -> In Shard l -> k = Shard.
Proof.
  revert k. induction l as [|j l IH]; cbn; intros k E I; [contradiction|].
  destruct (lowest_of l) as [k'|]; [|discriminate]. destruct I as [->|I].
  - destruct k'; now inversion E.
  - rewrite (IH k' eq_refl I) in E. destruct j; now inversion E.
Qed.

(* What steers a point is the same on all ranks, or there is no sum. *)
Lemma steers_cases (c : point) sums : steers c sums = true ->
  nothing (each c) = true /\ (place c <> Partial \/ sums = true).
Proof.
  unfold steers. intros S. apply andb_true_iff in S as [N S]. split; [assumption|].
  destruct (place c); [now right|now left|now left].
Qed.

Lemma scaled_value h (c a : point) r i : steers c (nothing (each a)) = true ->
  (place c <> Partial -> common (rest c)) ->
  scale h (sum_and_rest c r i) (sum_and_rest a r i) =
  op (total (fun q => scale h (meaning (rest c) q i) (meaning (each a) q i)))
     (scale h (meaning (rest c) r i) (meaning (rest a) r i)).
Proof.
  intros S C. apply steers_cases in S as [N S]. rewrite only_rest by assumption.
  unfold sum_and_rest. rewrite scale_adds, total_scale. f_equal. apply sum_ext. intros q _.
  destruct S as [S|S]; [now rewrite (C S r q i)|].
  now rewrite (meaning_nothing (each a)), !scale_zero.
Qed.

Lemma chosen_value (c a b : point) r i : steers c (nothing (each a) && nothing (each b)) = true ->
  (place c <> Partial -> common (rest c)) ->
  (if test (sum_and_rest c r i) then sum_and_rest a r i else sum_and_rest b r i) =
  op (total (fun q => if test (meaning (rest c) q i) then meaning (each a) q i
                      else meaning (each b) q i))
     (if test (meaning (rest c) r i) then meaning (rest a) r i else meaning (rest b) r i).
Proof.
  intros S C. apply steers_cases in S as [N S]. rewrite only_rest by assumption.
  unfold sum_and_rest. destruct S as [S|S].
  - rewrite (sum_ext _ (fun q => if test (meaning (rest c) q i) then _ else _)
      (fun q => if test (meaning (rest c) r i) then meaning (each a) q i
                else meaning (each b) q i)) by (intros q _; now rewrite (C S r q i)).
    now destruct (test _).
  - apply andb_true_iff in S as [A B].
    rewrite (sum_ext _ (fun q => if test (meaning (rest c) q i) then _ else _) (fun _ => zero)),
      (sum_zero monoid) by (intros q _;
        rewrite (meaning_nothing (each a)), (meaning_nothing (each b)) by assumption;
        now destruct (test _)).
    rewrite !total_nothing by assumption. now destruct (test _).
Qed.

Section Values.
Variables (env : list values) (points : list point).
Hypothesis so_far : Forall2 denotes env points.

(* The value of a number is what its point says. *)
Lemma value_of_number n a : nth_error points n = Some a -> denotes (nth n env nowhere) a.
Proof.
  revert n. induction so_far as [|x b env' points' D F IH]; intros [|n]; cbn; try discriminate.
  - now intros [= <-].
  - apply IH. assumption.
Qed.

Lemma on_rank n r : nth n (map (fun x : values => x r) env) (fun _ => None) = nth n env nowhere r.
Proof. apply (map_nth (fun x : values => x r) env nowhere n). Qed.

(* The arguments of a function, and the points of them. *)
Definition arguments (args : list nat) (l : list point) : Prop :=
  Forall2 (fun n a => denotes (nth n env nowhere) a) args l.

Lemma arguments_read args l : all_of (map (nth_error points) args) = Some l -> arguments args l.
Proof.
  revert l. induction args as [|n args IH]; cbn; intros l E.
  - injection E as <-. constructor.
  - destruct (nth_error points n) as [a|] eqn:A; [|discriminate].
    destruct (all_of _) as [l'|]; [|discriminate]. injection E as <-.
    constructor; [now apply value_of_number|now apply IH].
Qed.

(* A rank has all of them where it is the owner, or where they are no shards. *)
Lemma arguments_present args (l : list point) k r i : arguments args l -> lowest_of (map place l) = Some k ->
  rank r ->
  forallb (fun n => is_some (nth n (map (fun x => x r) env) (fun _ => None) i)) args =
  match k with Shard => owner i =? r | _ => true end.
Proof.
  intros A E Hr. revert k E. induction A as [|n a args l [D _] A IH]; cbn; intros k E.
  - now injection E as <-.
  - destruct (lowest_of (map place l)) as [j|]; [|discriminate]. rewrite (IH j eq_refl), on_rank, (D r Hr i).
    unfold seen. destruct (place a), j; inversion E; subst; cbn;
      destruct (owner i =? r); reflexivity.
Qed.

Lemma forall2_map {A B C D} (R : C -> D -> Prop) (S : A -> B -> Prop) f g l m :
  Forall2 S l m -> (forall a b, In b m -> S a b -> R (f a) (g b)) -> Forall2 R (map f l) (map g m).
Proof.
  intros F. induction F as [|a b l m H F IH]; intros Each; cbn; constructor.
  - apply Each; [now left|assumption].
  - apply IH. intros c d I. apply Each. now right.
Qed.

Lemma forall2_self {A B C} (R : B -> C -> Prop) (f : A -> B) (g : A -> C) l :
  (forall a, In a l -> R (f a) (g a)) -> Forall2 R (map f l) (map g l).
Proof.
  induction l as [|a l IH]; intros Each; cbn; constructor.
  - apply Each. now left.
  - apply IH. intros b I. apply Each. now right.
Qed.

(* All that a function sees is the same on all ranks, if nothing of it is a rank's own. *)
Lemma arguments_common args l : arguments args l -> (forall a, In a l -> place a <> Partial) ->
  forall a, In a l -> common (rest a).
Proof.
  intros A None. induction A as [|n a args l [_ C] A IH]; intros b I; [contradiction|].
  destruct I as [<-|I]; [apply C, None; now left|].
  apply IH; [|assumption]. intros c Ic. apply None. now right.
Qed.

Lemma none_own (l : list point) k : lowest_of (map place l) = Some k -> k <> Partial ->
  forall a, In a l -> place a <> Partial.
Proof. intros E N a I. apply (lowest_of_own _ _ E N). now apply in_map. Qed.

Lemma whole_denotes f args l k x : arguments args l -> lowest_of (map place l) = Some k ->
  (forall r, rank r -> forall i, x r i = locally (Whole f args) (map (fun x => x r) env) i) ->
  denotes x {| place := k; each := Nothing;
               rest := Of_whole k f (map (fun a => (place a, each a, rest a)) l) |}.
Proof.
  intros A E X. split; cbn [place rest].
  - intros r Hr i. rewrite X by assumption. unfold locally.
    assert (Same : forall s, s = r ->
      apply f (map (fun n => nth n (map (fun x => x r) env) (fun _ => None)) args) i =
      apply f (map (fun a => match a with (k, e, t) => seen k s (fun j =>
        Some (op (total (fun q => meaning e q j)) (meaning t s j))) end)
        (map (fun a => (place a, each a, rest a)) l)) i).
    { intros s ->. rewrite map_map. apply same_arguments. eapply forall2_map; [exact A|].
      intros n a _ [D _] j. rewrite on_rank. now apply D. }
    rewrite (arguments_present args l k r i A E Hr).
    unfold seen at 1. rewrite only_rest by reflexivity. cbn [rest meaning].
    destruct k; cbn [place]; [|destruct (Z.eqb_spec (owner i) r) as [O|]; [|reflexivity]|];
      f_equal; [apply (Same r)|apply (Same (owner i))|apply (Same r)]; auto.
  - intros N r s i. cbn [meaning]. destruct k; [contradiction|reflexivity|].
    rewrite !map_map. apply same_arguments, forall2_self. intros a I j. unfold seen.
    assert (C := arguments_common args l A (none_own l _ E N) a I). rewrite (C r s j).
    destruct (place a) eqn:P; try reflexivity. assert (S : In Shard (map place l)) by
      (rewrite <- P; now apply in_map). now apply lowest_of_shard with (1 := E) in S.
Qed.

Lemma block_denotes f args l k x : arguments args l -> lowest_of (map place l) = Some k ->
  (forall r, rank r -> forall i, x r i = locally (By_block f args) (map (fun x => x r) env) i) ->
  denotes x {| place := k; each := Nothing; rest := Of_block f (map (fun a => (each a, rest a)) l) |}.
Proof.
  intros A E X. split; cbn [place rest].
  - intros r Hr i. rewrite X by assumption. unfold locally.
    rewrite (arguments_present args l k r i A E Hr).
    unfold seen. rewrite only_rest by reflexivity. cbn [place rest meaning].
    assert (Same : (k = Shard -> owner i = r) ->
      apply f (map (fun n => block i (nth n (map (fun x => x r) env) (fun _ => None))) args) i =
      apply f (map (fun a => match a with (e, t) => block i (fun j =>
        Some (op (total (fun q => meaning e q j)) (meaning t r j))) end)
        (map (fun a => (each a, rest a)) l)) i).
    { intros Own. rewrite map_map. apply same_arguments. eapply forall2_map; [exact A|].
      intros n a I [D _] j. unfold block. destruct (Z.eqb_spec (owner j) (owner i)) as [O|]; [|reflexivity].
      rewrite on_rank, (D r Hr j). unfold seen. destruct (place a) eqn:P; try reflexivity.
      rewrite O, Own, Z.eqb_refl; [reflexivity|].
      apply (lowest_of_shard _ _ E). rewrite <- P. now apply in_map. }
    destruct k; [|destruct (Z.eqb_spec (owner i) r) as [O|]; [|reflexivity]|];
      f_equal; apply Same; easy.
  - intros N r s i. cbn [meaning]. rewrite !map_map. apply same_arguments, forall2_self.
    intros a I j. unfold block.
    assert (C := arguments_common args l A (none_own l _ E N) a I). now rewrite (C r s j).
Qed.

(* One operation. *)
Lemma read_is_sound o a x : read points o = Some a -> does env o x -> denotes x a.
Proof.
  destruct monoid as [assoc comm unit].
  destruct o as [o|e n].
  - cbn [read does]. intros E X. destruct o as [v|n m|h c n|c n m|f args|f args];
      cbn [read_local] in E.
    + injection E as <-. split; [|now intros _ r s i]. intros r Hr i. rewrite X by assumption.
      cbn. rewrite only_rest; reflexivity.
    + destruct (nth_error points n) as [b|] eqn:B; [|discriminate].
      destruct (nth_error points m) as [c|] eqn:C; [|discriminate].
      apply value_of_number in B as [B SB], C as [C SC].
      destruct (lowest (place b) (place c)) as [k|] eqn:L; [|discriminate]. injection E as <-.
      split; cbn [place rest].
      * intros r Hr i. rewrite X by assumption. cbn [locally]. rewrite !on_rank, B, C by assumption.
        assert (V : op (sum_and_rest b r i) (sum_and_rest c r i) =
          sum_and_rest {| place := k; each := Plus (each b) (each c);
                          rest := Plus (rest b) (rest c) |} r i).
        { unfold sum_and_rest. cbn [each rest meaning]. rewrite <- (sum_op monoid), <- !assoc. f_equal.
          rewrite !assoc. f_equal. apply comm. }
        unfold seen. rewrite <- V.
        destruct (place b), (place c); inversion L; subst; cbn; now destruct (owner i =? r).
      * intros N r s i. destruct (lowest_own _ _ _ L N) as [NB NC]. cbn.
        now rewrite (SB NB r s i), (SC NC r s i).
    + destruct (nth_error points c) as [b|] eqn:B; [|discriminate].
      destruct (nth_error points n) as [d|] eqn:C; [|discriminate].
      apply value_of_number in B as [B SB], C as [C SC].
      destruct (steers b _) eqn:S; [|discriminate].
      destruct (lowest (place b) (place d)) as [k|] eqn:L; [|discriminate]. injection E as <-.
      split; cbn [place rest].
      * intros r Hr i. rewrite X by assumption. cbn [locally]. rewrite !on_rank, B, C by assumption.
        assert (V : scale h (sum_and_rest b r i) (sum_and_rest d r i) =
          sum_and_rest {| place := k; each := Scaled h (rest b) (each d);
                          rest := Scaled h (rest b) (rest d) |} r i) by
          exact (scaled_value h b d r i S SB).
        unfold seen. rewrite <- V.
        destruct (place b), (place d); inversion L; subst; cbn; now destruct (owner i =? r).
      * intros N r s i. destruct (lowest_own _ _ _ L N) as [NB NC]. cbn.
        now rewrite (SB NB r s i), (SC NC r s i).
    + destruct (nth_error points c) as [b|] eqn:B; [|discriminate].
      destruct (nth_error points n) as [d|] eqn:C; [|discriminate].
      destruct (nth_error points m) as [e|] eqn:D; [|discriminate].
      apply value_of_number in B as [B SB], C as [C SC], D as [D SD].
      destruct (steers b _) eqn:S; [|discriminate].
      destruct (lowest_of _) as [k|] eqn:L; [|discriminate]. injection E as <-.
      split; cbn [place rest].
      * intros r Hr i. rewrite X by assumption. cbn [locally].
        rewrite !on_rank, B, C, D by assumption.
        assert (V : (if test (sum_and_rest b r i) then sum_and_rest d r i else sum_and_rest e r i) =
          sum_and_rest {| place := k; each := Chosen (rest b) (each d) (each e);
                          rest := Chosen (rest b) (rest d) (rest e) |} r i) by
          exact (chosen_value b d e r i S SB).
        unfold seen. rewrite <- V.
        destruct (place b), (place d), (place e); inversion L; subst; cbn;
          now destruct (owner i =? r).
      * intros N r s i. assert (O := lowest_of_own _ _ L N). cbn in O. cbn.
        rewrite (SB (O _ (or_introl eq_refl)) r s i),
          (SC (O _ (or_intror (or_introl eq_refl))) r s i),
          (SD (O _ (or_intror (or_intror (or_introl eq_refl)))) r s i). reflexivity.
    + unfold read_args in E. destruct (all_of _) as [l|] eqn:A; [|discriminate].
      destruct (lowest_of _) as [k|] eqn:L; [|discriminate]. injection E as <-.
      apply (block_denotes f args); auto. now apply arguments_read.
    + unfold read_args in E. destruct (all_of _) as [l|] eqn:A; [|discriminate].
      destruct (lowest_of _) as [k|] eqn:L; [|discriminate]. injection E as <-.
      apply (whole_denotes f args); auto. now apply arguments_read.
  - cbn [read does]. destruct (nth_error points n) as [b|] eqn:B; [|discriminate].
    apply value_of_number in B as [B SB]. intros E X.
    assert (Each : place b = Partial -> nothing (each b) = true -> forall i q, rank q ->
      nth n env nowhere q i = Some (meaning (rest b) q i)).
    { intros P N i q Hq. rewrite B by assumption. rewrite P. cbn. now rewrite only_rest. }
    unfold read_exchange in E. destruct e, (place b) eqn:P; try discriminate;
      try (destruct (nothing (each b)) eqn:N; [|discriminate]); injection E as <-;
      (split; cbn [place rest]; [|intros _; first [now intros r s i|now apply SB]]).
    + intros r Hr i. specialize (X i (fun q => meaning (rest b) q i) (Each eq_refl eq_refl i) r Hr).
      unfold seen. destruct (owner i =? r); [|assumption].
      destruct X as [v [Add ->]]. apply (any_order M op zero p monoid) in Add as ->. unfold sum_and_rest. cbn.
      now rewrite unit.
    + intros r Hr i. cbn. apply (X i); [|assumption].
      rewrite B by apply owner_is_a_rank. cbn. rewrite Z.eqb_refl. f_equal. unfold sum_and_rest.
      cbn. now rewrite (SB ltac:(discriminate) (owner i) r i).
    + intros r Hr i. destruct (X i (fun q => meaning (rest b) q i) (Each eq_refl eq_refl i) r Hr)
        as [v [Add ->]]. apply (any_order M op zero p monoid) in Add as ->. unfold seen, sum_and_rest. cbn.
      now rewrite unit.
Qed.

End Values.

(* If the program can be read, each value of a run is what its point says. *)
Theorem point_reading_is_sound program : forall env points env' points',
  Forall2 denotes env points -> reading program points = Some points' ->
  run program env env' -> Forall2 denotes env' points'.
Proof.
  induction program as [|o program IH]; cbn; intros env points env' points' D E R.
  - injection E as <-. now rewrite R.
  - destruct (read points o) as [a|] eqn:A; [|discriminate]. destruct R as [x [X R]].
    apply (IH (env ++ [x]) (points ++ [a])); try assumption.
    apply Forall2_app; [assumption|]. constructor; [|constructor].
    now apply (read_is_sound env points D o).
Qed.

End Sound.

Print Assumptions point_reading_is_sound.
