//! `Debug` for types with fields that cannot or must not be shown: it prints the named fields, and
//! that there are others.

/// Shows the named fields of a type and marks it as incomplete:
/// `partial_debug!(Sessions { on_error })`. A nested field is given after a colon:
/// `partial_debug!(McpServer { roots: settings.roots })`.
#[doc(hidden)]
#[macro_export]
macro_rules! partial_debug {
    ($type:ident { $($name:ident $(: $($field:ident).+)?),* $(,)? }) => {
        impl ::std::fmt::Debug for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($name), $crate::partial_debug!(@of self $name $($($field).+)?)))*
                    .finish_non_exhaustive()
            }
        }
    };
    (@of $self:ident $name:ident) => { &$self.$name };
    (@of $self:ident $name:ident $($field:ident).+) => { &$self.$($field).+ };
}

#[cfg(test)]
mod tests {
    struct Inner {
        depth: u8,
    }

    struct Partial {
        name: &'static str,
        inner: Inner,
    }

    crate::partial_debug!(Partial { name, depth: inner.depth });
    crate::partial_debug!(Inner {});

    #[test]
    fn the_named_fields_are_shown_and_that_there_are_more() {
        let value = Partial { name: "a", inner: Inner { depth: 2 } };
        assert_eq!(format!("{value:?}"), "Partial { name: \"a\", depth: 2, .. }");
        assert_eq!(format!("{:?}", value.inner), "Inner { .. }");
    }
}
