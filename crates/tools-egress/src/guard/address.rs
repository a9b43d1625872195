//! Decides which addresses are public: a pure function over the blocks of the IANA special-purpose
//! registries. Anything not known to be globally routable unicast is refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Reason why an address is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AddressClass {
    /// A metadata service of a cloud, whatever its address.
    Metadata,
    /// `0.0.0.0/8` and `::`.
    Unspecified,
    /// `127.0.0.0/8` and `::1`.
    Loopback,
    /// The private networks of RFC 1918, `fc00::/7` and `fec0::/10`.
    Private,
    /// `100.64.0.0/10`, between a provider and its customers.
    SharedNat,
    /// `169.254.0.0/16` and `fe80::/10`.
    LinkLocal,
    /// Multicast and broadcast.
    Multicast,
    /// Blocks for documentation.
    Documentation,
    /// Blocks for benchmarks of networks.
    Benchmark,
    /// An IPv6 address that contains an IPv4 address (compatible, translated, NAT64, 6to4, Teredo,
    /// ISATAP) and leads to an unknown network, or to an IPv4 address that is not public.
    Embedded,
    /// Reserved, unallocated, or for protocols.
    Reserved,
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metadata => "metadata service",
            Self::Unspecified => "unspecified",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::SharedNat => "shared by a provider",
            Self::LinkLocal => "link-local",
            Self::Multicast => "multicast",
            Self::Documentation => "documentation",
            Self::Benchmark => "benchmark",
            Self::Embedded => "IPv4 inside IPv6",
            Self::Reserved => "reserved",
        })
    }
}

struct Block<A> {
    first: A,
    length: u32,
    class: AddressClass,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u32, class: AddressClass) -> Block<Ipv4Addr> {
    Block { first: Ipv4Addr::new(a, b, c, d), length, class }
}

const fn v6(segments: [u16; 8], length: u32, class: AddressClass) -> Block<Ipv6Addr> {
    let mut bits = 0;
    let mut at = 0;
    while at < segments.len() {
        bits = bits << 16 | segments[at] as u128;
        at += 1;
    }
    Block { first: Ipv6Addr::from_bits(bits), length, class }
}

/// Refused blocks, metadata services first: some are inside of public blocks.
const V4: &[Block<Ipv4Addr>] = &{
    use AddressClass as C;
    [
        v4(169, 254, 169, 253, 32, C::Metadata),
        v4(169, 254, 169, 254, 32, C::Metadata),
        v4(169, 254, 170, 2, 32, C::Metadata),
        v4(169, 254, 170, 23, 32, C::Metadata),
        v4(169, 254, 42, 42, 32, C::Metadata),
        v4(100, 100, 100, 200, 32, C::Metadata),
        v4(192, 0, 0, 192, 32, C::Metadata),
        v4(168, 63, 129, 16, 32, C::Metadata),
        v4(0, 0, 0, 0, 8, C::Unspecified),
        v4(10, 0, 0, 0, 8, C::Private),
        v4(100, 64, 0, 0, 10, C::SharedNat),
        v4(127, 0, 0, 0, 8, C::Loopback),
        v4(169, 254, 0, 0, 16, C::LinkLocal),
        v4(172, 16, 0, 0, 12, C::Private),
        v4(192, 0, 0, 0, 24, C::Reserved),
        v4(192, 0, 2, 0, 24, C::Documentation),
        v4(192, 88, 99, 0, 24, C::Reserved),
        v4(192, 168, 0, 0, 16, C::Private),
        v4(198, 18, 0, 0, 15, C::Benchmark),
        v4(198, 51, 100, 0, 24, C::Documentation),
        v4(203, 0, 113, 0, 24, C::Documentation),
        v4(224, 0, 0, 0, 4, C::Multicast),
        v4(255, 255, 255, 255, 32, C::Multicast),
        v4(240, 0, 0, 0, 4, C::Reserved),
    ]
};

/// Refused blocks of IPv6 with a class; addresses outside of these and of [`GLOBAL`] are reserved.
const V6: &[Block<Ipv6Addr>] = &{
    use AddressClass as C;
    [
        v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, C::Metadata),
        v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128, C::Metadata),
        v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, C::Metadata),
        v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, C::Metadata),
        v6([0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128, C::Metadata),
        v6([0, 0, 0, 0, 0, 0, 0, 0], 128, C::Unspecified),
        v6([0, 0, 0, 0, 0, 0, 0, 1], 128, C::Loopback),
        v6([0, 0, 0, 0, 0, 0, 0, 0], 96, C::Embedded),
        v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, C::Embedded),
        v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, C::Embedded),
        v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, C::Embedded),
        v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, C::Benchmark),
        v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, C::Reserved),
        v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, C::Documentation),
        v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, C::Embedded),
        v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, C::Documentation),
        v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, C::Private),
        v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, C::LinkLocal),
        v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, C::Private),
        v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, C::Multicast),
    ]
};

