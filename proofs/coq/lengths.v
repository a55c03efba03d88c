(* One tactic for pages whose messages are blocks of chunks with numbers in reverse order: how far two
   numbers are apart is the length of x ^ y, and a flipped bit changes it in one of three ways
   ([flip_apart]).  So x ^ y < 1 << e says that they are at most e apart, and so does that y lies in the
   block of 2 ^ e numbers that begins at (x >> e) << e.  Which rank a number below 2 ^ l belongs to, and which
   rank sends, is kept closed behind the bounds and opened at last, so that cases are few; of a sender it is used
   that it sends to the receiver, as the schedule's proof says.

   proofs/kernel/coq.py calls [lengths] for the schedule and, with what was proved of it, [lengths_from] and
   [lengths_same_from], where a page has an operator that [bits] does not know. *)

From Coq Require Import ZArith Bool Lia.
Require Import blocks machine schedule terms bits.
Local Open Scope Z_scope.

Notation reverse := blocks.reverse.
Notation bit_length := bits.bit_length.

(* ---- What has been read: linear arithmetic does not look into these ------------------------ *)

Definition apart (x y n : Z) : Prop := n = length (Z.lxor x y).
Definition mirrored (x e y : Z) : Prop := y = reverse x e.
Definition closed (x y : Z) : Prop := x = y.
Definition size (l : Z) : Prop := l = l.

(* ---- What is known of it ------------------------------------------------------------------- *)

Theorem read_log x : 1 <= x -> exists l, bit_length x = l + 1 /\ size l /\ 0 <= l /\
  at_last (l = 0 -> 2 ^ l = 1) /\ 1 <= 2 ^ l /\ 2 ^ l <= x < 2 * 2 ^ l.
Proof.
  intro H. destruct (read_length x H) as [l [P [E [K [H0 [H1 H2]]]]]]. unfold power in K. subst P.
  exists l. unfold size, at_last. pose proof (power_0 l). auto 7.
Qed.

Theorem flip_below v e l : 0 <= v < 2 ^ l -> 0 <= e < l ->
  exists w, Z.lxor v (2 ^ e) = w /\ flip v e w /\ 0 <= w < 2 ^ l.
Proof.
  intros [Hv Hl] He. exists (Z.lxor v (2 ^ e)). unfold flip. split; [reflexivity|]. split; [reflexivity|].
  destruct (flip_block v e Hv) as [Hw _]; [lia|]. split; [exact Hw|].
  apply (flip_stays v e (Z.lxor v (2 ^ e)) l (2 ^ l)); unfold flip, power, below; auto.
Qed.

Theorem flip_back v e w : flip v e w -> Z.lxor w (2 ^ e) = v.
Proof. intros ->. rewrite Z.lxor_assoc, Z.lxor_nilpotent. apply Z.lxor_0_r. Qed.

Theorem reverse_below x e : 0 <= e -> exists y, reverse x e = y /\ mirrored x e y /\ 0 <= y < 2 ^ e.
Proof. intro He. exists (reverse x e). unfold mirrored. pose proof (reverse_bounds x e He). auto. Qed.

Theorem reverse_flipped v e w n : flip v e w -> 0 <= e < n ->
  reverse w n = Z.lxor (reverse v n) (2 ^ (n - 1 - e)).
Proof. intros -> He. now apply reverse_flip. Qed.

Theorem mirrored_alike x y l v w :
  mirrored x l v -> mirrored y l w -> 0 <= l -> 0 <= x < 2 ^ l -> 0 <= y < 2 ^ l ->
  at_last (v = w -> x = y).
Proof. intros -> -> Hl Hx Hy. exact (reverse_injective x y l Hl Hx Hy). Qed.

Theorem read_apart x y l : 0 <= x < 2 ^ l -> 0 <= y < 2 ^ l -> 0 <= l ->
  exists n, bit_length (Z.lxor x y) = n /\ apart x y n /\ 0 <= n <= l /\ at_last (n = 0 <-> x = y).
