(* Programs written out: post this, wait for that, and in the end this value. *)

Require Import mpi.

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
