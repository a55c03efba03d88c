(* One tactic for every page whose formulas shift and flip bits: the facts of blocks.v are added for
   exactly the terms that occur, as proofs/logic/blocks.py does for the solvers, and linear arithmetic
   decides each case.

   proofs/kernel/coq.py writes down the page and calls [bits] or, for [agreement], [bits_same]. *)

From Coq Require Import ZArith Bool Lia.
Require Import blocks machine schedule terms.
Local Open Scope Z_scope.

(* Python's x.bit_length(). *)
Definition bit_length (x : Z) : Z := if x =? 0 then 0 else Z.log2 (Z.abs x) + 1.

(* ---- What has been read: linear arithmetic does not look into these ------------------------ *)

Definition number (x : Z) : Prop := x = x.
Definition related (x y : Z) : Prop := x = x.
Definition power (e P : Z) : Prop := P = 2 ^ e.
Definition below (d e : Z) : Prop := 0 <= d < e.
Definition next (d e : Z) : Prop := 0 <= d /\ e = d + 1.
Definition half (x h b : Z) : Prop := x / 2 = h /\ x mod 2 = b.
Definition block (x e b : Z) : Prop := b = Z.shiftr x e.
Definition at_last (fact : Prop) : Prop := fact.
Definition flip (v e w : Z) : Prop := w = Z.lxor v (2 ^ e).

(* ---- What is known of it: the facts of blocks.v, in the form in which the tactic adds them - *)

Theorem read_length x : 1 <= x ->
  exists l P, bit_length x = l + 1 /\ power l P /\ 0 <= l /\ 1 <= P /\ P <= x < 2 * P.
Proof.
  intro H. exists (Z.log2 x), (2 ^ Z.log2 x). unfold bit_length, power.
  pose proof (Z.log2_nonneg x). pose proof (power_positive (Z.log2 x)).
  destruct (length_bounds x H) as [_ B].
  replace (Z.log2 x + 1 - 1) with (Z.log2 x) in B by lia.
  rewrite (power_next (Z.log2 x) (Z.log2 x + 1)) in B by lia.
  destruct (Z.eqb_spec x 0); [lia|]. rewrite Z.abs_eq by lia. repeat split; lia.
Qed.

Theorem read_power e : 0 <= e -> exists P, 2 ^ e = P /\ power e P /\ 1 <= P.
Proof. intro H. exists (2 ^ e). unfold power. pose proof (power_positive e H). auto. Qed.

Theorem power_known d e P : power d P -> e = d -> 2 ^ e = P.
Proof. now intros -> ->. Qed.

Theorem power_of_0 e P : power e P -> e = 0 -> P = 1.
Proof. now intros -> ->. Qed.

Theorem power_doubles d e D P : power d D -> power e P -> next d e -> P = 2 * D.
Proof. intros -> -> [H E]. now apply power_next. Qed.

Theorem power_exceeds d e D P : power d D -> power e P -> below d e -> 2 * D <= P.
Proof. intros -> -> H. now apply power_grows. Qed.

Theorem read_half x : exists h b, half x h b /\ x = 2 * h + b /\ 0 <= b <= 1.
Proof.
  exists (x / 2), (x mod 2). unfold half.
  pose proof (Z.div_mod x 2). pose proof (Z.mod_pos_bound x 2). lia.
Qed.

Theorem read_block x e P : power e P -> 0 <= x -> 0 <= e ->
  exists b, Z.shiftr x e = b /\ block x e b /\ 0 <= b <= x /\ (b = 0 <-> x < P).
Proof.
  intros -> Hx He. exists (Z.shiftr x e). unfold block. pose proof (block_bounds x e Hx He). tauto.
Qed.

Theorem block_is x e b : block x e b -> Z.shiftr x e = b.
Proof. now intros ->. Qed.

Theorem block_of_0 x e b : block x e b -> e = 0 -> b = x.
Proof. intros -> H. now apply block_0. Qed.

Theorem block_halves x d e b B : block x e b -> block x d B -> next e d ->
  exists h, b = 2 * B + h /\ 0 <= h <= 1.
Proof.
  intros -> -> [He Hd]. exists (Z.shiftr x e mod 2). rewrite (block_next x e d He Hd).
  pose proof (Z.div_mod (Z.shiftr x e) 2). pose proof (Z.mod_pos_bound (Z.shiftr x e) 2). lia.
Qed.

(* A flip goes to the other half. *)
Theorem read_flip v e b P : power e P -> block v e b -> 0 <= v -> 0 <= e ->
  exists h w c, Z.lxor v P = w /\ flip v e w /\ block w e c /\ 0 <= w /\ 0 <= c <= w /\
    (b = 2 * h /\ w = v + P /\ c = b + 1 \/ b = 2 * h + 1 /\ w = v - P /\ c = b - 1).
Proof.
  intros -> -> Hv He. exists (Z.shiftr v e / 2), (Z.lxor v (2 ^ e)), (Z.shiftr (Z.lxor v (2 ^ e)) e).
  destruct (flip_block v e Hv He) as [Hw Hb]. pose proof (flip_value v e Hv He) as Hf.
  destruct (block_bounds (Z.lxor v (2 ^ e)) e Hw He) as [Hbb _].
  unfold flip, block. repeat split; try lia.
  pose proof (Z.div_mod (Z.shiftr v e) 2). pose proof (Z.mod_pos_bound (Z.shiftr v e) 2).
  destruct (Z.eqb_spec (Z.shiftr v e mod 2) 0); [left|right]; lia.
Qed.

Theorem flip_stays v e w d D : flip v e w -> power d D -> below e d -> 0 <= v -> (w < D <-> v < D).
Proof.
  intros -> -> [He Hd] Hv. destruct (flip_block v e Hv He) as [Hw _].
  destruct (block_bounds (Z.lxor v (2 ^ e)) d Hw) as [_ <-]; [lia|].
  destruct (block_bounds v d Hv) as [_ <-]; [lia|].
  rewrite flip_above by lia. tauto.
Qed.

Theorem flip_in_block v e w d : flip v e w -> below e d -> 0 <= v -> Z.shiftr w d = Z.shiftr v d.
Proof. intros -> [He Hd] Hv. now apply flip_above. Qed.

Theorem read_below x y e P : power e P -> 0 <= x -> 0 <= y -> 0 <= e ->
  (Z.lxor x y <? P) = (Z.shiftr x e =? Z.shiftr y e).
Proof.
  intros -> Hx Hy He. pose proof (below_block x y e Hx Hy He).
  destruct (Z.ltb_spec (Z.lxor x y) (2 ^ e)), (Z.eqb_spec (Z.shiftr x e) (Z.shiftr y e)); tauto || lia.
Qed.

(* ---- The tactic ---------------------------------------------------------------------------- *)

Ltac possible := try (exfalso; lia).

Lemma first_half (A B : Prop) : (A <-> B) -> B -> A.
Proof. tauto. Qed.
Lemma second_half (A B : Prop) : (A <-> B) -> ~ B -> ~ A.
Proof. tauto. Qed.

(* Of "A if and only if B" one half, where B is decided; else all, but at last: it makes lia slow. *)
Ltac halve A B H :=
  first [ pose proof (first_half A B H ltac:(lia)) | pose proof (second_half A B H ltac:(lia)) ]; clear H.
Ltac learn H :=
  lazymatch type of H with ?A <-> ?B => first [halve A B H|change (at_last (A <-> B)) in H] end.

(* How a new power compares with those before, and what it means for what was flipped. *)
Ltac in_order d e D P L K :=
  first
    [ assert (next d e) by (unfold next; lia);
      pose proof (power_doubles d e D P L K ltac:(assumption))
    | idtac ];
  assert (below d e) by (unfold below; lia);
  pose proof (power_exceeds d e D P L K ltac:(assumption)).
Ltac learn_stays v e w d D F L :=
  pose proof (eq_refl : related w D);
  let H := fresh in pose proof (flip_stays v e w d D F L ltac:(assumption) ltac:(lia)) as H; learn H.
Ltac relate e P K :=
  first [ pose proof (power_of_0 e P K ltac:(lia)) | pose proof (power_of_0 e P K : at_last (e = 0 -> P = 1)) ];
  repeat match goal with
  | L : power ?d ?D |- _ =>
      lazymatch d with e => fail | _ => idtac end;
      lazymatch goal with
      | _ : below d e |- _ => fail
      | _ : below e d |- _ => fail
      | _ => first [in_order d e D P L K|in_order e d P D K L]
      end
  end;
  repeat match goal with
  | F : flip ?v ?d ?w, _ : below ?d e |- _ =>
      lazymatch goal with _ : related w P |- _ => fail | _ => idtac end;
      learn_stays v d w e P F K
  end.

Ltac read_a_length x :=
  let l := fresh "l" in let P := fresh "P" in let E := fresh in let K := fresh "K" in
  destruct (read_length x ltac:(lia)) as [l [P [E [K ?]]]]; rewrite !E; clear E; relate l P K.

Ltac name_power e :=
  let P := fresh "P" in let E := fresh in let K := fresh "K" in
  destruct (read_power e ltac:(lia)) as [P [E [K ?]]]; rewrite ?E; clear E; relate e P K.
Ltac read_a_power e :=
  first
  [ match goal with K : power ?d ?P |- _ => rewrite !(power_known d e P K ltac:(lia)) end
  | name_power e ].

Ltac read_a_half x :=
  lazymatch goal with
  | _ : half x _ _ |- _ => idtac
  | _ => let h := fresh "h" in let b := fresh "b" in let H := fresh in
         destruct (read_half x) as [h [b [H [? ?]]]]
  end;
  match goal with H : half x _ _ |- _ => rewrite ?(proj1 H), ?(proj2 H) end.

(* As the first number or exponent that is equal to it is written. *)
Ltac with_number x then_ :=
  lazymatch goal with
  | _ : number x |- _ => then_ x
  | _ => first
         [ match goal with _ : number ?y |- _ =>
             let _ := constr:(ltac:(lia) : x = y) in then_ y end
         | pose proof (eq_refl : number x); then_ x ]
  end.
Ltac with_exponent e then_ :=
  lazymatch goal with
  | _ : power e _ |- _ => then_ e
  | _ => match goal with _ : power ?d _ |- _ =>
           let _ := constr:(ltac:(lia) : e = d) in then_ d end
  end.

Ltac name_block x e :=
  lazymatch goal with
  | _ : block x e _ |- _ => idtac
  | K : power e ?P |- _ =>
      let b := fresh "b" in let B := fresh "B" in let I := fresh in
      destruct (read_block x e P K ltac:(lia) ltac:(lia)) as [b [_ [B [? I]]]]; learn I;
      first [ pose proof (block_of_0 x e b B ltac:(lia)) | pose proof (block_of_0 x e b B : at_last (e = 0 -> b = x)) ];
      repeat match goal with
      | L : block x ?d ?c, _ : next e ?d |- _ =>
          lazymatch goal with _ : b = 2 * c + _ |- _ => fail | _ => idtac end;
          let h := fresh "h" in
          destruct (block_halves x d e b c B L ltac:(assumption)) as [h [? ?]]
      | L : block x ?d ?c, _ : next ?d e |- _ =>
          lazymatch goal with _ : c = 2 * b + _ |- _ => fail | _ => idtac end;
          let h := fresh "h" in
          destruct (block_halves x e d c b L B ltac:(assumption)) as [h [? ?]]
      end
  end.
Ltac read_a_block x e :=
  with_exponent e ltac:(fun d => with_number x ltac:(fun y =>
    replace (Z.shiftr x e) with (Z.shiftr y d) by (f_equal; lia);
    first
    [ match goal with F : flip ?v ?c y, _ : below ?c d |- _ =>
        rewrite !(flip_in_block v c y d F ltac:(assumption) ltac:(lia)) end
    | name_block y d; match goal with B : block y d ?b |- _ => rewrite !(block_is y d b B) end ])).

Ltac name_flip v e P K :=
  name_block v e;
  match goal with B : block v e ?b |- _ =>
    let h := fresh "h" in let w := fresh "w" in let c := fresh "b" in
    let E := fresh in let F := fresh "F" in let C := fresh in
    destruct (read_flip v e b P K B ltac:(lia) ltac:(lia)) as [h [w [c [E [F [? [? [? C]]]]]]]];
    rewrite !E; clear E; pose proof (eq_refl : number w);
    repeat match goal with
    | L : power ?d ?D, _ : below e ?d |- _ =>
        lazymatch goal with _ : related w D |- _ => fail | _ => idtac end;
        learn_stays v e w d D F L
    end;
    destruct C as [[? [? ?]]|[? [? ?]]]; possible
  end.
Ltac read_a_flip v P :=
  match goal with K : power ?e P |- _ =>
    with_number v ltac:(fun y =>
      replace (Z.lxor v P) with (Z.lxor y P) by (f_equal; lia); name_flip y e P K) end.
Ltac read_together x y P :=
  match goal with K : power ?e P |- _ => rewrite !(read_below x y e P K) by lia end.

(* What could not be decided then may be now. *)
Ltac recall :=
  repeat match goal with
  | H : at_last (?A <-> ?B) |- _ =>
      unfold at_last in H; first [halve A B H|clear H]
  | H : at_last (?A -> ?B) |- _ =>
      unfold at_last in H; first [specialize (H ltac:(lia))|clear H]
  end.
(* Numbers may lie in one block because it has all of them. *)
Ltac next_blocks :=
  repeat match goal with
  | _ : block ?x ?e _, _ : next ?e ?d, _ : power ?d _ |- _ =>
      lazymatch goal with _ : block x d _ |- _ => fail | _ => name_block x d end
  end.
Ltac finish := first [lia|recall; lia|next_blocks; recall; lia].

(* Whether nothing is left to read in x. *)
Ltac no_bits x :=
  lazymatch x with
  | context [Z.lxor _ _] => fail
  | context [Z.shiftr _ _] => fail
  | context [bit_length _] => fail
  | context [_ ^ _] => fail
  | context [_ / _] => fail
  | context [_ mod _] => fail
  | _ => idtac
  end.
Ltac is_read x :=
  lazymatch x with
  | context [if _ then _ else _] => fail
  | _ => no_bits x
  end.

(* One term of x, whose operands are read; where there is none, one comparison is decided. *)
Ltac read_one x :=
  match x with
  | context [bit_length ?y] => no_bits y; read_a_length y
  | context [2 ^ ?e] => no_bits e; read_a_power e
  | context [Z.lxor ?y 1] => no_bits y; rewrite !(flip_0 y)
  | context [Z.shiftr ?y 1] => rewrite !(shift_constant y 1) by lia; change (2 ^ 1) with 2
  | context [?y / 2] => no_bits y; read_a_half y
  | context [?y mod 2] => no_bits y; read_a_half y
  | context [Z.shiftr ?y ?e] => no_bits y; no_bits e; read_a_block y e
  | context [Z.lxor ?y ?z <? ?P] => no_bits y; no_bits z; read_together y z P
  | context [Z.lxor ?y ?P] => no_bits y; read_a_flip y P
  | context [?a <? ?b] => no_bits a; no_bits b; destruct (Z.ltb_spec a b); possible
  | context [?a <=? ?b] => no_bits a; no_bits b; destruct (Z.leb_spec a b); possible
  | context [?a =? ?b] => no_bits a; no_bits b; destruct (Z.eqb_spec a b); possible
  end.

(* The innermost condition that comes first, or else the goal. *)
Ltac look x :=
  lazymatch x with
  | context [if ?c then _ else _] => look c
  | _ => read_one x
  end.
Ltac one_bit :=
  lazymatch goal with
  | |- (_ || _) = true -> _ => let H := fresh in intro H; apply orb_prop in H; destruct H as [H|H]; revert H
  | |- (_ && _) = true -> _ => let H := fresh in let G := fresh in intro H; apply andb_prop in H; destruct H as [H G]; revert H G
  | |- ?A -> _ => first [is_read A; intro; possible | look A]
  | |- ?g => tryif is_read g then fail else look g
  end;
  cbn [andb orb negb]; cbv beta iota.

(* What is still to be read is part of the goal, so that arithmetic is about the rest alone. *)
Ltac unread := repeat match goal with
  | H : ?A |- _ =>
     lazymatch type of A with Prop => idtac end;
     tryif is_read A then fail else revert H
  end.

Ltac bits page :=
  cbv zeta; unfold is_true;
  cbn [page steps chunks dst src sends adds holds live start goal wanted]; intros;
  unread; rewrite ?Z.shiftl_1_l;
  repeat one_bit; finish.

(* The obligations about [same]. *)
Ltac bits_same page same :=
  intros; try apply same_cases;
  repeat match goal with H : ?A |- _ => lazymatch type of A with Prop => revert H end end;
  unfold same; bits page.

Print Assumptions read_length.
Print Assumptions read_power.
Print Assumptions power_known.
Print Assumptions power_of_0.
Print Assumptions power_doubles.
Print Assumptions power_exceeds.
Print Assumptions read_half.
Print Assumptions read_block.
Print Assumptions block_is.
Print Assumptions block_of_0.
Print Assumptions block_halves.
Print Assumptions read_flip.
Print Assumptions flip_stays.
Print Assumptions flip_in_block.
Print Assumptions read_below.
