from __future__ import annotations

import pytest

from easy_data.providers.endpoint import Endpoint
from easy_data.schemas.errors import SettingsError


def test_the_key_is_in_no_representation() -> None:
    endpoint = Endpoint("https://user:pass@models.example/v1", api_key="sk-secret")
    assert "sk-secret" not in f"{endpoint!r} {vars(endpoint)}"
    assert "pass" not in repr(endpoint)


@pytest.mark.parametrize("address", ["", "models.example/v1", "ftp://models.example", "http://"])
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError):
        Endpoint(address)
