"""Regression: errors and correlations of predicted numbers.

Mean absolute and squared error, its root, and explained variation (R2); relative errors, median and
maximum error, logarithmic errors, pinball losses, deviances, and correlations, for one or several
outputs; and the coverage of prediction intervals.
"""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchMetric
from metric_commons.regression.error_influences import regression_influences, weighted_errors
from metric_commons.regression.errors import Multioutput, regression_scores
from metric_commons.regression.measure_names import Measures
from metric_commons.regression.stock_regression import (
    mae,
    mape,
    mse,
    pearsonr,
    r_squared,
    smape,
    spearmanr,
    stsb,
)
from metric_commons.statistics.arguments.domains import Weights

_CITATION = """\
@article{scikit-learn,
    title = "Scikit-learn: Machine Learning in {P}ython",
    author = "Pedregosa, F. and Varoquaux, G. and Gramfort, A. and Michel, V. and others",
    journal = "Journal of Machine Learning Research",
    volume = "12",
    pages = "2825--2830",
    year = "2011",
}
"""


class Regression(BatchMetric):
    """Errors and explained variation of predicted numbers.

    Args:
        predictions (list of float, or of list of float): one number per row, or a list with one
            number per output; or [low, high] for measures of prediction intervals.
        references (list of float, or of list of float): the same. Integers are accepted.
        measures: of "mae", "mse", "rmse", "r2", "mape", "smape",
            "median_ae", "max_error", "explained_variance", "pearson", "spearman", "kendall" and
            "concordance"; "msle", "rmsle", "pinball(alpha=0.9)", "poisson_deviance",
            "gamma_deviance", "tweedie(power=1.5)", "d2_absolute_error", "d2_pinball(alpha=0.9)" and
            "d2_tweedie(power=1.5)"; and of prediction intervals "coverage", "interval_width" and
            "winkler(alpha=0.1)".
        multioutput: "uniform_average" averages the values of the outputs,
            "variance_weighted" weights each by the variance of its references, a list gives the
            weights; "raw_values" returns a list.
        sample_weight: the weight of each row.

    Returns:
        mae, mse, rmse (float): of the errors; 0.0 or more, lower is better.
        r2 (float): up to 1.0, which is best; NaN for less than two rows.
        and all other requested measures; confidence_interval (dict), if requested.

    Examples:
        >>> regression = evaluate.load("./metrics/regression")
        >>> result = regression.compute(
        ...     predictions=[2.5, 0.0, 2.0, 8.0], references=[3.0, -0.5, 2.0, 7.0]
        ... )
        >>> {name: round(value, 4) for name, value in result.items()}
        {'mae': 0.5, 'mse': 0.375, 'rmse': 0.6124, 'r2': 0.9486}
        >>> regression.compute(predictions=[1.0], references=[1.0], measures=["r2"])
        {'r2': nan}
    """

    score_kind = "counts"
    score_ranges = {
        "r2": (None, 1),
        "explained_variance": (None, 1),
        "d2_*": (None, 1),
        "pearson": (-1, 1),
        "spearman": (-1, 1),
        "kendall": (-1, 1),
        "concordance": (-1, 1),
        "coverage": (0, 1),
        "*": (0, None),
    }
    influences = staticmethod(regression_influences)
    drawn_scores = frozenset({"median_ae", "max_error"})
    weighted_scores = staticmethod(weighted_errors)
    lower_is_better = frozenset(
        {"mae", "mse", "rmse", "mape", "smape", "median_ae", "max_error", "msle", "rmsle"}
        | {"pinball*", "poisson_deviance", "gamma_deviance", "tweedie*"}
        | {"interval_width", "winkler*"}
    )
    arrays_allowed = True
    configurations = frozenset({"multilist"})  # of evaluate's own modules
    stock_formats = {
        "mse": mse,
        "mae": mae,
        "mape": mape,
        "smape": smape,
        "pearsonr": pearsonr,
        "spearmanr": spearmanr,
        "r_squared": r_squared,
        "glue/stsb": stsb,
    }

    def _info(self):
        numbers = [datasets.Value("float64"), datasets.Value("int64")]
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": predictions, "references": references})
                for number in numbers
                for predictions in (number, datasets.List(number))
                for references in (number, datasets.List(number))
            ],
            license="Apache-2.0",
            reference_urls=["https://scikit-learn.org/stable/modules/model_evaluation.html"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        measures: Measures = ("mae", "mse", "rmse", "r2"),
        multioutput: Multioutput = "uniform_average",
        sample_weight: Weights | None = None,
        **uncertainty,
    ):
        return regression_scores(
            predictions,
            references,
            measures=measures,
            multioutput=multioutput,
            sample_weight=sample_weight,
            **uncertainty,
        )
