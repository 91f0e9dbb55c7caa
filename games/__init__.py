"""The rules of the five games and the cards they are played with. Imports nothing of towerlab above it."""
