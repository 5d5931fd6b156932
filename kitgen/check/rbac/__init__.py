"""Rules of permissions: what is dangerous to give, what is given to too many, and what nobody gets.

Operators need much of it. So nearly all of it is a warning, one a role and rule, for a reviewer to look at
and for the kit to accept with a reason.
"""
