"""Where pages are found: search back ends behind one router."""
