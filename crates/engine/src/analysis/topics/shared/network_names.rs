//! Hosts, addresses, versions and failures in events of `System.Net`.

use crate::analysis::values::fields::{Decoded, is_true, text, whole};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Returns scheme and host without a default port: "https://shop:5081".
pub fn host(fields: &Decoded<'_>) -> String {
    let (scheme, host) = (text(fields, "scheme"), text(fields, "host"));
    match (scheme, whole(fields, "port")) {
        ("http", Some(80)) | ("https", Some(443)) | (_, None) => format!("{scheme}://{host}"),
        (_, Some(port)) => format!("{scheme}://{host}:{port}"),
    }
}

/// Returns the HTTP version, "HTTP/1.1" or "HTTP/2"; empty if it isn't recorded.
pub fn http_version(fields: &Decoded<'_>) -> String {
    match (whole(fields, "versionMajor"), whole(fields, "versionMinor")) {
        (Some(major), Some(0)) if major > 1 => format!("HTTP/{major}"),
        (Some(major), Some(minor)) => format!("HTTP/{major}.{minor}"),
        _ => String::new(),
    }
}

/// Returns whether the app is the server of a TLS handshake.
pub fn is_server(fields: &Decoded<'_>) -> bool {
    is_true(fields, "isServer")
}

/// Returns why a DNS lookup, connect or TLS handshake failed.
pub fn failure_reason(fields: &Decoded<'_>) -> String {
    match (text(fields, "exceptionMessage"), whole(fields, "error")) {
        ("", Some(error)) => socket_error(error),
        ("", None) => "failed".to_owned(),
        (reason, _) => reason.to_owned(),
    }
}

/// Returns the name of a `SocketError`.
fn socket_error(number: i64) -> String {
    let name = match number {
        995 => "OperationAborted",
        10_004 => "Interrupted",
        10_013 => "AccessDenied",
        10_048 => "AddressAlreadyInUse",
        10_049 => "AddressNotAvailable",
        10_050 => "NetworkDown",
        10_051 => "NetworkUnreachable",
        10_053 => "ConnectionAborted",
        10_054 => "ConnectionReset",
        10_055 => "NoBufferSpaceAvailable",
        10_060 => "TimedOut",
        10_061 => "ConnectionRefused",
        10_064 => "HostDown",
        10_065 => "HostUnreachable",
        11_001 => "HostNotFound",
        11_002 => "TryAgain",
        _ => return format!("error {number}"),
    };
    name.to_owned()
}

/// Formats an address as sockets report it ("InterNetwork:16:{19,216,127,0,0,1,…}") as "127.0.0.1:5080".
pub fn socket_address(socket_address: &str) -> String {
    let bytes =
        socket_address.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(bytes, _)| bytes);
    let bytes: Vec<u8> = bytes.split(',').map_while(|byte| byte.parse().ok()).collect();
    let address: Option<IpAddr> = match (socket_address.split(':').next(), bytes.as_slice()) {
        (Some("InterNetwork"), [_, _, a, b, c, d, ..]) => Some(Ipv4Addr::new(*a, *b, *c, *d).into()),
        (Some("InterNetworkV6"), [_, _, _, _, _, _, rest @ ..]) => {
            rest.first_chunk::<16>().map(|address| Ipv6Addr::from(*address).into())
        }
        _ => None,
    };
    match (address, bytes.first_chunk()) {
        (Some(address), Some(port)) => SocketAddr::new(address.to_canonical(), u16::from_be_bytes(*port)).to_string(),
        _ => socket_address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_addresses_are_readable() {
        assert_eq!(socket_address("InterNetwork:16:{19,216,127,0,0,1,0,0,0,0,0,0,0,0}"), "127.0.0.1:5080");
        let mapped = "InterNetworkV6:28:{19,216,0,0,0,0,0,0,0,0,0,0,0,0,0,0,255,255,127,0,0,1,0,0,0,0}";
        assert_eq!(socket_address(mapped), "127.0.0.1:5080");
        assert_eq!(
            socket_address("InterNetworkV6:28:{0,80,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0}"),
            "[::1]:80"
        );
        assert_eq!(socket_address("Unix:/run/app.sock"), "Unix:/run/app.sock");
        assert_eq!(socket_address("InterNetworkV6:28:{0,80,1}"), "InterNetworkV6:28:{0,80,1}");
    }
}
