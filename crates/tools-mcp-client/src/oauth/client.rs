//! The client at an authorization server, and its authentication.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{fault::LoginError, metadata::Issuer, random::unguessable, scopes::Scopes};

/// Name of a registration in errors.
pub(crate) const REGISTRATION: &str = "the registration";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// Validity of a signed assertion in seconds.
const PROOF_SECONDS: i64 = 60;
/// Maximum length of a client id or secret.
const MAX_LEN: usize = 2048;

/// Client authentication method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// None: everybody has this program, so it has no secret.
    None,
    ClientSecretBasic,
    ClientSecretPost,
    PrivateKeyJwt,
}

impl Method {
    fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    fn named(text: &str) -> Option<Self> {
        [Self::None, Self::ClientSecretBasic, Self::ClientSecretPost].into_iter().find(|one| one.as_str() == text)
    }

    /// How to send a secret to this authorization server.
    fn of_secret(issuer: &Issuer) -> Self {
        if !issuer.takes("client_secret_basic") && issuer.takes("client_secret_post") {
            Self::ClientSecretPost
        } else {
            Self::ClientSecretBasic
        }
    }
}

/// A client registered at an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) method: Method,
    /// Secret of a client that was registered for this login; one from the configuration is never
    /// stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<String>,
}

tools_core::partial_debug!(Client { id, method });

/// Secrets of a client that the operator registered.
#[derive(Clone, Default)]
pub struct ClientKeys {
    /// The secret, if `oauth.client_secret_env` names it.
    pub secret: Option<String>,
    /// The private key in PEM (PKCS #8), if `oauth.private_key_env` names it.
    pub private_key: Option<String>,
}

impl fmt::Debug for ClientKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientKeys(…)")
    }
}

/// The client that the operator registered.
pub(crate) fn configured(id: &str, keys: &ClientKeys, issuer: &Issuer) -> Client {
    let method = match keys {
        ClientKeys { private_key: Some(_), .. } => Method::PrivateKeyJwt,
        ClientKeys { secret: Some(_), .. } => Method::of_secret(issuer),
        _ => Method::None,
    };
    Client { id: id.to_owned(), method, secret: None }
}

/// Body of a client registration (RFC 7591).
pub(crate) fn registration(issuer: &Issuer, redirect: &str, scopes: &Scopes) -> Value {
    let mut wanted = json!({
        "client_name": "Haft",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted_method(issuer).as_str(),
    });
    if !scopes.is_empty() {
        wanted["scope"] = scopes.to_string().into();
    }
    wanted
}

/// A public program cannot keep a secret: it uses one only if the server requires it.
fn wanted_method(issuer: &Issuer) -> Method {
    if issuer.token_endpoint_auth_methods_supported.is_none() || issuer.takes("none") {
        Method::None
    } else {
        Method::of_secret(issuer)
    }
}

pub(crate) fn registered(answer: &Value, issuer: &Issuer) -> Result<Client, LoginError> {
    let unusable = |problem: &str| LoginError::metadata(REGISTRATION, problem);
    let text = |name: &str| answer.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let fits = |text: &str| text.len() <= MAX_LEN && text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let id = text("client_id").filter(|id| fits(id)).ok_or_else(|| unusable("it gives no `client_id`"))?;
    let secret = text("client_secret");
    if secret.is_some_and(|secret| !fits(secret)) {
        return Err(unusable("its `client_secret` cannot be sent"));
    }
    let method = match text("token_endpoint_auth_method") {
        Some(method) => Method::named(method).ok_or_else(|| unusable("it wants a proof that was not asked for"))?,
        None => wanted_method(issuer),
    };
    if method != Method::None && secret.is_none() {
        return Err(unusable("it wants a secret and gives none"));
    }
    let secret = secret.filter(|_| method != Method::None).map(str::to_owned);
    Ok(Client { id: id.to_owned(), method, secret })
}

/// Authentication of a request to a token endpoint.
pub(crate) struct TokenAuthentication {
    pub(crate) body: String,
    /// The header `Authorization`.
    pub(crate) authorization: Option<String>,
}

