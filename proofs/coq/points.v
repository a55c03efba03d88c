(* Why what the prover reads of a composition, at one point, is what p ranks do.

   A composition is one rank's program: local code between exchanges.  p ranks run it in lock step
   ([run]); a rank reads its own values only, and an exchange brings what its page promises.  The
   prover reads the same program once, at a point: one index of a vector, on any rank ([reading]).
   A point has a placement, and its value is the sum of [each] over all ranks, plus [rest]:

       partial    every rank has a value of its own;      [rest] is in its own letters
       shard      the owner of the index has it alone;    [rest] is in letters that all ranks share
       replicate  all ranks have the same;                [rest] is in letters that all ranks share

   For every number of ranks, every owner of each index, every order and bracketing of sums
   ([any_order]), in every commutative monoid, points_sound.v and points_results.v prove:

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

(* ---- Sums in any order -------------------------------------------------------------------- *)

Hypothesis monoid : commutative_monoid op zero.

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

(* So it is to what an exchange brings. *)
Theorem any_order f v : added f v -> v = sum op zero (Z.to_nat p) f.
Proof.
  destruct monoid as [assoc comm unit]. intros [a [P ->]].
  rewrite leaves_listed, sum_listed. fold (ranks p).
  induction P as [|q l m P IH|q s l|l m n P IHl Q IHm]; cbn.
  - reflexivity.
  - now rewrite IH.
  - rewrite !assoc. f_equal. apply comm.
  - now rewrite IHl.
Qed.

End Ranks.
End Programs.

Arguments Constant {M linear function}.
Arguments Add {M linear function}.
Arguments Scale {M linear function}.
Arguments Where {M linear function}.
Arguments By_block {M linear function}.
Arguments Whole {M linear function}.
Arguments Local {M linear function}.
Arguments Exchange {M linear function}.
Arguments Nothing {M linear function}.
Arguments Number {M linear function}.
Arguments Own {M linear function}.
Arguments Shared {M linear function}.
Arguments Plus {M linear function}.
Arguments Scaled {M linear function}.
Arguments Chosen {M linear function}.
Arguments Of_block {M linear function}.
Arguments Of_whole {M linear function}.
Arguments place {M linear function}.
Arguments each {M linear function}.
Arguments rest {M linear function}.
Arguments nothing {M linear function}.
Arguments steers {M linear function}.
Arguments read_local {M linear function}.
Arguments read_exchange {M linear function}.
Arguments read_args {M linear function}.
Arguments read {M linear function}.
Arguments reading {M linear function}.

Print Assumptions any_order.
