"""Topologies: every module here is one.  It has

``route(src, dst, p)``  the directed links, pairs of nodes, that a message crosses, in their order.  A
                        node is a rank, which is its number, or a switch, which has a name.  Ranks differ.
``links()``             where there are any, formulas that say the same for every p
``scope``               where formulas speak of more than the routes, of what: a noun
``sides(p)``            where nodes are a grid, how many there are along each dimension: for pictures
``Params``              where the topology has any, its parameters, which these functions then ask for by name
"""