impl Client {
    /// Adds the authentication to a request to the token endpoint of `issuer`.
    pub(crate) fn authenticate(
        &self,
        fields: &[(&str, &str)],
        issuer: &str,
        keys: &ClientKeys,
        now: i64,
    ) -> Result<TokenAuthentication, LoginError> {
        let mut body = Serializer::new(String::new());
        body.extend_pairs(fields);
        let secret = || {
            let secret = self.secret.as_ref().or(keys.secret.as_ref());
            secret.ok_or_else(|| {
                LoginError::Config("there is no secret of the client: set `oauth.client_secret_env`".to_owned())
            })
        };
        let mut authorization = None;
        match self.method {
            Method::None => {
                body.append_pair("client_id", &self.id);
            }
            Method::ClientSecretPost => {
                body.append_pair("client_id", &self.id).append_pair("client_secret", secret()?);
            }
            Method::ClientSecretBasic => {
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let both = format!("{}:{}", encoded(&self.id), encoded(secret()?));
                authorization = Some(format!("Basic {}", STANDARD.encode(both)));
            }
            Method::PrivateKeyJwt => {
                let key = keys.private_key.as_ref();
                let key = key.ok_or_else(|| {
                    LoginError::Config("there is no key of the client: set `oauth.private_key_env`".to_owned())
                })?;
                let assertion = assertion(key, &self.id, issuer, now)?;
                body.append_pair("client_id", &self.id);
                body.append_pair("client_assertion_type", ASSERTION).append_pair("client_assertion", &assertion);
            }
        }
        Ok(TokenAuthentication { body: body.finish(), authorization })
    }
}

