"""Ours, peer and floor side by side: ratios that one run proves, or refuses to judge."""
