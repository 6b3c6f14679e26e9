"""What a call cost, from the price list that genai-prices brings along; it is never updated here.

A model that is not in the list has no price: None, never zero.
"""

from __future__ import annotations

from leadline.domain.config import ModelConfig
from leadline.models.providers import PRESETS, endpoint_of


def price_usd(
    config: ModelConfig, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0
) -> float | None:
    """Dollars of one call, or None when no price is known for the model."""
    # Its data takes a moment to load, and a local or offline model never needs it.
    from genai_prices import Usage, calc_price

    preset = PRESETS[config.provider]
    if not preset.price_id and not config.base_url:
        return None
    cached = min(cached_tokens, input_tokens)
    usage = Usage(
        input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached or None
    )
    try:
        if preset.price_id:
            found = calc_price(usage, config.name, provider_id=preset.price_id)
        else:
            found = calc_price(usage, config.name, provider_api_url=endpoint_of(config))
    except (LookupError, ValueError):
        return None
    return float(found.total_price)
