//! Sizes as people write them: `1 GiB`, `64 KiB`, `4096`, `unlimited`.

/// Error for a text that is not a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SizeError;

/// The number of bytes of a size; `None` for `unlimited`.
pub(crate) fn parse_size(text: &str) -> Result<Option<u64>, SizeError> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("unlimited") {
        return Ok(None);
    }
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(SizeError),
    };
    let number: u64 = number.parse().map_err(|_| SizeError)?;
    number.checked_mul(1 << shift).map(Some).ok_or(SizeError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let table = [
            ("1 GiB", Ok(Some(1 << 30))),
            ("64kib", Ok(Some(65_536))),
            ("10", Ok(Some(10))),
            ("unlimited", Ok(None)),
            ("", Err(SizeError)),
            ("x", Err(SizeError)),
            ("-1", Err(SizeError)),
            ("99999999999 TiB", Err(SizeError)),
        ];
        for (text, expected) in table {
            assert_eq!(parse_size(text), expected, "{text}");
        }
    }
}
