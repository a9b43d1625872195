//! Signs in Lua.

use super::text::pattern;

pattern!(
    pub(super) SIGNS,
    r"\b(os\s*\.\s*(execute|remove|rename|exit)|io\s*\.\s*popen|load\w*|dofile|require|package|debug|ffi|socket|_G|_ENV|getfenv|setfenv)\b|\b(os|io)\s*\["
);
