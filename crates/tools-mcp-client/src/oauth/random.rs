//! Random values, and the PKCE challenge.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};

use super::fault::LoginError;

/// 256 random bits, in characters that are allowed in a URL.
pub(crate) fn unguessable() -> Result<String, LoginError> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| LoginError::Config("the system gives no random numbers".to_owned()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The challenge of a verifier (PKCE, S256).
pub(crate) fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// Compares two texts in constant time.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_specification() {
        // The example of RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        let (one, other) = (unguessable().unwrap(), unguessable().unwrap());
        assert!(one.len() == 43 && one != other && is_same(&one, &one.clone()) && !is_same(&one, &other));
    }
}
