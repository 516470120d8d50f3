"""What an MPI library can be told of messages: raced, proved, and given to programs.

One `.toml` file for each family of libraries says what is worth racing (`known.SettingsFile`).
"""
