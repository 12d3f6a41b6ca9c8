"""Two invented organizations to try the product on: different businesses, plausible records."""
