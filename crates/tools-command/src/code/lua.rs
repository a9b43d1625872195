//! Signs in Lua.

use super::text::{first, pattern};

pattern!(
    SIGNS,
    r"\b(os\s*\.\s*(execute|remove|rename|exit)|io\s*\.\s*popen|load\w*|dofile|require|package|debug|ffi|socket|_G|_ENV|getfenv|setfenv)\b|\b(os|io)\s*\["
);

pub(super) fn sign(code: &str) -> Option<&str> {
    first(&SIGNS, code)
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn signs_are_told_from_everyday_code() {
        for code in ["os.execute('id')", "io.popen('id')", "os['execute']('id')", "_G.os.x()"] {
            assert!(sign(code).is_some(), "{code}");
        }
        assert_eq!(sign("print(1 + 1)"), None);
    }
}
