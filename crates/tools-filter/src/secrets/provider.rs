//! Tokens that are told by their own shape: a prefix, an alphabet, a length. From the providers' documentation.

use super::scan::Finding;

/// What follows a prefix.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    /// Letters and digits.
    Alnum,
    /// Upper-case letters and digits.
    Upper,
    /// Hexadecimal digits, lower case.
    Hex,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Letters, digits and `+/=_-.`.
    Base64,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b',')
            }
        }
    }
}

/// A kind of token.
#[derive(Debug)]
pub(super) struct Provider {
    kind: &'static str,
    pub(super) prefix: &'static str,
    alphabet: Alphabet,
    /// How long the rest is at least, and at most.
    length: (usize, usize),
}

const fn token(kind: &'static str, prefix: &'static str, alphabet: Alphabet, least: usize, most: usize) -> Provider {
    Provider { kind, prefix, alphabet, length: (least, most) }
}

use Alphabet::{Alnum, Base64, Dotted, Hex, Upper, Url};

/// All kinds. A prefix decides; where one is the beginning of another, the longer is found first.
pub(super) const PROVIDERS: &[Provider] = &[
    token("github", "ghp_", Alnum, 36, 255),
    token("github", "gho_", Alnum, 36, 255),
    token("github", "ghu_", Alnum, 36, 255),
    token("github", "ghs_", Alnum, 36, 255),
    token("github", "ghr_", Alnum, 36, 255),
    token("github", "github_pat_", Url, 22, 255),
    token("gitlab", "glpat-", Url, 20, 300),
    token("gitlab", "gldt-", Url, 20, 300),
    token("gitlab", "glptt-", Url, 20, 300),
    token("gitlab", "glrt-", Url, 20, 300),
    token("gitlab", "glcbt-", Url, 20, 300),
    token("gitlab", "glsoat-", Url, 20, 300),
    token("aws-access-key", "AKIA", Upper, 16, 16),
    token("aws-access-key", "ASIA", Upper, 16, 16),
    token("aws-access-key", "ABIA", Upper, 16, 16),
    token("aws-access-key", "ACCA", Upper, 16, 16),
    token("slack", "xoxb-", Url, 20, 300),
    token("slack", "xoxp-", Url, 20, 300),
    token("slack", "xoxa-", Url, 20, 300),
    token("slack", "xoxe-", Url, 20, 400),
    token("slack", "xoxe.xox", Dotted, 20, 400),
    token("slack", "xoxr-", Url, 20, 300),
    token("slack", "xoxs-", Url, 20, 300),
    token("slack", "xapp-", Url, 20, 300),
    token("stripe", "sk_live_", Alnum, 16, 300),
    token("stripe", "sk_test_", Alnum, 16, 300),
    token("stripe", "rk_live_", Alnum, 16, 300),
    token("stripe", "rk_test_", Alnum, 16, 300),
    token("stripe", "whsec_", Base64, 24, 100),
    token("anthropic", "sk-ant-", Url, 32, 300),
    token("openrouter", "sk-or-v1-", Hex, 32, 128),
    token("openai", "sk-proj-", Url, 32, 300),
    token("openai", "sk-svcacct-", Url, 32, 300),
    token("openai", "sk-admin-", Url, 32, 300),
    token("openai", "sk-None-", Url, 32, 300),
    token("api-key", "sk-", Alnum, 32, 128),
    token("google", "AIza", Url, 35, 35),
    token("google-oauth", "ya29.", Url, 20, 2048),
    token("google-oauth", "GOCSPX-", Url, 24, 40),
    token("huggingface", "hf_", Alnum, 30, 60),
    token("huggingface", "api_org_", Alnum, 30, 60),
    token("groq", "gsk_", Alnum, 40, 80),
    token("xai", "xai-", Alnum, 60, 120),
    token("perplexity", "pplx-", Alnum, 40, 80),
    token("replicate", "r8_", Alnum, 30, 60),
    token("npm", "npm_", Alnum, 36, 36),
    token("pypi", "pypi-AgE", Url, 40, 400),
    token("rubygems", "rubygems_", Hex, 48, 48),
    token("docker", "dckr_pat_", Url, 20, 60),
    token("docker", "dckr_oat_", Url, 20, 60),
    token("sendgrid", "SG.", Dotted, 50, 90),
    token("mailgun", "key-", Hex, 32, 32),
    token("mailchimp", "md-", Alnum, 22, 22),
    token("shopify", "shpat_", Hex, 32, 32),
    token("shopify", "shpca_", Hex, 32, 32),
    token("shopify", "shppa_", Hex, 32, 32),
    token("shopify", "shpss_", Hex, 32, 32),
    token("digitalocean", "dop_v1_", Hex, 64, 64),
    token("digitalocean", "doo_v1_", Hex, 64, 64),
    token("digitalocean", "dor_v1_", Hex, 64, 64),
    token("grafana", "glsa_", Url, 32, 60),
    token("grafana", "glc_", Base64, 32, 400),
    token("figma", "figd_", Url, 30, 60),
    token("linear", "lin_api_", Alnum, 32, 64),
    token("linear", "lin_oauth_", Alnum, 32, 80),
    token("notion", "ntn_", Alnum, 40, 60),
    token("notion", "secret_", Alnum, 43, 43),
    token("doppler", "dp.pt.", Alnum, 40, 50),
    token("doppler", "dp.st.", Dotted, 40, 80),
    token("doppler", "dp.ct.", Alnum, 40, 50),
    token("doppler", "dp.sa.", Alnum, 40, 50),
    token("databricks", "dapi", Hex, 32, 34),
    token("atlassian", "ATATT3", Base64, 100, 300),
    token("atlassian", "ATCTT3", Base64, 100, 300),
    token("planetscale", "pscale_tkn_", Dotted, 32, 64),
    token("planetscale", "pscale_pw_", Dotted, 32, 64),
    token("postman", "PMAK-", Url, 50, 70),
    token("newrelic", "NRAK-", Upper, 27, 27),
    token("newrelic", "NRII-", Url, 32, 32),
    token("sentry", "sntrys_", Base64, 40, 400),
    token("sentry", "sntryu_", Hex, 64, 64),
    token("supabase", "sbp_", Hex, 40, 40),
    token("supabase", "sb_secret_", Url, 20, 60),
    token("netlify", "nfp_", Alnum, 36, 40),
    token("tailscale", "tskey-", Url, 20, 100),
    token("1password", "ops_eyJ", Base64, 100, 2048),
    token("1password", "A3-", Url, 30, 60),
    token("fly", "fm2_", Base64, 40, 2048),
    token("fly", "fm1r_", Base64, 40, 2048),
    token("fly", "fo1_", Url, 40, 60),
    token("vault", "hvs.", Url, 24, 400),
    token("vault", "hvb.", Url, 24, 400),
    token("vault", "hvr.", Url, 24, 400),
    token("pulumi", "pul-", Hex, 40, 40),
    token("prefect", "pnu_", Alnum, 36, 36),
    token("square", "sq0atp-", Url, 22, 22),
    token("square", "sq0csp-", Url, 43, 43),
    token("clojars", "CLOJARS_", Alnum, 60, 60),
    token("contentful", "CFPAT-", Url, 43, 43),
    token("dynatrace", "dt0c01.", Dotted, 80, 100),
    token("easypost", "EZAK", Alnum, 54, 54),
    token("flutterwave", "FLWSECK-", Alnum, 12, 60),
    token("frameio", "fio-u-", Url, 64, 64),
    token("readme", "rdme_", Alnum, 70, 70),
    token("shippo", "shippo_live_", Hex, 40, 40),
    token("adobe", "p8e-", Alnum, 32, 32),
    token("brevo", "xkeysib-", Url, 64, 100),
    token("buildkite", "bkua_", Hex, 40, 40),
    token("age", "AGE-SECRET-KEY-1", Upper, 58, 58),
    token("alibaba", "LTAI", Alnum, 17, 21),
    token("tencent", "AKID", Alnum, 32, 32),
    token("yandex", "y0_", Url, 50, 80),
    token("yandex", "AQVN", Url, 35, 40),
    token("gitlab", "glft-", Url, 20, 300),
    token("gitlab", "glimt-", Url, 20, 300),
    token("gitlab", "glagent-", Url, 20, 300),
    token("gitlab", "gloas-", Hex, 64, 64),
    token("gitlab", "glffct-", Url, 20, 300),
    token("gitlab", "GR1348941", Url, 20, 40),
    token("aws-bedrock", "ABSK", Base64, 100, 300),
    token("slack", "xoxo-", Url, 20, 300),
    token("slack", "xoxc-", Url, 20, 300),
    token("slack", "xoxd-", Base64, 20, 300),
    token("google-oauth", "1//0", Url, 35, 200),
    token("nvidia", "nvapi-", Url, 50, 100),
    token("fireworks", "fw_3Z", Alnum, 18, 40),
    token("langsmith", "lsv2_pt_", Url, 32, 60),
    token("langsmith", "lsv2_sk_", Url, 32, 60),
    token("langfuse", "sk-lf-", Url, 36, 36),
    token("pinecone", "pcsk_", Url, 40, 90),
    token("elevenlabs", "sk_", Hex, 48, 48),
    token("cloudflare", "v1.0-", Url, 170, 180),
    token("bitbucket", "ATBB", Alnum, 28, 40),
    token("artifactory", "AKCp", Alnum, 60, 80),
    token("artifactory", "cmVmdGtu", Alnum, 50, 70),
    token("adafruit", "aio_", Alnum, 28, 28),
    token("duffel", "duffel_live_", Url, 43, 43),
    token("duffel", "duffel_test_", Url, 43, 43),
    token("dropbox", "sl.u.", Url, 100, 2000),
    token("facebook", "EAACEdEose0cBA", Alnum, 20, 300),
    token("facebook", "EAA", Alnum, 80, 300),
    token("harness", "pat.", Dotted, 60, 80),
    token("hubspot", "pat-na1-", Url, 36, 36),
    token("hubspot", "pat-eu1-", Url, 36, 36),
    token("infracost", "ico-", Alnum, 32, 32),
    token("intra42", "s-s4t2ud-", Hex, 64, 64),
    token("intra42", "s-s4t2af-", Hex, 64, 64),
    token("mapbox", "sk.eyJ", Dotted, 60, 200),
    token("octopus", "API-", Upper, 25, 36),
    token("openshift", "sha256~", Url, 43, 43),
    token("packagist", "packagist_uut_", Hex, 68, 68),
    token("packagist", "packagist_out_", Hex, 68, 68),
    token("packagist", "packagist_ort_", Hex, 68, 68),
    token("scalingo", "tk-us-", Url, 48, 48),
    token("settlemint", "sm_pat_", Alnum, 16, 16),
    token("settlemint", "sm_aat_", Alnum, 16, 16),
    token("settlemint", "sm_sat_", Alnum, 16, 16),
    token("sonar", "squ_", Hex, 40, 40),
    token("sonar", "sqp_", Hex, 40, 40),
    token("sonar", "sqa_", Hex, 40, 40),
    token("sourcegraph", "sgp_", Url, 40, 80),
    token("typeform", "tfp_", Dotted, 59, 59),
    token("render", "rnd_", Alnum, 28, 40),
    token("expo", "exp_", Url, 40, 60),
    token("scaleway", "SCW", Upper, 17, 17),
    token("razorpay", "rzp_live_", Alnum, 14, 14),
    token("razorpay", "rzp_test_", Alnum, 14, 14),
    token("braintree", "access_token$production$", Base64, 30, 80),
    token("plaid", "access-production-", Url, 36, 36),
    token("plaid", "access-sandbox-", Url, 36, 36),
    token("plaid", "access-development-", Url, 36, 36),
    token("flutterwave", "FLWSECK_TEST-", Alnum, 12, 60),
    token("buildkite", "bkct_", Url, 40, 60),
    token("buildkite", "bkat_", Url, 40, 60),
    token("circleci", "CCIPAT_", Url, 40, 120),
    token("neon", "napi_", Alnum, 60, 70),
    token("vercel", "vcp_", Alnum, 40, 80),
    token("zuplo", "zpka_", Alnum, 32, 80),
    token("rootly", "rootly_", Hex, 64, 64),
    token("private-key", "LS0tLS1CRUdJTiBQUklW", Base64, 40, 8192),
    token("private-key", "LS0tLS1CRUdJTiBSU0Eg", Base64, 40, 8192),
    token("private-key", "LS0tLS1CRUdJTiBFQyBQ", Base64, 40, 8192),
    token("private-key", "LS0tLS1CRUdJTiBPUEVO", Base64, 40, 8192),
    token("private-key", "LS0tLS1CRUdJTiBFTkNS", Base64, 40, 8192),
    token("private-key", "LS0tLS1CRUdJTiBEU0Eg", Base64, 40, 8192),
];

