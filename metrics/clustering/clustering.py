"""Clustering: the quality of a partition, from its points alone or against true labels.

From points the separation of clusters compared with their width: silhouette, Davies-Bouldin and
Calinski-Harabasz. Against true labels the agreement of both partitions: the adjusted Rand index,
NMI, V-measure, homogeneity and completeness.
"""

import datasets
import evaluate

from metric_commons.labels.clustering.clustering_measures import clustering_scores
from metric_commons.labels.clustering.partition_names import Measures
from metric_commons.labels.clustering.silhouette import Metric
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.statistics.arguments.domains import Count

_CITATION = """\
@article{rousseeuw-1987-silhouettes,
    title = "Silhouettes: A graphical aid to the interpretation and validation of cluster analysis",
    author = "Rousseeuw, Peter J.",
    journal = "Journal of Computational and Applied Mathematics",
    volume = "20",
    pages = "53--65",
    year = "1987",
}
"""


class Clustering(BatchMetric):
    """Scores of a clustering.

    Args:
        predictions (list of int or of str): the cluster of each row; whole numbers may be floats.
        references (list of list of float, or list of int or of str): the points, or true labels,
            or with metric="precomputed" the distances of each row to all rows.
        measures: of points "silhouette", "davies_bouldin" and
            "calinski_harabasz"; of labels "ari", "nmi", "v_measure", "homogeneity" and
            "completeness"; also, not included by default, "ami", "rand",
            "fowlkes_mallows", "purity", "pair_confusion", "nmi(average_method=max)" and
            "v_measure(beta=2)".
        metric: the distance between points, for the silhouette.
        per_example: also return the silhouette of each point.
        sample_size: estimate the silhouette from this number of points, drawn without
            replacement by `seed`, each compared with all points.

    Returns:
        silhouette (float): from -1.0 to 1.0, higher is better.
        davies_bouldin (float): 0.0 or more, lower is better.
        calinski_harabasz (float): 0.0 or more, higher is better.
        ari (float): up to 1.0, 0.0 by chance; nmi, v_measure, homogeneity, completeness (float):
            from 0.0 to 1.0; higher is better.
        per_example, confidence_interval (dict): if requested.

    Examples:
        >>> clustering = evaluate.load("./metrics/clustering")
        >>> points = [[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]]
        >>> result = clustering.compute(predictions=[0, 0, 1, 1], references=points)
        >>> {name: round(score, 4) for name, score in result.items()}
        {'silhouette': 0.8586, 'davies_bouldin': 0.1414, 'calinski_harabasz': 100.0}
        >>> clustering.compute(predictions=[0, 0, 1], references=["a", "a", "b"], measures="ari")
        {'ari': 1.0}
    """

    score_kind = "counts"
    score_ranges = {
        "silhouette": (-1, 1),
        "davies_bouldin": (0, None),
        "calinski_harabasz": (0, None),
        "ari": (-1, 1),
        "ami*": (None, 1),
        "*": (0, 1),
    }
    lower_is_better = frozenset({"davies_bouldin"})
    arrays_allowed = True

    def _info(self):
        labels = [datasets.Value("int64"), datasets.Value("string"), datasets.Value("float64")]
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": predictions, "references": references})
                for predictions in labels
                for references in (datasets.List(datasets.Value("float64")), *labels)
            ],
            license="Apache-2.0",
            reference_urls=["https://scikit-learn.org/stable/modules/clustering.html"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        measures: Measures | None = None,
        metric: Metric = "euclidean",
        per_example: bool = False,
        sample_size: Count | None = None,
        **uncertainty,
    ):
        return clustering_scores(
            predictions,
            references,
            measures=measures,
            metric=metric,
            per_example=per_example,
            sample_size=sample_size,
            **uncertainty,
        )
