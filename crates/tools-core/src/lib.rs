//! Vocabulary of the Haft tool system.