impl Provider {
    /// Whether the prefix is also the beginning of a name: `secret_…`.
    pub(super) fn is_name(&self) -> bool {
        matches!(self.prefix, "secret_" | "key-" | "access_token$production$")
    }
}

/// Reads the rest of a token whose prefix stands at `start`.
pub(super) fn find(text: &str, start: usize, provider: &'static Provider) -> Option<Finding> {
    let bytes = text.as_bytes();
    let rest = start + provider.prefix.len();
    // Keywords are found without regard to case; prefixes are written one way.
    if bytes.get(start..rest)? != provider.prefix.as_bytes() || is_inside_word(bytes, start) {
        return None;
    }
    let (least, most) = provider.length;
    let mut length = bytes[rest..].iter().take(most + 1).take_while(|byte| provider.alphabet.has(**byte)).count();
    // A full stop or a comma after a token belongs to the sentence.
    while length > 0 && matches!(bytes[rest + length - 1], b'.' | b',') {
        length -= 1;
    }
    let end = rest + length;
    if !(least..=most).contains(&length) {
        return None;
    }
    // A run of one letter is an illustration.
    let is_varied = bytes[rest..end].iter().any(|byte| Some(byte) != bytes.get(rest))
        && !text[rest..end].to_ascii_lowercase().contains("xxxxxxxx");
    let is_example = text[start..end].to_ascii_uppercase().contains("EXAMPLE");
    (is_varied && !is_example).then_some(Finding { start, end, kind: provider.kind, rule: provider.prefix })
}