/// The only block from which global IPv6 unicast addresses are assigned.
const GLOBAL: Block<Ipv6Addr> = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, AddressClass::Reserved);
/// Networks without IPv4 use these addresses for hosts that have only IPv4.
const NAT64: Block<Ipv6Addr> = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, AddressClass::Embedded);

/// The address to connect to, if it is public; an address in `::ffff:0:0/96` becomes its IPv4
/// address.
///
/// # Errors
/// The class of an address that is not globally routable unicast.
/// The class of an address that is not globally routable unicast.
pub fn judge(address: IpAddr) -> Result<IpAddr, AddressClass> {
    match address {
        IpAddr::V4(address) => judge_v4(address).map(IpAddr::V4),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(inner) => judge_v4(inner).map(IpAddr::V4),
            None => judge_v6(address).map(IpAddr::V6),
        },
    }
}

fn judge_v4(address: Ipv4Addr) -> Result<Ipv4Addr, AddressClass> {
    let bits = address.to_bits();
    let within = |block: &&Block<Ipv4Addr>| (bits ^ block.first.to_bits()) >> (32 - block.length) == 0;
    V4.iter().find(within).map_or(Ok(address), |block| Err(block.class))
}

fn judge_v6(address: Ipv6Addr) -> Result<Ipv6Addr, AddressClass> {
    if within(address, &NAT64) {
        let [.., a, b, c, d] = address.octets();
        return match judge_v4(Ipv4Addr::new(a, b, c, d)) {
            Err(AddressClass::Metadata) => Err(AddressClass::Metadata),
            Err(_) => Err(AddressClass::Embedded),
            Ok(_) => Ok(address),
        };
    }
    if let Some(block) = V6.iter().find(|block| within(address, block)) {
        return Err(block.class);
    }
    if !within(address, &GLOBAL) {
        return Err(AddressClass::Reserved);
    }
    // ISATAP: the interface identifier contains an IPv4 host of some network.
    let [.., high, low, _, _] = address.segments();
    if low == 0x5efe && matches!(high, 0 | 0x200) {
        return Err(AddressClass::Embedded);
    }
    Ok(address)
}

fn within(address: Ipv6Addr, block: &Block<Ipv6Addr>) -> bool {
    (address.to_bits() ^ block.first.to_bits()) >> (128 - block.length) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_a_host_that_is_not_public_has_its_class() {
        use AddressClass as C;
        let check = |text: &str, expected: Result<&str, C>| {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(judge(address), expected.map(|text| text.parse().unwrap()), "{text}");
        };
        check("93.184.215.14", Ok("93.184.215.14"));
        check("::ffff:93.184.215.14", Ok("93.184.215.14"));
        check("64:ff9b::5db8:d70e", Ok("64:ff9b::5db8:d70e"));
        check("2606:4700::1111", Ok("2606:4700::1111"));
        check("127.8.8.8", Err(C::Loopback));
        check("::ffff:127.0.0.1", Err(C::Loopback));
        check("64:ff9b::7f00:1", Err(C::Embedded));
        check("64:ff9b::a9fe:a9fe", Err(C::Metadata));
        check("64:ff9b:1::808:808", Err(C::Embedded));
        check("::7f00:1", Err(C::Embedded));
        check("::ffff:0:808:808", Err(C::Embedded));
        check("2002:808:808::1", Err(C::Embedded));
        check("2001:0:5ef5:79fd:0:59d:f5ff:fffe", Err(C::Embedded));
        check("2a00:1450::5efe:808:808", Err(C::Embedded));
        check("2a00:1450::200:5efe:a00:1", Err(C::Embedded));
        check("168.63.129.16", Err(C::Metadata));
        check("fd00:ec2::254", Err(C::Metadata));
        check("255.255.255.255", Err(C::Multicast));
        check("250.0.0.1", Err(C::Reserved));
        check("4000::1", Err(C::Reserved));
        check("5f00::1", Err(C::Reserved));
        check("2001:2::1", Err(C::Benchmark));
        check("2001:1::1", Err(C::Reserved));
        check("fec0::1", Err(C::Private));
    }
}
