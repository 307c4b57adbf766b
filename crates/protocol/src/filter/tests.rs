//! Tests of the filter syntax and of the meaning of filters.

use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Query {
    Query::Is(Condition::Text(Pattern::Text(text.to_owned())))
}

fn named(name: Name, pattern: &str, extent: Extent) -> Query {
    Query::Is(Condition::Named(name, Pattern::Text(pattern.to_owned()), extent))
}

fn not(query: Query) -> Query {
    Query::Not(Box::new(query))
}

#[test]
fn or_binds_weaker_than_implicit_and() {
    assert_eq!(parse(""), Ok(Query::default()));
    assert_eq!(parse("timeout"), Ok(text("timeout")));
    assert_eq!(parse("a and b"), Ok(Query::All(vec![text("a"), text("b")])));
    let either = Query::Any(vec![Query::All(vec![text("a"), text("b")]), text("c")]);
    assert_eq!(parse("a b or c"), Ok(either.clone()));
    assert_eq!(parse("-(a b OR c) d"), Ok(Query::All(vec![not(either), text("d")])));
    assert_eq!(parse(r#""two words" "or""#), Ok(Query::All(vec![text("two words"), text("or")])));
}

#[test]
fn urls_paths_and_times_of_day_are_texts() {
    for word in ["http://localhost:5000/stock", "/stock/7", "/api/v1/", "12:30", "a-b", "x=1", "-"] {
        assert_eq!(parse(word), Ok(text(word)), "{word}");
    }
}

#[test]
fn name_operators_match_part_or_whole() {
    assert_eq!(parse("provider:Http"), Ok(named(Name::Provider, "Http", Extent::Part)));
    assert_eq!(parse("event=GC/Start"), Ok(named(Name::Event, "GC/Start", Extent::Whole)));
    assert_eq!(parse("thread!=7"), Ok(not(named(Name::Thread, "7", Extent::Whole))));
    let regex = Pattern::Regex { pattern: "^Orders/.*Get".to_owned(), ignores_case: true };
    let stack = Query::Is(Condition::Named(Name::Stack, regex, Extent::Part));
    assert_eq!(parse(r"-stack:/^Orders\/.*Get/i"), Ok(not(stack)));
}

#[test]
fn numbers_accept_units_and_comparisons() {
    assert_eq!(parse("dur>=5ms"), Ok(Query::Is(Condition::Duration(Order::AtLeast, 5_000_000))));
    assert_eq!(parse("level<=warning"), Ok(Query::Is(Condition::Level(Order::AtMost, 3))));
    assert_eq!(parse("time:1.2s..3s"), Ok(Query::Is(Condition::Time(Some(1_200_000_000), Some(3_000_000_000)))));
    assert_eq!(parse("time:..90us"), Ok(Query::Is(Condition::Time(None, Some(90_000)))));
    let field = |comparison| Query::Is(Condition::Payload("Count".to_owned(), comparison));
    assert_eq!(parse("payload.Count>-1.5"), Ok(field(Comparison::Number(Order::More, "-1.5".to_owned()))));
    assert_eq!(parse("payload.Count=\"\""), Ok(field(Comparison::Is(Pattern::Text(String::new())))));
    let label = Condition::Label("http.route x".to_owned(), Comparison::IsNot(Pattern::Text("/a".to_owned())));
    assert_eq!(parse("label.\"http.route x\"!=/a"), Ok(Query::Is(label)));
}

#[test]
fn required_time_conditions_limit_span() {
    let within = |text: &str| parse(text).map(|query| query.span_within(Span::new(10, 90)));
    assert_eq!(within("provider:Http"), Ok(Span::new(10, 90)));
    assert_eq!(within("time:20ns..40ns provider:Http"), Ok(Span::new(20, 40)));
    assert_eq!(within("time:20ns.. (time:..40ns level:error)"), Ok(Span::new(20, 40)));
    assert_eq!(within("time:5ns..200ns"), Ok(Span::new(10, 90)));
    assert_eq!(within("time:200ns.."), Ok(Span::new(90, 90)), "nothing");
    assert_eq!(within("time:20ns..40ns or provider:Http"), Ok(Span::new(10, 90)), "others count, too");
    assert_eq!(within("-time:20ns..40ns"), Ok(Span::new(10, 90)));
}

#[test]
fn query_without_range_keeps_other_conditions() {
    let without = |text: &str| parse(text).expect("a query").without_time().map(|query| query.to_string());
    assert_eq!(without("provider:Http"), None);
    assert_eq!(without("time:20ns..40ns").as_deref(), Some(""));
    assert_eq!(without("time:20ns..40ns provider:Http").as_deref(), Some("provider:Http"));
    assert_eq!(without("time:20ns.. (time:..40ns level<=2 thread:a)").as_deref(), Some("(level<=2 thread:a)"));
    assert_eq!(without("time:20ns..40ns or provider:Http"), None, "others count, too");
    assert_eq!(without("-time:20ns..40ns"), None);
}

#[test]
fn syntax_errors_have_ranges() {
    for (wrong, at, words) in [
        ("a \"b c", 2..6, "Unclosed quote"),
        ("a (b", 2..3, "Missing “)”"),
        ("a) b", 1..2, "Unmatched “)”"),
        ("a or", 2..4, "both sides"),
        ("a -)", 3..4, "Unmatched “)”"),
        ("level<=many", 7..11, "Use a level"),
        ("dur>5", 4..5, "Add a unit"),
        ("dur>>5", 0..6, "isn't an operator"),
        ("time:3s..1s", 5..11, "ends before it starts"),
        ("time:3..5", 5..9, "Add a unit"),
        ("time:3s", 5..7, "time range"),
        ("provider>a", 0..10, "is text"),
        ("payload.=1", 0..10, "field name"),
        ("payload.X<a", 10..11, "Enter a number"),
        ("event:", 0..6, "Enter a value"),
        ("stack:/(/", 6..9, "Invalid regular expression"),
        ("\"\"", 0..2, "Empty quotes"),
    ] {
        let error = parse(wrong).expect_err(wrong);
        assert!(error.message.contains(words), "{wrong}: {}", error.message);
        assert_eq!(error.at, at, "{wrong}: {}", error.message);
    }
    assert!(parse(&"(".repeat(100)).is_err() && parse(&"-".repeat(4000)).is_err() && parse(&"a".repeat(5000)).is_err());
}

#[test]
fn parts_are_required_conditions() {
    let texts = |text: &'static str| parts(text).into_iter().map(|part| &text[part]).collect::<Vec<_>>();
    assert_eq!(texts("a  -(b or c) dur>5ms -\"d e\" and --f"), ["a", "-(b or c)", "dur>5ms", "-\"d e\"", "--f"]);
    assert_eq!(texts("a or b c "), ["a or b c"]);
    assert_eq!(texts(" ((a) b) c"), ["((a) b)", "c"]);
    assert!(texts("").is_empty());
}

/// Parses every example of docs/filter-language.md.
#[test]
fn documented_examples_parse() {
    let page = include_str!("../../../../docs/filter-language.md");
    let examples: Vec<&str> = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let lines: Vec<&str> = examples.iter().flat_map(|example| example.lines()).collect();
    assert!(lines.len() >= 20, "{} examples", lines.len());
    for line in lines {
        assert!(parse(line).is_ok_and(|query| !query.is_everything()), "{line}: {:?}", parse(line));
    }
    for word in Name::PLAIN.map(|(_, word)| word).into_iter().chain(Property::ALL.map(Property::key)) {
        assert!(page.contains(&format!("`{word}:`")), "{word} is not explained");
    }
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        "\\PC{1,12}".prop_map(Pattern::Text),
        "[a-z/ .+|\"]{1,8}"
            .prop_filter("a regular expression", |pattern| regex_lite::Regex::new(pattern).is_ok())
            .prop_flat_map(|pattern| any::<bool>()
                .prop_map(move |ignores_case| Pattern::Regex { pattern: pattern.clone(), ignores_case })),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Less), Just(Order::AtMost), Just(Order::Equal), Just(Order::AtLeast), Just(Order::More)]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    let unequal = order().prop_filter("equal is a text", |order| *order != Order::Equal);
    prop_oneof![
        pattern().prop_map(Comparison::Like),
        pattern().prop_map(Comparison::Is),
        pattern().prop_map(Comparison::IsNot),
        (unequal, any::<i32>()).prop_map(|(order, number)| Comparison::Number(order, number.to_string())),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    let extent = prop_oneof![Just(Extent::Part), Just(Extent::Whole)];
    let properties = Property::ALL.map(Name::Property);
    let names: Vec<Name> = Name::PLAIN.map(|(name, _)| name).into_iter().chain(properties).collect();
    let name = proptest::sample::select(names);
    let nanos = -(1i64 << 50)..1 << 50;
    prop_oneof![
        pattern().prop_map(Condition::Text),
        (name, pattern(), extent).prop_map(|(name, pattern, extent)| Condition::Named(name, pattern, extent)),
        (order(), 0u8..=5).prop_map(|(order, level)| Condition::Level(order, level)),
        (order(), nanos.clone()).prop_map(|(order, nanos)| Condition::Duration(order, nanos)),
        (nanos, 1i64..1 << 40).prop_map(|(from, length)| Condition::Time(Some(from), Some(from + length))),
        ("\\PC{1,9}", comparison()).prop_map(|(name, comparison)| Condition::Label(name, comparison)),
        ("[A-Za-z.]{1,9}", comparison()).prop_map(|(name, comparison)| Condition::Payload(name, comparison)),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    condition().prop_map(Query::Is).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(not),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Query::All),
            proptest::collection::vec(inner, 2..4).prop_map(Query::Any),
        ]
    })
}

proptest! {
    #[test]
    fn printed_query_parses_to_same_query(query in query()) {
        let written = query.to_string();
        if written.len() <= MAX_BYTES {
            prop_assert_eq!(parse(&written).map_err(|error| format!("{error} in {written}")), Ok(query));
        }
    }

    #[test]
    fn any_text_parses_or_has_error_range(typed in "[a-z0-9 :=<>!~/()\"\\\\.-]{0,40}|\\PC{0,20}") {
        match parse(&typed) {
            Ok(query) => prop_assert_eq!(parse(&query.to_string()), Ok(query)),
            Err(error) => prop_assert!(typed.get(error.at.clone()).is_some(), "{:?} in {}", error.at, typed),
        }
    }
}