/// A JSON Web Token: three parts, the first a JSON object.
pub(super) fn jwt(text: &str, start: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    if !text[start..].starts_with("eyJ") || is_inside_word(bytes, start) {
        return None;
    }
    let run = |from: usize| from + bytes[from..].iter().take_while(|byte| Url.has(**byte)).count();
    let header = run(start);
    let payload = bytes.get(header).filter(|byte| **byte == b'.').map(|_| run(header + 1))?;
    let signature = bytes.get(payload).filter(|byte| **byte == b'.').map_or(payload, |_| run(payload + 1));
    let is_token = header - start >= 16 && payload - header > 12;
    is_token.then_some(Finding { start, end: signature, kind: "jwt", rule: "jwt" })
}

/// A Terraform Cloud token: its mark stands in the middle.
pub(super) fn atlas(text: &str, mark: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let before = bytes[..mark].iter().rev().take(15).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let rest = mark + ".atlasv1.".len();
    let after = bytes.get(rest..)?.iter().take(80).take_while(|byte| Url.has(**byte)).count();
    (before == 14 && after >= 60).then_some(Finding {
        start: mark - before,
        end: rest + after,
        kind: "terraform",
        rule: "token-shape",
    })
}

/// A token of Telegram: a number, a colon, 35 characters that begin with `AA`.
pub(super) fn telegram(text: &str, colon: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let number = bytes[..colon].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let after = bytes[colon + 1..].iter().take(40).take_while(|byte| Url.has(**byte)).count();
    let found = Finding { start: colon - number, end: colon + 1 + after, kind: "telegram", rule: "token-shape" };
    ((8..=11).contains(&number) && (34..=36).contains(&after)).then_some(found)
}

