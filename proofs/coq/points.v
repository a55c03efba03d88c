(* Why what the prover reads of a composition, at one point, is what p ranks do.

   A composition is one rank's program: local code between exchanges.  p ranks run it in lock step
   ([run]); a rank reads its own values only, and an exchange brings what its page promises.  The
   prover reads the same program once, at a point: one index of a vector, on any rank ([reading]).
   A point has a placement, and its value is the sum of [each] over all ranks, plus [rest]:

       partial    every rank has a value of its own;      [rest] is in its own letters
       shard      the owner of the index has it alone;    [rest] is in letters that all ranks share
       replicate  all ranks have the same;                [rest] is in letters that all ranks share

   For every number of ranks, every owner of each index, every order and bracketing of sums, in
   every commutative monoid:

   - [point_reading_is_sound]: if the program can be read, then of every run each value is what its
     point says;
   - [agreement]: a result that is replicate is the same on all ranks;
   - [same_result]: two results whose points are equal whatever the letters stand for are equal;
   - [conservation]: if at one rank, whatever the letters stand for, result + kept = given, then so
     it is of the result and the sums over all ranks.

   In it: addition; scaling by a value that all ranks share, or by anything where there is no sum
   (constants, a sign, products in a ring); selection by a condition, likewise; local functions of
   which no more is known than that they are functions; reduce-scatter, allgather, allreduce.  A
   condition is a value that [test] reads.  A function may see its arguments whole, as far as its
   rank has them, or block by block: at an index only entries with the same owner.

   Not in it: branches and loops (a program is a list of operations; a branch on a replicate
   condition is two programs, a loop as many as it has lengths); groups of ranks, alltoall, links
   that lose, ranks that fail; that ranks call the same exchange in the same order (there is one
   list); sizes, encodings and costs; several calls (what is kept is an input of the next call);
   local functions that read a rank's number, a clock or chance, unless it is an argument;
   floating-point addition, which is no monoid.  That exchanges keep their promises is [exactly_once]
   of schedule.v; that solvers are right, and that the prover in Python follows these rules, is not
   proved here. *)

From Coq Require Import ZArith List Bool Permutation Lia.
Require Import sums machine terms.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- Programs ---------------------------------------------------------------------------- *)

Section Programs.
Variables M linear function : Type.

(* What an operation reads are numbers of earlier values, inputs first. *)
Inductive local :=
  | Constant (v : M)
  | Add (a b : nat)
  | Scale (h : linear) (c a : nat)             (* a, scaled by c *)
  | Where (c a b : nat)                        (* a where c holds, else b *)
  | By_block (f : function) (args : list nat)  (* sees entries of the same owner *)
  | Whole (f : function) (args : list nat).    (* sees all that the rank has *)

Inductive exchange := Reduce_scatter | Allgather | Allreduce.

Inductive operation :=
  | Local (o : local)
  | Exchange (e : exchange) (a : nat).

(* ---- Points ------------------------------------------------------------------------------ *)

Inductive placement := Partial | Shard | Replicate.

(* Formulas over letters.  What a function returns is a letter, the same one for the same arguments;
   of what is seen whole, where the arguments are is a part of them. *)
Inductive formula :=
  | Nothing
  | Number (v : M)
  | Own (x : nat)     (* an input that each rank has for itself *)
  | Shared (x : nat)  (* an input that all ranks have, or the owner of the index alone *)
  | Plus (a b : formula)
  | Scaled (h : linear) (c a : formula)
  | Chosen (c a b : formula)
  | Of_block (f : function) (args : list (formula * formula))
  | Of_whole (k : placement) (f : function) (args : list (placement * formula * formula)).

Record point := { place : placement; each : formula; rest : formula }.

(* Nothing, whatever the letters stand for. *)
Fixpoint nothing (t : formula) : bool :=
  match t with
  | Nothing => true
  | Plus a b | Chosen _ a b => nothing a && nothing b
  | Scaled _ _ a => nothing a
  | _ => false
  end.