Proof.
  intros [Hx Lx] [Hy Ly] Hl. exists (length (Z.lxor x y)). unfold apart, at_last.
  pose proof (length_natural x y). pose proof (length_of_equal x y Hx Hy). repeat split; try tauto.
  - unfold bit_length, length. rewrite Z.abs_eq by (apply Z.lxor_nonneg; lia). reflexivity.
  - apply length_of_xor; try lia. rewrite !Z.shiftr_div_pow2, !Z.div_small by lia. reflexivity.
Qed.

Lemma length_bits x y : 0 <= x -> 0 <= y -> bit_length (Z.lxor x y) = length (Z.lxor x y).
Proof.
  intros. unfold bit_length, length. rewrite Z.abs_eq by (apply Z.lxor_nonneg; lia). reflexivity.
Qed.

Theorem below_is_near x y e : 0 <= x -> 0 <= y -> 0 <= e ->
  (Z.lxor x y <? 2 ^ e) = (bit_length (Z.lxor x y) <=? e).
Proof.
  intros Hx Hy He. rewrite length_bits by lia.
  pose proof (length_least (Z.lxor x y) e). assert (0 <= Z.lxor x y) by (apply Z.lxor_nonneg; lia).
  destruct (Z.ltb_spec (Z.lxor x y) (2 ^ e)), (Z.leb_spec (length (Z.lxor x y)) e); tauto || lia.
Qed.

Theorem inside_is_near x y e : 0 <= x -> 0 <= y -> 0 <= e ->
  (Z.shiftl (Z.shiftr y e) e <=? x) && (x <? Z.shiftl (Z.shiftr y e) e + 2 ^ e) = (bit_length (Z.lxor x y) <=? e).
Proof.
  intros Hx Hy He. rewrite length_bits by lia.
  pose proof (shift_start (Z.shiftr y e) e He x). pose proof (shift_end (Z.shiftr y e) e He x).
  pose proof (length_of_xor x y e Hx Hy He).
  destruct (Z.leb_spec (Z.shiftl (Z.shiftr y e) e) x), (Z.ltb_spec x (Z.shiftl (Z.shiftr y e) e + 2 ^ e)),
    (Z.leb_spec (length (Z.lxor x y)) e); cbn [andb]; reflexivity || lia.
Qed.

(* How far a number is from another of which a bit is flipped. *)
Theorem flip_apart x v e w n m : flip v e w -> apart x v n -> apart x w m -> 0 <= x -> 0 <= v -> 0 <= e ->
  n <= e /\ m = e + 1 \/ n = e + 1 /\ m <= e \/ e + 1 < n /\ m = n.
Proof.
  intros F N M Hx Hv He.
  assert (Hw : 0 <= w) by (rewrite F; apply (flip_block v e Hv He)).
  assert (V : forall d, 0 <= d -> Z.shiftr x d = Z.shiftr v d <-> n <= d)
    by (rewrite N; intros; now apply length_of_xor).
  assert (W : forall d, 0 <= d -> Z.shiftr x d = Z.shiftr w d <-> m <= d)
    by (rewrite M; intros; now apply length_of_xor).
  assert (above : forall d, e < d -> n <= d <-> m <= d).
  { intros d Hd. rewrite <- V, <- W by lia. rewrite F, flip_above by lia. tauto. }
  pose proof (V e He) as Ve. pose proof (W e He) as We. pose proof (V (e + 1) ltac:(lia)) as Vn.
  rewrite (block_next x e (e + 1)), (block_next v e (e + 1)) in Vn by lia.
  destruct (flip_block v e Hv He) as [_ B]. rewrite <- F in B. rewrite B in We. clear B.
  pose proof (above (e + 1) ltac:(lia)). pose proof (above n). pose proof (above m).
  pose proof (Z.div_mod (Z.shiftr x e) 2). pose proof (Z.mod_pos_bound (Z.shiftr x e) 2).
  pose proof (Z.div_mod (Z.shiftr v e) 2). pose proof (Z.mod_pos_bound (Z.shiftr v e) 2).
  destruct (Z.eqb_spec (Z.shiftr v e mod 2) 0); lia.