/// A secret of an application of Microsoft Entra: `Q~` after three characters and a digit.
pub(super) fn entra(text: &str, mark: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~');
    let before = bytes[..mark].iter().rev().take(6).take_while(|byte| is_part(byte)).count();
    if before != 4 || !bytes[mark - 1].is_ascii_digit() {
        return None;
    }
    let after = bytes[mark + 2..].iter().take(40).take_while(|byte| is_part(byte)).count();
    let found = Finding { start: mark - before, end: mark + 2 + after, kind: "azure", rule: "token-shape" };
    (31..=34).contains(&after).then_some(found)
}

/// A token of Azure DevOps: 84 letters and digits with a mark near the end.
pub(super) fn azure_devops(text: &str, mark: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let before = bytes[..mark].iter().rev().take(80).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let after = bytes[mark + 4..].iter().take(8).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let found = Finding { start: mark - before, end: mark + 4 + after, kind: "azure", rule: "token-shape" };
    (before == 76 && after == 4).then_some(found)
}

/// An address that whoever knows it may post to: the last part of its path is the secret.
pub(super) fn webhook(text: &str, rest: usize) -> Option<Finding> {
    let tail = text.get(rest..)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'@');
    let length = tail.bytes().take(400).take_while(is_part).count();
    let last = tail[..length].rfind('/')? + 1;
    // One letter again and again is an illustration.
    let is_varied = tail[last..length].bytes().any(|byte| Some(byte) != tail[last..length].bytes().next());
    (is_varied && length - last >= 20).then_some(Finding {
        start: rest + last,
        end: rest + length,
        kind: "webhook",
        rule: "token-shape",
    })
}

/// Whether a letter or digit stands right before, so that what follows is no beginning. An escape such as `\n` in quoted
/// text does not count as one, nor the end of a colour.
pub(super) fn is_inside_word(bytes: &[u8], start: usize) -> bool {
    let Some(before) = start.checked_sub(1).map(|at| bytes[at]) else { return false };
    let earlier = start.checked_sub(2).map(|at| bytes[at]);
    let is_escape = matches!(before, b'n' | b't' | b'r') && earlier == Some(b'\\');
    let is_colour = before == b'm'
        && bytes[..start - 1]
            .iter()
            .rev()
            .take(12)
            .skip_while(|byte| byte.is_ascii_digit() || **byte == b';')
            .take(2)
            .eq(b"[\x1b");
    before.is_ascii_alphanumeric() && !is_escape && !is_colour
}
