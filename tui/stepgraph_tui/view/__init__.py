"""Read models: what there is to show of runs and reviews, with their secrets masked.

Whatever prints, paints or exports takes these in place of a run, a review and a mask: it cannot forget to
mask. What would leave no trace on a screen is still in their texts, as JSON keeps it; ``text.plain.visible``
writes it out.
"""
