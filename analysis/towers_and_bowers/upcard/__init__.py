"""Should I accept the up-card?"""
