"""A release rehearsed from end to end: the real client, in processes of their own, against the Hub on loopback."""
