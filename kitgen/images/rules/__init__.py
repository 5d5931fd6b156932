"""Whether the images of a target can be carried to a cluster without a network, as those judge who run one.

In: a plan. Out: findings. What a check of the
kit finds anyway, such as images that no spec lists, is for `check/images`; this asks for more.
"""
