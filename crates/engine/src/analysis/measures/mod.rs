//! Measures of a trace by time slice, by which two traces are compared.
//!
//! Each analysis adds its measures ([`Facts::measures`](super::topics::Facts::measures)); code and event counts are
//! here. Slices show which changes are noise: see [`super::compare`].

mod code;
mod collector;
mod events;

pub use code::{add_code, add_states};
pub use collector::Collector;
pub use events::add_events;

/// Returns a function's name without the numbers that compilers give to lambdas and local functions, which differ
/// between builds: "Shop.Cart.λ2_5" becomes "Shop.Cart.λ".
pub fn comparable_name(name: &str) -> String {
    const MARKS: [&str; 2] = ["λ", "lambda_method"];
    let mut rest = name;
    let mut comparable = String::with_capacity(name.len());
    while let Some((at, mark)) =
        MARKS.iter().filter_map(|mark| rest.find(mark).map(|at| (at, mark))).min_by_key(|(at, _)| *at)
    {
        let (before, after) = rest.split_at(at + mark.len());
        comparable.push_str(before);
        rest = after.trim_start_matches(|one: char| one.is_ascii_digit() || one == '_');
    }
    comparable + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambda_numbers_are_removed() {
        for (name, comparable) in [
            ("Shop.Cart.Add(int)", "Shop.Cart.Add(int)"),
            ("Main.λ5", "Main.λ"),
            ("Shop.Cart.λ2_15(Item)", "Shop.Cart.λ(Item)"),
            ("lambda_method7", "lambda_method"),
            ("Shop.Hash128.λ1.Inner.λ22()", "Shop.Hash128.λ.Inner.λ()"),
        ] {
            assert_eq!(comparable_name(name), comparable);
        }
    }
}
