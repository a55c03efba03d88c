(* Programs written out: post this, wait for that, and in the end this value. *)

Require Import matching mpi.

Section Program.
Variables rank tag value output : Type.

Inductive program :=
  | Then (o : operation rank tag value) (k : program)
  | After (i : nat) (k : result tag value -> program)
  | Done (x : output).

(* The rest of the program is the local state. *)
Definition next (l : program) : call rank tag value program :=
  match l with
  | Then o k => Post o k
  | After i k => Wait i k
  | Done _ => Halt
  end.

(* It makes nothing of the numbers by which mpi.v counts messages. *)
Inductive sees_no_number : program -> Prop :=
  | done_sees_none x : sees_no_number (Done x)
  | then_sees_none o k : sees_no_number k -> sees_no_number (Then o k)
  | after_sees_none i k : (forall y, sees_no_number (k y)) ->
      (forall m n, k (Received m) =
         k (Received {| number := n; label := label m; content := content m |})) ->
      sees_no_number (After i k).

(* Where such a program has come to its end. *)
Theorem finished_is_done (a : kahn.state rank (own rank tag value program)) :
  finished _ _ _ _ next a <-> forall r, exists x, fst (a r) = Done x.
Proof.
  split; intros F r; specialize (F r).
  - destruct (fst (a r)); try discriminate. now exists x.
  - destruct F as [x E]. now rewrite E.
Qed.

End Program.

Arguments Then {rank tag value output}.
Arguments After {rank tag value output}.
Arguments Done {rank tag value output}.
Arguments next {rank tag value output}.

Print Assumptions finished_is_done.
