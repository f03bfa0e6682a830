"""Common processing of texts: normalizers, tokens, references, segments."""
