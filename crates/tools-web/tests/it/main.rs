//! Tests of the guard and of the two tools through the public API: the guard with scripted answers, the tools over TLS to
//! a server on loopback.

mod registries;
mod ssrf;
