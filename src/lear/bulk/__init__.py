"""Many sentences at once: files of any size, streamed or in partitions."""
