//! Each kept input, given to its target again.

use tools_fuzz::{check, corpus};

fn replay(name: &str) {
    let inputs = corpus(name);
    assert!(inputs.len() >= 10, "{name} has kept inputs");
    for input in inputs {
        check(name, &input);
    }
}

macro_rules! replayed {
    ($($name:ident)*) => {
        /// The targets that have a test here.
        pub(crate) const REPLAYED: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*
    };
}

crate::with_targets!(replayed);
