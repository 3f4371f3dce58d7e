"""The service keeps what its own description promises, whatever is sent (schemathesis)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from infmcs import datasets, web
from infmcs.index import Index
from infmcs.web.limits import Limits
from tests.kit.serving import served

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    index = Index.build(datasets.load("molecules")[:50])
    with served(web.app(index, writable=True, limits=Limits(seconds=2))) as address:
        yield address


def operations() -> list[Any]:
    """Each operation of the description, with a strategy for requests that it allows and requests that it does not."""
    described = web.app(Index.build(datasets.load("molecules")[:2]), writable=True).openapi()
    return [found.ok() for found in schemathesis.openapi.from_dict(described).get_all_operations()]


def _reads_json(operation: Any) -> bool:
    return any(body.media_type == "application/json" for body in operation.body)


ALLOWED = [(each, "positive") for each in operations()]
NOT_ALLOWED = [(each, "negative") for each in operations() if _reads_json(each)]


@pytest.mark.parametrize(("operation", "mode"), ALLOWED + NOT_ALLOWED, ids=lambda one: getattr(one, "label", one))
def test_every_answer_is_one_that_the_description_names(service: str, operation: Any, mode: str) -> None:
    promised = schemathesis.specs.openapi.checks

    @settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow], database=None)
    @given(operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    def holds(case: Any) -> None:
        case.call_and_validate(
            base_url=service,
            timeout=30,
            checks=[
                schemathesis.checks.not_a_server_error,
                promised.status_code_conformance,
                promised.content_type_conformance,
                promised.response_schema_conformance,
            ],
        )

    holds()
