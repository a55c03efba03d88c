"""The selectors on numpy: in each module a class ``Selector``, made once a rank and called vector after vector."""
