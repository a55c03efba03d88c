"""The selectors: one module each, which says what of a vector is sent.  ``spec.core.selectors`` says what one is."""
