"""The base of every script: `BatchMetric`, its columns and its options."""
