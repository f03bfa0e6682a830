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
        verdict = (await judge([output_text(body.response)], [reference]))[0]
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


def output_text(response: Any) -> str:
    """Return the text of the last message of the assistant in a response of the Responses API.

    >>> from types import SimpleNamespace as Object
    >>> part = Object(type="output_text", text="4")
    >>> output_text(Object(output=[Object(type="message", role="assistant", content=[part])]))
    '4'
    """
    messages = [
        item for item in response.output if item.type == "message" and item.role == "assistant"
    ]
    parts = messages[-1].content if messages else []
    return "".join(part.text for part in parts if part.type == "output_text")
