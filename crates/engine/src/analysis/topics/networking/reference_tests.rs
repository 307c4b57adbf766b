//! Comparison with the recorded apps' own counts and with the raw events.

use crate::analysis::tests::reference::{recording, truth};
use crate::analysis::topics::tests::reports::{column, figure, findings, report, rows, table};
use protocol::topics::topic::Topic;

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn operations_match_counts_of_app() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let (store, truth) = (&recording.store, truth(&recording).expect("the app's own counts"));
        let report = report(Topic::Networking, store, &recording.bytes, "");
        let activity = |of: &str| truth["counted"][format!("activity.Experimental.System.Net.{of}")].as_u64();
        for (key, of) in [
            ("lookups", "NameResolution.Experimental.System.Net.NameResolution.DnsLookup"),
            ("connects", "Sockets.Experimental.System.Net.Sockets.Connect"),
            ("handshakes", "Security.Experimental.System.Net.Security.TlsHandshake"),
        ] {
            // .NET 8 doesn't create these activities.
            if let Some(counted) = activity(of) {
                assert_eq!(figure(&report, key), counted as f64, "{name} {key}");
            }
        }
        let of_events = |provider: &str, event: &str| {
            let types = store.types.iter().filter(|one| one.provider == provider && one.display_name == event);
            types.map(|one| one.count).sum::<u64>() as f64
        };
        assert_eq!(figure(&report, "lookups"), of_events("System.Net.NameResolution", "ResolutionStart"), "{name}");
        assert_eq!(figure(&report, "connects"), of_events("System.Net.Sockets", "ConnectStart"), "{name}");
        assert_eq!(figure(&report, "handshakes"), of_events("System.Net.Security", "HandshakeStart"), "{name}");
        assert_eq!(figure(&report, "opened"), of_events("System.Net.Http", "ConnectionEstablished"), "{name}");
        assert_eq!(figure(&report, "closed"), of_events("System.Net.Http", "ConnectionClosed"), "{name}");
        let (ended, failed) =
            (of_events("System.Net.Sockets", "AcceptStop"), of_events("System.Net.Sockets", "AcceptFailed"));
        assert_eq!((figure(&report, "accepted"), figure(&report, "acceptsFailed")), (ended - failed, failed), "{name}");

        // One connect is refused.
        let connections = rows(table(&report, "connections"), &["address", "failed", "failure"]);
        let failed: Vec<_> = connections.iter().filter(|row| row[1] != "0").collect();
        assert_eq!(failed, [&["127.0.0.1:9", "1", "ConnectionRefused"]], "{name}");
        assert_eq!(figure(&report, "connectsFailed"), 1.0, "{name}");
        assert_eq!(findings(Topic::Networking, store, &recording.bytes), [], "{name}: one failure");
        let protocols = column(table(&report, "handshakes"), "protocol");
        assert!(protocols.iter().all(|protocol| protocol == "TLS 1.3"), "{name}: {protocols:?}");
    }
}