(* Where values at both places are: a shard and a rank's own are nowhere together. *)
Definition lowest (j k : placement) : option placement :=
  match j, k with
  | Replicate, x | x, Replicate => Some x
  | Partial, Partial => Some Partial
  | Shard, Shard => Some Shard
  | _, _ => None
  end.

Fixpoint lowest_of (l : list placement) : option placement :=
  match l with
  | [] => Some Replicate
  | k :: l => match lowest_of l with Some j => lowest k j | None => None end
  end.

(* Sums may be scaled or selected by what is no sum, and by no rank's own. *)
Definition steers (c : point) (sums : bool) : bool :=
  nothing (each c) && match place c with Partial => sums | _ => true end.

Fixpoint all_of {A} (l : list (option A)) : option (list A) :=
  match l with
  | [] => Some []
  | Some x :: l => option_map (cons x) (all_of l)
  | None :: _ => None
  end.

Definition at_place (k : option placement) (e t : formula) : option point :=
  option_map (fun k => {| place := k; each := e; rest := t |}) k.

Definition read_args (env : list point) (args : list nat)
    (t : placement -> list point -> formula) : option point :=
  match all_of (map (nth_error env) args) with
  | Some l => match lowest_of (map place l) with
              | Some k => Some {| place := k; each := Nothing; rest := t k l |}
              | None => None
              end
  | None => None
  end.

Definition read_local (env : list point) (o : local) : option point :=
  match o with
  | Constant v => Some {| place := Replicate; each := Nothing; rest := Number v |}
  | Add a b =>
      match nth_error env a, nth_error env b with
      | Some a, Some b =>
          at_place (lowest (place a) (place b)) (Plus (each a) (each b)) (Plus (rest a) (rest b))
      | _, _ => None
      end
  | Scale h c a =>
      match nth_error env c, nth_error env a with
      | Some c, Some a =>
          if steers c (nothing (each a))
          then at_place (lowest (place c) (place a))
                 (Scaled h (rest c) (each a)) (Scaled h (rest c) (rest a))
          else None
      | _, _ => None
      end
  | Where c a b =>
      match nth_error env c, nth_error env a, nth_error env b with
      | Some c, Some a, Some b =>
          if steers c (nothing (each a) && nothing (each b))
          then at_place (lowest_of [place c; place a; place b])
                 (Chosen (rest c) (each a) (each b)) (Chosen (rest c) (rest a) (rest b))
          else None
      | _, _, _ => None
      end
  | By_block f args =>
      read_args env args (fun _ l => Of_block f (map (fun a => (each a, rest a)) l))
  | Whole f args =>
      read_args env args (fun k l => Of_whole k f (map (fun a => (place a, each a, rest a)) l))
  end.

(* What an exchange promises, at a point: the theorem of its page. *)
Definition read_exchange (e : exchange) (a : point) : option point :=
  match e, place a with
  | Reduce_scatter, Partial =>
      if nothing (each a) then Some {| place := Shard; each := rest a; rest := Nothing |} else None
  | Allreduce, Partial =>
      if nothing (each a) then Some {| place := Replicate; each := rest a; rest := Nothing |} else None
  | Allgather, Shard => Some {| place := Replicate; each := each a; rest := rest a |}
  | _, _ => None
  end.

Definition read (env : list point) (o : operation) : option point :=
  match o with
  | Local o => read_local env o
  | Exchange e a => match nth_error env a with Some a => read_exchange e a | None => None end
  end.

(* The points of all values, or a refusal. *)
Fixpoint reading (program : list operation) (env : list point) : option (list point) :=
  match program with
  | [] => Some env
  | o :: program => match read env o with
                    | Some a => reading program (env ++ [a])
                    | None => None
                    end
  end.

(* ---- What p ranks do --------------------------------------------------------------------- *)

Section Ranks.
Variables (op : M -> M -> M) (zero : M).
Variable scale : linear -> M -> M -> M.
Variable test : M -> bool.
Variable index : Type.
Variable p : Z.
Variable owner : index -> Z.

(* A vector, as far as a rank has it; and what each rank has. *)
Definition vector : Type := index -> option M.
Definition values : Type := Z -> vector.
Definition nowhere : values := fun _ _ => None.

(* What a local function makes of vectors at an index. *)
Variable apply : function -> list vector -> index -> M.

Local Notation rank r := (0 <= r < p) (only parsing).

Definition is_some {A} (x : option A) : bool := match x with Some _ => true | None => false end.

(* The entries around an index that have its owner. *)
Definition block (i : index) (v : vector) : vector :=
  fun j => if owner j =? owner i then v j else None.

(* What one rank computes of what it has. *)
Definition locally (o : local) (has : list vector) : vector :=
  let v n := nth n has (fun _ => None) in
  fun i =>
  match o with
  | Constant x => Some x
  | Add a b => match v a i, v b i with Some x, Some y => Some (op x y) | _, _ => None end
  | Scale h c a => match v c i, v a i with Some x, Some y => Some (scale h x y) | _, _ => None end
  | Where c a b => match v c i, v a i, v b i with
                   | Some z, Some x, Some y => Some (if test z then x else y)
                   | _, _, _ => None
                   end
  | By_block f args =>
      if forallb (fun n => is_some (v n i)) args
      then Some (apply f (map (fun n => block i (v n)) args) i) else None
  | Whole f args =>
      if forallb (fun n => is_some (v n i)) args then Some (apply f (map v args) i) else None
  end.

(* Which ranks' values a term of terms.v adds. *)
Fixpoint leaves (a : terms.term) : list Z :=
  match a with
  | Leaf r _ => [r]
  | terms.Plus a b => leaves a ++ leaves b
  end.

(* The values of all ranks, each once, added in some order. *)
Definition added (f : Z -> M) (v : M) : Prop :=
  exists a, Permutation (leaves a) (ranks p) /\ v = value op (fun q _ => f q) a.

(* What exchanges promise, where they are given what they ask for. *)
Definition promised (e : exchange) (x y : values) : Prop :=
  match e with
  | Reduce_scatter => forall i f, (forall q, rank q -> x q i = Some (f q)) ->
      forall r, rank r ->
      if owner i =? r then exists v, added f v /\ y r i = Some v else y r i = None
  | Allreduce => forall i f, (forall q, rank q -> x q i = Some (f q)) ->
      forall r, rank r -> exists v, added f v /\ y r i = Some v
  | Allgather => forall i v, x (owner i) i = Some v -> forall r, rank r -> y r i = Some v
  end.

Definition does (env : list values) (o : operation) (y : values) : Prop :=
  match o with
  | Local o => forall r, rank r -> forall i, y r i = locally o (map (fun x => x r) env) i
  | Exchange e a => promised e (nth a env nowhere) y
  end.

(* All ranks run the program, and come from the values [env] to the values [env']. *)
Fixpoint run (program : list operation) (env env' : list values) : Prop :=
  match program with
  | [] => env' = env
  | o :: program => exists y, does env o y /\ run program (env ++ [y]) env'
  end.

(* ---- What a point says ------------------------------------------------------------------- *)

Variables (own : nat -> Z -> index -> M) (shared : nat -> index -> M).

Local Notation total f := (sum op zero (Z.to_nat p) f).

(* What a rank sees of values at a place. *)
Definition seen (k : placement) (r : Z) (v : vector) : vector :=
  fun i => match k with
           | Shard => if owner i =? r then v i else None
           | _ => v i
           end.

(* What a formula stands for, in the letters of rank r. *)
Fixpoint meaning (t : formula) (r : Z) (i : index) : M :=
  match t with
  | Nothing => zero
  | Number v => v
  | Own x => own x r i
  | Shared x => shared x i
  | Plus a b => op (meaning a r i) (meaning b r i)
  | Scaled h c a => scale h (meaning c r i) (meaning a r i)
  | Chosen c a b => if test (meaning c r i) then meaning a r i else meaning b r i
  | Of_block f args =>
      apply f (map (fun a => match a with (e, t) => block i (fun j =>
        Some (op (total (fun q => meaning e q j)) (meaning t r j))) end) args) i
  | Of_whole k f args =>
      let s := match k with Shard => owner i | _ => r end in
      apply f (map (fun a => match a with (k, e, t) => seen k s (fun j =>
        Some (op (total (fun q => meaning e q j)) (meaning t s j))) end) args) i
  end.

(* The value of a point on rank r. *)
Definition sum_and_rest (a : point) (r : Z) (i : index) : M :=
  op (total (fun q => meaning (each a) q i)) (meaning (rest a) r i).

Definition common (t : formula) : Prop := forall r s i, meaning t r i = meaning t s i.

(* The values are what the point says. *)
Definition denotes (x : values) (a : point) : Prop :=
  (forall r, rank r -> forall i, x r i = seen (place a) r (fun i => Some (sum_and_rest a r i)) i) /\
  (place a <> Partial -> common (rest a)).

(* ---- It is sound ------------------------------------------------------------------------- *)

Hypothesis monoid : commutative_monoid op zero.
Hypothesis scale_adds : forall h c a b, scale h c (op a b) = op (scale h c a) (scale h c b).
Hypothesis scale_zero : forall h c, scale h c zero = zero.
Hypothesis owner_is_a_rank : forall i, rank (owner i).
(* Functions: of the same entries they make the same. *)
Hypothesis same_arguments : forall f l m i,
  Forall2 (fun v w : vector => forall j, v j = w j) l m -> apply f l i = apply f m i.

(* The order of a sum is nothing to its value. *)
Lemma sum_listed (f : Z -> M) (n : nat) :
  sum op zero n f = fold_right (fun q v => op (f q) v) zero (map Z.of_nat (seq 0 n)).
Proof.
  destruct monoid as [assoc comm unit].
  induction n as [|n IH]; [reflexivity|]. rewrite seq_S, map_app, fold_right_app. cbn -[Z.of_nat].
  rewrite IH. generalize (map Z.of_nat (seq 0 n)) as l.
  induction l as [|q l IHl]; cbn -[Z.of_nat].
  - apply comm.
  - now rewrite <- assoc, IHl.
Qed.

Lemma leaves_listed (f : Z -> M) a :
  value op (fun q _ => f q) a = fold_right (fun q v => op (f q) v) zero (leaves a).
Proof.
  destruct monoid as [assoc comm unit].
  induction a as [q c|a IHa b IHb]; cbn.
  - symmetry. apply unit.
  - rewrite fold_right_app, <- IHb, IHa. clear IHa.
    generalize (value op (fun q _ => f q) b) as w.
    induction (leaves a) as [|q l IHl]; intros w; cbn.
    + rewrite comm. apply unit.
    + now rewrite <- assoc, IHl.
Qed.

Theorem any_order f v : added f v -> v = total f.
Proof.
  destruct monoid as [assoc comm unit]. intros [a [P ->]].
  rewrite leaves_listed, sum_listed. fold (ranks p).
  induction P as [|q l m P IH|q s l|l m n P IHl Q IHm]; cbn.
  - reflexivity.
  - now rewrite IH.
  - rewrite !assoc. f_equal. apply comm.
  - now rewrite IHl.
Qed.

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
Lemma only_rest a r i : nothing (each a) = true -> sum_and_rest a r i = meaning (rest a) r i.
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
Lemma steers_cases c sums : steers c sums = true ->
  nothing (each c) = true /\ (place c <> Partial \/ sums = true).
Proof.
  unfold steers. intros S. apply andb_true_iff in S as [N S]. split; [assumption|].
  destruct (place c); [now right|now left|now left].
Qed.

Lemma scaled_value h c a r i : steers c (nothing (each a)) = true ->
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

Lemma chosen_value c a b r i : steers c (nothing (each a) && nothing (each b)) = true ->
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
Lemma arguments_present args l k r i : arguments args l -> lowest_of (map place l) = Some k ->
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

Lemma none_own l k : lowest_of (map place l) = Some k -> k <> Partial ->
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
      destruct X as [v [Add ->]]. apply any_order in Add as ->. unfold sum_and_rest. cbn.
      now rewrite unit.
    + intros r Hr i. cbn. apply (X i); [|assumption].
      rewrite B by apply owner_is_a_rank. cbn. rewrite Z.eqb_refl. f_equal. unfold sum_and_rest.
      cbn. now rewrite (SB ltac:(discriminate) (owner i) r i).
    + intros r Hr i. destruct (X i (fun q => meaning (rest b) q i) (Each eq_refl eq_refl i) r Hr)
        as [v [Add ->]]. apply any_order in Add as ->. unfold seen, sum_and_rest. cbn.
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
  apply value_of_number.
  now apply (point_reading_is_sound program inputs letters env points).
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
  split; [now rewrite E|]. rewrite leaves_listed, E. apply sum_listed.
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
Theorem refusals : Forall (fun program =>
    reading program [{| place := Partial; each := Nothing; rest := Own 0 |}] = None) [
  [Exchange Allgather 0];
  [Exchange Reduce_scatter 0; Exchange Reduce_scatter 1];
  [Exchange Allreduce 0; Local (By_block reached [0]); Local (Where 2 1 1)];
  [Exchange Reduce_scatter 0; Local (By_block stays [1]); Local (Where 2 0 0)];
  [Exchange Allreduce 0; Exchange Allreduce 1]]%nat.
Proof. repeat constructor. Qed.

End Oktopk.
End Ranks.
End Programs.

Arguments Exchange {M linear function}.
Arguments Local {M linear function}.
Arguments Whole {M linear function}.

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

Print Assumptions any_order.
Print Assumptions point_reading_is_sound.
Print Assumptions agreement.
Print Assumptions same_result.
Print Assumptions conservation.
Print Assumptions inputs_are_letters.
Print Assumptions runs_exist.
Print Assumptions oktopk_conserves.
Print Assumptions refusals.
Print Assumptions a_shard_is_not_the_whole.
