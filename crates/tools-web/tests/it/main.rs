//! Tests of the guard and of the two tools through the public API: the guard with scripted answers,
//! the tools over TLS to a server on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod exchange;
mod pages;
mod pdf;
mod registries;
mod ssrf;
mod tools;
mod world;