Qed.

(* ---- The tactic ---------------------------------------------------------------------------- *)

(* Whether nothing is left to read in x. *)
Ltac unbranched x := lazymatch x with context [if _ then _ else _] => fail | _ => idtac end.
Ltac plain x :=
  lazymatch x with
  | context [Z.lxor _ _] => fail
  | context [Z.shiftr _ _] => fail
  | context [Z.shiftl _ _] => fail
  | context [reverse _ _] => fail
  | context [bit_length _] => fail
  | context [_ / _] => fail
  | context [_ mod _] => fail
  | _ => idtac
  end.
Ltac ready x := unbranched x; plain x.

(* Which number it is need not be known yet, only that it is small. *)
Ltac close y :=
  lazymatch y with
  | if ?c then ?u else ?v =>
    ready c; ready u; ready v;
    lazymatch goal with
    | E : closed ?n y |- _ => replace y with n by exact E
    | _ : size ?l |- _ =>
        assert (0 <= y < 2 ^ l) by (destruct c eqn:?; lia);
        let n := fresh "n" in let E := fresh in remember y as n eqn:E in *; change (closed n y) in E
    end
  end.

(* Numbers that turn out to be written alike are one. *)
Ltac merge := repeat match goal with
  | E : closed ?n ?y, F : closed ?m ?y |- _ =>
      lazymatch n with m => fail | _ => idtac end;
      let Q := fresh in assert (Q : m = n) by (transitivity y; [exact F|symmetry; exact E]); clear F; subst m
  end.

(* That two truths are not both so is a case distinction, which is put off. *)
Ltac recall_truths := repeat match goal with I : at_last (@eq bool _ _) |- _ => unfold at_last in I end.
Ltac open_one E :=
  unfold closed in E; revert E;
  lazymatch goal with
  | |- _ = (if ?a <? ?b then _ else _) -> _ => let L := fresh "L" in destruct (Z.ltb_spec a b) as [L|L]
  | |- _ = (if ?c then _ else _) -> _ => destruct c eqn:?
  | _ => idtac
  end; intro E.

(* What a number is, and the rank that it is the number of. *)
Ltac open_in y := repeat match goal with S : closed ?s _ |- _ => lazymatch y with context [s] => open_one S end end.
Ltac open_number E :=
  lazymatch type of E with closed _ ?y => open_in y end; recall_truths; open_one E.

(* Whether the closed number z is w. *)
Ltac equate z w E :=
  lazymatch z with w => fail | _ => idtac end;
  let Q := fresh in
  assert (Q : z = w) by (open_number E; lia).

(* A number that is another, known to be flipped; or a term that is a number. *)
Ltac settle_number z :=
  lazymatch goal with
  | E : closed z _ |- _ => match goal with F : flip _ _ ?w |- _ => equate z w E; clear E; subst z end
  | _ : flip _ _ z |- _ => fail
  | _ => first
      [ match goal with F : flip _ _ ?w |- _ => replace z with w by lia end
      | match goal with E : closed ?n _ |- _ => replace z with n by (open_one E; lia) end ]
  end.

Ltac read_flip_of v e :=
  first
  [ match goal with F : flip ?u ?d v |- _ =>
      replace (2 ^ e) with (2 ^ d) by (f_equal; lia); rewrite !(flip_back u d v F) end
  | match goal with F : flip v ?d ?w |- _ =>
      replace (Z.lxor v (2 ^ e)) with w by (rewrite F; f_equal; f_equal; lia) end
  | match goal with _ : size ?l |- _ =>
    let w := fresh "w" in let E := fresh in let F := fresh "F" in
    destruct (flip_below v e l ltac:(lia) ltac:(lia)) as [w [E [F ?]]]; rewrite !E; clear E end ].

