//! Tests symbols from perf maps and PDB files that are added to an open trace.

use crate::clr::known::payload::OptimizationTier;
use crate::clr::pdb::testing::PdbBuilder;
use crate::session::{FileFacts, Session};
use flate2::read::GzDecoder;
use nettrace::Guid;
use protocol::base::ids::{FrameId, FunctionId};
use protocol::request::{FunctionOrder, TreeQuery};
use protocol::{queries, tables};
use std::io::Read;

fn session(compressed: &[u8]) -> Session {
    let mut bytes = Vec::new();
    GzDecoder::new(compressed).read_to_end(&mut bytes).expect("a whole gzip file");
    let mut loader = crate::session::Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == crate::session::Progress::Paused {}
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), FileFacts::default()).expect("a session")
}

fn orders() -> Session {
    session(include_bytes!("../../../../../tests/fixtures/orders-net31.nettrace.gz"))
}

fn functions(session: &mut Session) -> tables::Functions {
    let request = queries::Functions { query: TreeQuery::default(), order: FunctionOrder::Inclusive, limit: u32::MAX };
    session.ask(&request).expect("functions")
}

#[test]
fn perf_map_names_unresolved_addresses() {
    let mut session = orders();
    let before = functions(&mut session);
    let unnamed = |table: &tables::Functions| table.name.iter().filter(|name| name.starts_with("?!0x")).count();
    let frames = (0..session.store().frames.len() as u32).filter_map(|id| session.store().frames.get(FrameId(id)));
    let is_unnamed = |function| session.store().functions.get(function).is_some_and(|one| one.is_unresolved);
    let addresses: Vec<u64> = frames.filter(|one| is_unnamed(one.function)).map(|one| one.address).collect();
    let [first, second, ..] = addresses.as_slice() else { panic!("two addresses without names") };
    let lines = [*first, *second].map(|address| {
        format!("{:x} 40 instance int32 [Shop] Shop.Cart::Total(string)[OptimizedTier1]\n", address - 0x10)
    });
    let words = session.add_symbols("perf-6702.map", lines.concat().into_bytes()).expect("names");
    assert!(words.starts_with("perf-6702.map: resolved ") && words.ends_with(" addresses."), "{words}");
    let after = functions(&mut session);
    let row = after.name.iter().position(|name| name == "Shop.Cart.Total(string)").expect("the new name");
    assert_eq!((after.module.get(row), after.total[0]), ("Shop", before.total[0]));
    assert!(unnamed(&after) < unnamed(&before));
    assert!(session.add_symbols("perf-6702.map", b"no such line".to_vec()).is_err());
    let other = session.add_symbols("perf-1.map", lines.concat().into_bytes()).expect_err("another process");
    assert!(other.detail.contains("6702"), "{other:?}");
}

#[test]
fn pdb_has_source_lines_of_methods() {
    let mut session = session(include_bytes!("../../../../../www/samples/cpu.nettrace.gz"));
    let store = session.store();
    let of = |method: &&crate::model::Method| {
        let module = store.modules.get(method.module?)?;
        Some((store.strings.get(module.name).to_owned(), module.pdb, method.token & 0x00ff_ffff, method.function?))
    };
    let methods = store.methods.iter().filter(|method| method.tier != OptimizationTier::Dynamic);
    let found = methods.filter_map(|method| of(&method)).find(|(name, _, row, _)| name == "studio" && *row > 0);
    let (module, id, row, function) = found.expect("a method of the program");
    let pdb = |id: Guid| {
        let mut builder = PdbBuilder::new(id.0);
        let document = builder.document("/src/studio/Program.cs");
        for at in 1..=row {
            builder.method(document, &[(0, Some((100 + at, 100 + at)))]);
        }
        builder.finish()
    };
    let name = format!("{module}.pdb");
    let words = session.add_symbols(&name, pdb(id.unwrap_or_default())).expect("lines");
    assert!(words.contains(&format!("methods of {module}")), "{words}");
    let detail = |session: &mut Session| session.ask(&queries::FunctionDetail { function }).expect("details").source;
    assert_eq!(detail(&mut session), format!("/src/studio/Program.cs:{}", 100 + row));
    assert!(session.add_symbols("nobody.pdb", pdb(Guid([9; 16]))).is_err());
    assert!(session.add_symbols("studio.pdb", b"MZ".to_vec()).is_err());
}

