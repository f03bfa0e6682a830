"""Verify answers over HTTP with a resources server of NeMo Gym.

The `app.py` of a resources server is the first two lines of `main`, and `run_webserver()`.

To run it:

    pip install metric-commons nemo-gym
    python examples/clients/with_nemo_gym.py
"""

from unittest.mock import MagicMock

from fastapi.testclient import TestClient
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.server_utils import ServerClient

from metric_commons import rewards

ROWS = [
    (r"It is $\boxed{\frac{1}{2}}$.", "0.5"),
    (r"\boxed{3}", "2"),
    ("I do not know.", "7"),
    (r"\boxed{7}", r"\left( see figure"),
]


def response(text: str) -> dict[str, object]:
    """A response of a model, as the Responses API returns it."""
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {
        "id": "message",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    return {
        "id": "response",
        "object": "response",
        "created_at": 0,
        "model": "model",
        "output": [message],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }


def main() -> None:
    server_class = rewards.math().nemo_gym
    config = BaseResourcesServerConfig(
        host="127.0.0.1", port=8080, entrypoint="app.py", name="math"
    )
    server = server_class(config=config, server_client=MagicMock(spec=ServerClient))
    client = TestClient(server.setup_webserver())
    for text, answer in ROWS:
        body = {
            "responses_create_params": {"input": "?"},
            "response": response(text),
            "expected_answer": answer,
        }
        verified = client.post("/verify", json=body)
        verified.raise_for_status()
        result = verified.json()
        print(result["reward"], result["extracted_answer"], result["status"])


if __name__ == "__main__":
    main()