/// A signing key by its type.
enum Signer {
    Ecdsa(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

/// Checks a private key.
pub(crate) fn check_key(pem: &str) -> Result<(), LoginError> {
    signer(pem).map(drop)
}

fn signer(pem: &str) -> Result<Signer, LoginError> {
    let unusable = || {
        let expected = "expected a private key in PEM (PKCS #8, `BEGIN PRIVATE KEY`), of P-256 or RSA";
        LoginError::Config(format!("the variable of `oauth.private_key_env`: {expected}"))
    };
    let inner = pem
        .split_once("-----BEGIN PRIVATE KEY-----")
        .and_then(|(_, rest)| rest.split_once("-----END"))
        .map(|(inner, _)| inner);
    let text: String = inner.ok_or_else(unusable)?.chars().filter(|c| !c.is_whitespace()).collect();
    let der = STANDARD.decode(text).map_err(|_| unusable())?;
    if let Ok(pair) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new()) {
        return Ok(Signer::Ecdsa(pair));
    }
    RsaKeyPair::from_pkcs8(&der).map(Signer::Rsa).map_err(|_| unusable())
}

/// A signed assertion (RFC 7523), valid for this authorization server and for one minute.
fn assertion(pem: &str, client: &str, issuer: &str, now: i64) -> Result<String, LoginError> {
    let signer = signer(pem)?;
    let algorithm = match &signer {
        Signer::Ecdsa(_) => "ES256",
        Signer::Rsa(_) => "RS256",
    };
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({
        "iss": client, "sub": client, "aud": issuer, "jti": unguessable()?, "iat": now, "exp": now + PROOF_SECONDS,
    });
    let message = format!("{}.{}", part(&json!({"alg": algorithm, "typ": "JWT"})), part(&claims));
    let random = SystemRandom::new();
    let failed = |_| LoginError::Config("the proof of the client cannot be signed".to_owned());
    let signature = match &signer {
        Signer::Ecdsa(pair) => pair.sign(&random, message.as_bytes()).map_err(failed)?.as_ref().to_vec(),
        Signer::Rsa(pair) => {
            let mut signature = vec![0; pair.public().modulus_len()];
            pair.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature).map_err(failed)?;
            signature
        }
    };
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, KeyPair as _, UnparsedPublicKey};

    use super::*;

    fn issuer(methods: &Value) -> Issuer {
        let text = json!({"issuer": "https://a", "token_endpoint": "https://a/t", "token_endpoint_auth_methods_supported": methods});
        Issuer::read(text, "https://a").unwrap()
    }

    #[test]
    fn a_client_registers_without_a_secret_where_it_can() {
        let check = |methods: Value, expected: &str| {
            let wanted = registration(&issuer(&methods), "http://127.0.0.1:1/callback", &Scopes::default());
            assert_eq!(wanted["token_endpoint_auth_method"], expected, "{methods}");
            assert_eq!(wanted["application_type"], "native");
        };
        check(json!(null), "none");
        check(json!(["client_secret_basic", "none"]), "none");
        check(json!(["client_secret_basic"]), "client_secret_basic");
        check(json!(["client_secret_post"]), "client_secret_post");
        check(json!(["client_secret_post", "client_secret_basic"]), "client_secret_basic");
    }

    #[test]
    fn what_a_registration_gives_is_taken_or_refused() {
        let check = |answer: Value, methods: Value, expected: Option<(Method, bool)>| {
            let found = registered(&answer, &issuer(&methods)).ok();
            assert_eq!(found.map(|client| (client.method, client.secret.is_some())), expected, "{answer}");
        };
        let none = || json!(["none"]);
        check(json!({"client_id": "c"}), none(), Some((Method::None, false)));
        check(json!({"client_id": "c", "client_secret": "s"}), none(), Some((Method::None, false)));
        let asked = json!({"client_id": "c", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"});
        check(asked, none(), Some((Method::ClientSecretPost, true)));
        check(
            json!({"client_id": "c", "client_secret": "s"}),
            json!(["client_secret_basic"]),
            Some((Method::ClientSecretBasic, true)),
        );
        check(json!({"client_id": "c"}), json!(["client_secret_basic"]), None);
        check(json!({"client_id": "c", "token_endpoint_auth_method": "private_key_jwt"}), none(), None);
        check(json!({"client_id": ""}), none(), None);
        check(json!({"client_id": "c\u{202e}"}), none(), None);
        check(json!({"client_id": "x".repeat(3000)}), none(), None);
        check(json!("c"), none(), None);
    }

    #[test]
    fn the_proof_stands_where_the_method_says() {
        let keys = ClientKeys { secret: Some("p:ss w".to_owned()), private_key: None };
        let proven = |method, secret: Option<&str>| {
            let client = Client { id: "c d".to_owned(), method, secret: secret.map(str::to_owned) };
            client
                .authenticate(&[("a", "b&c")], "https://a", &keys, 0)
                .map(|proven| (proven.body, proven.authorization))
                .unwrap()
        };
        assert_eq!(proven(Method::None, None), ("a=b%26c&client_id=c+d".to_owned(), None));
        assert_eq!(proven(Method::ClientSecretPost, None).0, "a=b%26c&client_id=c+d&client_secret=p%3Ass+w");
        let basic = format!("Basic {}", STANDARD.encode("c+d:own"));
        assert_eq!(proven(Method::ClientSecretBasic, Some("own")), ("a=b%26c".to_owned(), Some(basic)));
        let without = Client { id: "c".to_owned(), method: Method::ClientSecretBasic, secret: None };
        assert!(without.authenticate(&[], "https://a", &ClientKeys::default(), 0).is_err());
        assert!(!format!("{without:?} {keys:?}").contains("p:ss"));
    }

    #[test]
    fn a_signed_proof_is_verified_with_the_public_key() {
        let random = SystemRandom::new();
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random).unwrap();
        let pem =
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der.as_ref()));
        let made = assertion(&pem, "client", "https://a/x", 1000).unwrap();
        let (signed, signature) = made.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref())
            .verify(signed.as_bytes(), &signature)
            .unwrap();
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(signed.split('.').nth(1).unwrap()).unwrap()).unwrap();
        assert_eq!(
            (&claims["iss"], &claims["sub"], &claims["aud"], &claims["exp"]),
            (&json!("client"), &json!("client"), &json!("https://a/x"), &json!(1060))
        );
        for wrong in
            ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n!\n"]
        {
            let error = check_key(wrong).unwrap_err().to_string();
            assert!(error.contains("private_key_env"), "{error}");
        }
    }
}
