//! Redaction through its public interface.

mod redaction;
