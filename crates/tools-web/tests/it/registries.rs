//! The classifier against the tables of the IANA special-purpose address registries, for random
//! addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use tools_web::guard::judge;

/// Blocks of the two registries (RFC 6890 and its successors), with what their column "globally
/// reachable" says.
const REGISTERED: &[(&str, bool)] = &[
    ("0.0.0.0/8", false),
    ("10.0.0.0/8", false),
    ("100.64.0.0/10", false),
    ("127.0.0.0/8", false),
    ("169.254.0.0/16", false),
    ("172.16.0.0/12", false),
    ("192.0.0.0/24", false),
    ("192.0.0.9/32", true),
    ("192.0.0.10/32", true),
    ("192.0.2.0/24", false),
    ("192.31.196.0/24", true),
    ("192.52.193.0/24", true),
    ("192.88.99.0/24", false),
    ("192.168.0.0/16", false),
    ("192.175.48.0/24", true),
    ("198.18.0.0/15", false),
    ("198.51.100.0/24", false),
    ("203.0.113.0/24", false),
    ("224.0.0.0/4", false),
    ("240.0.0.0/4", false),
    ("::/128", false),
    ("::1/128", false),
    ("::ffff:0:0/96", false),
    ("64:ff9b::/96", true),
    ("64:ff9b:1::/48", false),
    ("100::/64", false),
    ("100:0:0:1::/64", false),
    ("2001::/23", false),
    ("2001:1::1/128", true),
    ("2001:1::2/128", true),
    ("2001:1::3/128", true),
    ("2001:2::/48", false),
    ("2001:3::/32", true),
    ("2001:4:112::/48", true),
    ("2001:20::/28", true),
    ("2001:30::/28", true),
    ("2001:db8::/32", false),
    ("2002::/16", false),
    ("2620:4f:8000::/48", true),
    ("3fff::/20", false),
    ("5f00::/16", false),
    ("fc00::/7", false),
    ("fe80::/10", false),
    ("fec0::/10", false),
    ("ff00::/8", false),
];

/// What the registries call reachable and the guard gives up: anycast services of protocols inside
/// refused blocks.
const GIVEN_UP: &[&str] = &["192.0.0.0/24", "2001::/23"];
/// Services of clouds inside public blocks.
const CLOUDS: &[&str] = &["168.63.129.16/32"];

fn block(text: &str) -> (IpAddr, u32) {
    let (address, length) = text.split_once('/').unwrap();
    (address.parse().unwrap(), length.parse().unwrap())
}

fn is_within(address: IpAddr, text: &str) -> bool {
    match (address, block(text)) {
        (IpAddr::V4(address), (IpAddr::V4(first), length)) => {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
            u32::from(address) & mask == u32::from(first) & mask
        }
        (IpAddr::V6(address), (IpAddr::V6(first), length)) => {
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
            u128::from(address) & mask == u128::from(first) & mask
        }
        _ => false,
    }
}

/// Whether an address is public by the registries: the longest block decides, what is in none is
/// reachable where unicast addresses are given out.
fn is_public(address: IpAddr) -> bool {
    if let IpAddr::V6(inner) = address {
        if let Some(v4) = inner.to_ipv4_mapped() {
            return is_public(IpAddr::V4(v4));
        }
        if is_within(address, "64:ff9b::/96") {
            let [.., a, b, c, d] = inner.octets();
            return is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)));
        }
        let [.., high, low, _, _] = inner.segments();
        if low == 0x5efe && (high == 0 || high == 0x200) {
            return false;
        }
    }
    if GIVEN_UP.iter().chain(CLOUDS).any(|text| is_within(address, text)) {
        return false;
    }
    let found = REGISTERED.iter().filter(|(text, _)| is_within(address, text)).max_by_key(|(text, _)| block(text).1);
    match (found, address) {
        (Some((_, reachable)), _) => *reachable,
        (None, IpAddr::V4(_)) => true,
        (None, IpAddr::V6(_)) => is_within(address, "2000::/3"),
    }
}

/// Addresses of which every second lies in or beside a registered block.
fn addresses() -> impl Strategy<Value = IpAddr> {
    let beside = (prop::sample::select(REGISTERED.to_vec()), any::<u128>(), any::<u32>(), -2_i32..3).prop_map(
        |((text, _), random, low, step)| match block(text) {
            (IpAddr::V4(first), length) => {
                let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
                let inside = (u32::from(first) & mask) | (low & !mask);
                let edge = if step < 0 { u32::from(first) & mask } else { u32::from(first) | !mask };
                let bits = if step == 0 { inside } else { edge.wrapping_add_signed(step) };
                IpAddr::V4(Ipv4Addr::from(bits))
            }
            (IpAddr::V6(first), length) => {
                let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
                let inside = (u128::from(first) & mask) | (random & !mask);
                let edge = if step < 0 { u128::from(first) & mask } else { u128::from(first) | !mask };
                let bits = if step == 0 { inside } else { edge.wrapping_add_signed(step.into()) };
                IpAddr::V6(Ipv6Addr::from(bits))
            }
        },
    );
    let embedded =
        (prop::sample::select(vec![0_u128, 0xffff << 32, 0xffff << 48, 0x64_ff9b << 96]), any::<u32>(), beside.clone())
            .prop_map(|(prefix, random, other)| {
                let inner = if let IpAddr::V4(v4) = other { u32::from(v4) } else { random };
                IpAddr::V6(Ipv6Addr::from(prefix | u128::from(inner)))
            });
    prop_oneof![
        any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from(bits))),
        any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from(bits))),
        any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from(bits >> 3 | 1 << 125))),
        beside,
        embedded,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn an_address_is_public_exactly_where_the_registries_say_so(address in addresses()) {
        prop_assert_eq!(judge(address).is_ok(), is_public(address), "{}", address);
    }

    #[test]
    fn what_is_dialled_is_the_address_that_was_judged(address in addresses()) {
        if let Ok(dialled) = judge(address) {
            prop_assert_eq!(dialled, address.to_canonical());
            prop_assert_eq!(judge(dialled), Ok(dialled));
        }
    }
}
