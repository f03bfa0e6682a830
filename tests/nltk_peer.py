"""NLTK's splitter of sentences with our parameters, so that nothing has to be downloaded."""

from nltk.tokenize import punkt

from metric_commons.text.instructions.punkt import (
    LOWER_MAY_START,
    SEEN_LOWER,
    UPPER_STARTS,
    english,
)


def nltk_tokenizer():
    """NLTK's tokenizer. Contexts that lead it to the facts that we keep stand in for its own."""
    ours, parameters = english(), punkt.PunktParameters()
    parameters.abbrev_types = set(ours.abbreviations)
    parameters.collocations = set(ours.collocations)
    parameters.sent_starters = set(ours.starters)
    contexts = {
        SEEN_LOWER: punkt._ORTHO_MID_LC | punkt._ORTHO_MID_UC,
        SEEN_LOWER + UPPER_STARTS: punkt._ORTHO_MID_LC | punkt._ORTHO_BEG_UC,
        SEEN_LOWER + UPPER_STARTS + LOWER_MAY_START: punkt._ORTHO_BEG_LC,
    }
    for word, flags in ours.flags.items():
        parameters.ortho_context[word] = contexts[flags]
    return punkt.PunktSentenceTokenizer(parameters)
