"""Running other people's code on real ranks: they are started, watched, asked, and ended whatever happens.

``group`` is the driver's side, ``worker`` and ``rank`` a rank's; ``guard`` stands between a launcher and a rank.
"""