Ltac read_reverse_of v l :=
  first
  [ match goal with F : flip ?u ?e v |- _ => rewrite !(reverse_flipped u e v l F) by lia end
  | match goal with M : mirrored v l ?z |- _ => rewrite <- !M end
  | let z := fresh "z" in let E := fresh in let M := fresh "M" in
    destruct (reverse_below v l ltac:(lia)) as [z [E [M ?]]]; rewrite !E; clear E;
    repeat match goal with N : mirrored ?u l ?y |- _ =>
      lazymatch u with v => fail | _ => idtac end;
      lazymatch goal with _ : at_last (z = y -> v = u) |- _ => fail | _ => idtac end;
      pose proof (mirrored_alike v u l z y M N ltac:(lia) ltac:(lia) ltac:(lia)) end ].

(* How far apart they are, and where one has a bit flipped, how that compares. *)
Ltac name_apart x y :=
  lazymatch goal with
  | _ : apart x y _ |- _ => idtac
  | _ : size ?l |- _ =>
    let n := fresh "d" in let E := fresh in let A := fresh "A" in
    destruct (read_apart x y l ltac:(lia) ltac:(lia) ltac:(lia)) as [n [E [A [? ?]]]]; rewrite ?E; clear E;
    try match goal with F : flip ?v ?e y |- _ =>
      name_apart x v;
      match goal with B : apart x v ?m |- _ =>
        destruct (flip_apart x v e y m n F B A ltac:(lia) ltac:(lia) ltac:(lia)) as [[? ?]|[[? ?]|[? ?]]];
        possible end end
  end.
Ltac known_apart x y :=
  match goal with A : apart x y ?n |- _ =>
    replace (bit_length (Z.lxor x y)) with n by (rewrite A; symmetry; apply length_bits; lia) end.

(* What a truth says of numbers. *)
Ltac simple_truth A :=
  lazymatch A with
  | context [negb _] => fail
  | context [_ && _] => fail
  | context [_ || _] => fail
  | _ => idtac
  end.
Ltac meant H :=
  lazymatch type of H with
  | (_ <=? _) = true => apply Z.leb_le in H
  | (_ <? _) = true => apply Z.ltb_lt in H
  | (_ =? _) = true => apply Z.eqb_eq in H
  | true = true => clear H
  | _ => idtac
  end.

(* Which of two numbers that differ is the smaller is told where it is known; else arithmetic tries both ways. *)
Ltac equal_or_not a b :=
  let N := fresh in
  destruct (Z.eqb_spec a b) as [?|N]; possible;
  try lazymatch type of N with _ <> _ => first [assert (a < b) by lia; clear N | assert (b < a) by lia; clear N] end.
Ltac both_or_not a b :=
  let I := fresh "I" in
  destruct (a && b) eqn:I;
  [apply andb_prop in I; let J := fresh in destruct I as [I J]; meant I; meant J; possible
  |change (at_last (a && b = false)) in I];
  try (exfalso; open_in a; recall_truths; lia).

