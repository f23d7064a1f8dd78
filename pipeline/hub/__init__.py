"""The Hugging Face Hub: publishing to it, and a Hub on loopback to rehearse against."""
