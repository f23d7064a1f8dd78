"""Seeded finance-close benchmark datasets: generated, proved, published, and provable by any stranger."""