(* One term of x, whose operands are read; where there is none, one comparison is decided. *)
Ltac read_now x :=
  match x with
  | context [reverse ?y ?e] => ready y; ready e; first [settle_number y | read_reverse_of y e]
  | context [(Z.shiftl (Z.shiftr ?y ?e) ?e <=? ?z) && (?z <? Z.shiftl (Z.shiftr ?y ?e) ?e + 2 ^ ?e)] =>
      ready y; ready e; rewrite !(inside_is_near z y e) by lia
  | context [Z.lxor ?y 1] => ready y; rewrite !(flip_0 y)
  | context [Z.lxor ?y (2 ^ ?e)] => ready y; ready e; first [settle_number y | read_flip_of y e]
  | context [Z.lxor ?y ?z <? 2 ^ ?e] => ready y; ready z; ready e; rewrite !(below_is_near y z e) by lia
  | context [bit_length (Z.lxor ?y ?z)] => ready y; ready z;
      first [settle_number y | settle_number z | name_apart y z; try known_apart y z]
  | context [?y / 2] => ready y; read_a_half y
  | context [?y mod 2] => ready y; read_a_half y
  | context [(?a <? ?b) && (?c =? ?d)] => ready a; ready b; ready c; ready d; both_or_not (a <? b) (c =? d)
  | context [?a <? ?b] => ready a; ready b; destruct (Z.ltb_spec a b); possible
  | context [?a <=? ?b] => ready a; ready b; destruct (Z.leb_spec a b); possible
  | context [?a =? ?b] => ready a; ready b; equal_or_not a b
  end.

(* The innermost condition that comes first, or else x. *)
Ltac see x :=
  lazymatch x with
  | context [if ?c then _ else _] => see c
  | _ => read_now x
  end.
Ltac close_in x :=
  match x with
  | context [Z.lxor ?y _] => close y
  | context [Z.lxor _ ?y] => close y
  | context [reverse ?y _] => close y
  end.

(* The next hypothesis is read, or else the goal, by one term or one comparison. *)
Ltac one_more :=
  lazymatch goal with
  | |- ((Z.shiftl _ _ <=? _) && _) = true -> _ => lazymatch goal with |- ?A -> _ => first [close_in A | see A] end
  | |- (_ || _) = true -> _ => let H := fresh in intro H; apply orb_prop in H; destruct H as [H|H]; revert H
  | |- (_ && _) = true -> _ => let H := fresh in let G := fresh in
      intro H; apply andb_prop in H; destruct H as [H G]; revert H G
  | |- ?s = (if ?c then ?u else ?v) -> _ =>
      first
      [ is_var s; lazymatch c with _ <? _ => idtac end; ready c; ready u; ready v;
        let H := fresh in intro H; change (closed s (if c then u else v)) in H
      | lazymatch goal with |- ?A -> _ => first [close_in A | see A] end ]
  | |- ?A -> _ => first [ready A; simple_truth A; let H := fresh in intro H; meant H; possible;
        try (lazymatch type of H with ?x = ?y => is_var x; is_var y; subst x; merge end) | close_in A | see A]
  | |- ?g => tryif ready g then fail else first [close_in g | see g]
  end;
  cbn [andb orb negb]; cbv beta iota.

(* Whose numbers they are is closed before any case is looked at. *)
Ltac numbers := repeat lazymatch goal with |- ?g => close_in g end.
(* Conditions on which exponents depend. *)
Ltac exponents :=
  repeat (match goal with |- context [2 ^ ?e] =>
      lazymatch e with context [if _ then _ else _] => see e end end;
      cbn [andb orb negb]; cbv beta iota).

(* What is closed is opened, as long as it is possible. *)
Ltac open_all :=
  repeat match goal with E : closed _ _ |- _ =>
    open_one E;
    repeat match goal with
    | I : at_last (true && ?x = false) |- _ => change (x = false) in I
    | I : at_last (false && _ = false) |- _ => clear I
    end; possible end;
  recall_truths.
(* What could not be decided then may be now. *)
Ltac remind :=
  repeat match goal with
  | H : at_last (?A <-> ?B) |- _ =>
      unfold at_last in H; first [assert (A /\ B) by lia | assert (~ A /\ ~ B) by lia]; clear H
  | H : at_last (?A -> ?B) |- _ => unfold at_last in H; specialize (H ltac:(lia))
  end.
Ltac arithmetic := first [lia | remind; first [lia | open_all; first [lia | remind; lia]]].