/// The recording contains the PDB IDs of the .NET libraries; its app was built without a PDB.
#[test]
fn pdb_of_other_build_is_rejected() {
    let mut session = session(include_bytes!("../../../../../www/samples/cpu.nettrace.gz"));
    let store = session.store();
    let is_named = |name: &str| store.modules.iter().find(|module| store.strings.get(module.name) == name);
    let id = is_named("System.Linq").and_then(|module| module.pdb).expect("the id of a PDB");
    assert_eq!(is_named("studio").expect("the program").pdb, None);
    let pdb = |id: Guid| {
        let mut builder = PdbBuilder::new(id.0);
        let document = builder.document("/src/Linq.cs");
        builder.method(document, &[(0, Some((1, 1)))]);
        builder.finish()
    };
    let other = session.add_symbols("System.Linq.pdb", pdb(Guid([9; 16]))).expect_err("another build");
    assert_eq!(other.message, "System.Linq.pdb is from a different build of System.Linq than the one in this trace.");
    let both = [id, Guid([9; 16])].map(|id| id.to_string());
    assert!(both.iter().all(|id| other.detail.contains(id)), "{other:?}");
    // The ID counts, not the file name.
    let words = session.add_symbols("renamed.pdb", pdb(id)).expect("the PDB of a module");
    assert_eq!(words, "renamed.pdb: source lines for 1 method of System.Linq.");
}

/// The PDB for browser tests has a line for every method of the app in a recording.
#[test]
fn committed_pdb_matches_generator() {
    let session = session(include_bytes!("../../../../../www/samples/cpu.nettrace.gz"));
    let store = session.store();
    let module = store.modules.iter().find(|module| store.strings.get(module.name) == "studio").expect("a module");
    let is_of_program = |method: &&crate::model::Method| {
        method.module.and_then(|id| store.modules.get(id)).is_some_and(|of| of.name == module.name)
    };
    let rows = store.methods.iter().filter(is_of_program).map(|method| method.token & 0x00ff_ffff).max();
    let rows = rows.expect("a method");
    let mut builder = PdbBuilder::new(module.pdb.unwrap_or_default().0);
    let document = builder.document("/src/studio/Program.cs");
    for row in 1..=rows {
        builder.method(document, &[(0, Some((10 * row, 10 * row))), (8, Some((10 * row + 1, 10 * row + 1)))]);
    }
    let made = builder.finish();
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/studio.pdb");
    if std::fs::read(place).ok().as_ref() != Some(&made) {
        let new = std::env::temp_dir().join("studio.pdb");
        std::fs::write(&new, made).expect("room for a file");
        panic!("put {} in the place of {place}", new.display());
    }
}

/// The recording contains IL maps, so every location has a line.
#[test]
fn hot_locations_have_pdb_lines() {
    let mut session = session(include_bytes!("../../../../../www/samples/cpu.nettrace.gz"));
    let weights = functions(&mut session);
    let weight_of = |function: FunctionId| {
        let row = weights.function.iter().position(|id| *id == function.0)?;
        Some((weights.inclusive[row], weights.exclusive[row]))
    };
    let store = session.store();
    let of = |method: &crate::model::Method| {
        let module = store.modules.get(method.module?)?;
        let is_mapped = method.il_map.is_some() && store.strings.get(module.name) == "studio";
        let function = method.function.filter(|_| is_mapped)?;
        Some((weight_of(function)?.0, function, method.token & 0x00ff_ffff, module.pdb))
    };
    let found = store.methods.iter().filter_map(of).max_by(|one, other| one.0.total_cmp(&other.0));
    let (_, function, row, id) = found.expect("a method of the program");
    let places = |session: &mut Session| {
        session.ask(&queries::CodePlaces { query: TreeQuery::default(), function }).expect("places")
    };
    let sums = |places: &tables::CodePlaces| Some((places.inclusive.iter().sum(), places.exclusive.iter().sum()));
    let before = places(&mut session);
    assert!(before.il_offset.iter().any(|offset| *offset >= 0) && before.source.iter().all(str::is_empty));
    assert_eq!(sums(&before), weight_of(function), "places sum to what the function weighs");
    let mut builder = PdbBuilder::new(id.unwrap_or_default().0);
    let document = builder.document("/src/studio/Program.cs");
    (0..row).for_each(|_| builder.method(document, &[(0, Some((7, 7))), (8, Some((9, 9)))]));
    session.add_symbols("studio.pdb", builder.finish()).expect("lines");
    let after = places(&mut session);
    assert_eq!(sums(&after), weight_of(function));
    for at in 0..after.inclusive.len() {
        let line = if after.il_offset[at] >= 8 { "/src/studio/Program.cs:9" } else { "/src/studio/Program.cs:7" };
        let expected = if after.il_offset[at] < 0 { "" } else { line };
        assert_eq!(after.source.get(at), expected, "{}", after.il_offset[at]);
    }
    assert!(after.inclusive.len() <= before.inclusive.len(), "places of one line are one");
}
