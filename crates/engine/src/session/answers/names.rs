//! Answers about names: completion of a filter, and search for functions, routes and types.

use super::Run;
use crate::analysis::filter::query::{Names, query_help, suggests_names};
use crate::analysis::names::functions::functions;
use crate::analysis::names::items::matching;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::queries::{FindNames, QueryHelp};
use protocol::reply;

/// Maximum number of functions, and of items of each analysis.
const MAX: usize = 1_000;

impl Run for QueryHelp {
    fn run(&self, session: &mut Session) -> Answered<reply::QueryHelp> {
        let is_needed = self.cursor.is_some_and(|cursor| suggests_names(&self.text, cursor));
        let names = match is_needed {
            true => Names { counts: Some(session.function_counts()?), items: session.known_items()? },
            false => Names::default(),
        };
        Ok(query_help(&session.store, &self.text, self.cursor, &names))
    }
}

impl Run for FindNames {
    fn run(&self, session: &mut Session) -> Answered<Vec<reply::FoundName>> {
        let (counts, items) = (session.function_counts()?, session.known_items()?);
        let most = MAX.min(self.most as usize);
        let mut found: Vec<_> = items.iter().flat_map(|items| matching(items, &self.text, most)).cloned().collect();
        found.extend(functions(&session.store, &counts, &self.text, most));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use crate::session::FileFacts;
    use protocol::names::NameOf;
    use protocol::queries::Findings;
    use protocol::request::Filter;
    use protocol::topics::topic::Topic;

    #[test]
    fn types_are_found_once_their_events_have_been_read() {
        let sample = |at| (at, 5, What::Sample(true, vec![1]));
        let (store, bytes) = store_of(&[sample(0), (1, 5, What::Throw("x")), (2, 5, What::Throw("y")), sample(3)]);
        let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
        let find = |session: &mut Session, text: &str| {
            let found = session.ask(&FindNames { text: text.to_owned(), most: 9 }).expect("names");
            found.into_iter().map(|one| (one.name, one.note, one.of)).collect::<Vec<_>>()
        };
        assert_eq!(find(&mut session, "format"), [], "no events are read for it");
        let functions = find(&mut session, "m1");
        assert!(matches!(&functions[..], [(name, _, NameOf::Function(_))] if name == "Shop.M1()"), "{functions:?}");
        session.ask(&Findings { filter: Filter::default() }).expect("findings");
        let of_type = ("System.FormatException".to_owned(), "2 exceptions".to_owned(), NameOf::Item(Topic::Exceptions));
        assert_eq!(find(&mut session, "format"), [of_type]);
    }
}
