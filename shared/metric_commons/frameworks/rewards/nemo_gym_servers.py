"""Resources servers of NeMo Gym that verify answers with a reward."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .verdicts import Verdict

Judge = Callable[[Sequence[Any], Sequence[Any]], Awaitable[list[Verdict]]]


def reward_server(judge: Judge, column: str | None) -> type[Any]:
    """Return the class of a server whose route /verify returns the reward of a response.

    Args:
        judge: a coroutine function of texts and references.
        column: the field of a request with the reference; None if none is needed.
    """
    from nemo_gym.base_resources_server import (
        BaseVerifyRequest,
        BaseVerifyResponse,
        SimpleResourcesServer,
    )
    from pydantic import create_model

    fields: dict[str, Any] = {} if column is None else {column: (Any, ...)}
    request: Any = create_model("RewardRequest", __base__=BaseVerifyRequest, **fields)
    response: Any = create_model(
        "RewardResponse",
        __base__=BaseVerifyResponse,
        **{**fields, "extracted_answer": (str | None, None), "status": (str, ...)},
    )

    async def verify(self: Any, body: Any) -> Any:
        reference = None if column is None else getattr(body, column)
        verdict = (await judge([body.response.output], [reference]))[0]
        return response(
            **body.model_dump(),
            reward=verdict.score or 0.0,
            extracted_answer=verdict.answer,
            status=verdict.status,
        )

    verify.__annotations__ = {"body": request, "return": response}  # from which routes are made
    return type(
        "RewardServer", (SimpleResourcesServer,), {"verify": verify, "__module__": __name__}
    )
