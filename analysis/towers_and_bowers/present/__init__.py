"""How answers of Towers & Bowers are shown."""