(* Truths that are to be equal, comparison by comparison. *)
Ltac weigh :=
  repeat (match goal with
    | |- context [?a <=? ?b] => destruct (Z.leb_spec a b); possible
    | |- context [?a <? ?b] => destruct (Z.ltb_spec a b); possible
    | |- context [?a =? ?b] => equal_or_not a b
    end; cbn [andb orb negb]).
Ltac the_end :=
  lazymatch goal with
  | |- @eq bool _ _ => weigh; first [reflexivity | exfalso; arithmetic]
  | _ => arithmetic
  end.

Ltac halves := repeat match goal with
  | |- context [?y / 2] => is_var y; read_a_half y
  | |- context [?y mod 2] => is_var y; read_a_half y
  end.

(* Of a sender: it is a rank, whom it sends to, and at last who it is. *)
Ltac name_sender page r t :=
  match goal with M : matched page ?p |- _ =>
    let s := fresh "s" in let S := fresh "S" in let D := fresh "D" in
    pose proof (src_in_range page p M r t ltac:(assumption) ltac:(assumption));
    pose proof (dst_of_src page p M r t ltac:(assumption) ltac:(assumption)) as D;
    change (at_last (dst page (src page r t p) t p = r)) in D;
    set (s := src page r t p) in *;
    assert (S : at_last (s = src page r t p)) by reflexivity; clearbody s end.
Ltac names page :=
  repeat match goal with
  | |- context [src page ?r ?t _] => name_sender page r t
  | _ : context [sends page (src page ?r ?t _)] |- _ => name_sender page r t
  end.
Ltac begin page :=
  lazymatch goal with M : matched page _ |- _ => names page; clear M | _ => idtac end;
  cbn [page steps chunks dst src sends adds holds live start goal wanted] in *;
  repeat match goal with S : at_last (?s = _) |- _ => is_var s; unfold at_last in S; revert S end;
  repeat match goal with H : ?A |- _ =>
    lazymatch type of A with Prop => idtac end;
    lazymatch A with at_last _ => fail | _ => idtac end; tryif ready A then fail else revert H end;
  repeat match goal with D : at_last (?x = ?r) |- _ =>
    is_var r; unfold at_last in D; rewrite ?D; clear D end;
  rewrite ?Z.shiftl_1_l;
  match goal with |- context [bit_length ?x] => is_var x;
    let l := fresh "l" in let E := fresh in
    destruct (read_log x ltac:(lia)) as [l [E [? [? [? [? ?]]]]]]; rewrite !E; clear E end;
  rewrite ?Z.add_simpl_r;
  repeat match goal with |- context [Z.shiftr ?y 1] =>
    rewrite !(shift_constant y 1) by lia; change (2 ^ 1) with 2 end;
  halves.
Ltac read_all page := begin page; numbers; exponents; halves; repeat one_more; the_end.
Ltac lengths page :=
  cbv zeta; intros; unfold is_true in *;
  lazymatch goal with
  | |- ?back page (?there page ?r ?t ?p) ?t ?p = ?r =>
      assert (0 <= there page r t p < p) by read_all page;
      let s := fresh "s" in let S := fresh "S" in
      set (s := there page r t p) in *; assert (S : at_last (s = there page r t p)) by reflexivity; clearbody s
  | |- _ /\ _ = _ => split
  | _ => idtac
  end;
  read_all page.
Ltac lengths_from matched page :=
  match goal with H : 1 <= ?p |- _ => pose proof (matched p H) end; lengths page.
Ltac lengths_same_from matched page same :=
  match goal with H : 1 <= ?p |- _ => pose proof (matched p H) end;
  intros; try apply same_cases; cbv zeta; unfold same in *; lengths page.

Print Assumptions read_log.
Print Assumptions flip_below.
Print Assumptions flip_back.
Print Assumptions reverse_below.
Print Assumptions reverse_flipped.
Print Assumptions mirrored_alike.
Print Assumptions read_apart.
Print Assumptions below_is_near.
Print Assumptions inside_is_near.
Print Assumptions flip_apart.
