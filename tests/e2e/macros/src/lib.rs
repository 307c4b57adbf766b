//! The attribute of browser tests.

use proc_macro::{TokenStream, TokenTree};

/// Registers a test with a page in a new browser context: `async fn subject_condition_result(page: &Page) -> Step`.
///
/// Options, separated by commas, are the methods of `BrowserTest`: `alone`, `needs(Need::Fingers)`, `limit_seconds(420)`.
#[proc_macro_attribute]
pub fn browser_test(options: TokenStream, function: TokenStream) -> TokenStream {
    let Some(name) = name_of(&function) else {
        return "compile_error!(\"`browser_test` belongs to a function\");".parse().unwrap_or_default();
    };
    let registration = format!(
        "::traceglass_e2e::inventory::submit! {{
            ::traceglass_e2e::BrowserTest::new(
                ::core::concat!(::core::module_path!(), \"::\", ::core::stringify!({name})),
                |page| ::std::boxed::Box::pin({name}(page)),
            ){}
        }}",
        methods(options)
    );
    let mut tokens = function;
    tokens.extend(registration.parse::<TokenStream>().unwrap_or_default());
    tokens
}

/// Returns the word after `fn`.
fn name_of(function: &TokenStream) -> Option<String> {
    let mut tokens = function.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"))?;
    tokens.next().map(|name| name.to_string())
}

/// Returns the methods for options: `.alone().limit_seconds(420)` for `alone, limit_seconds(420)`.
fn methods(options: TokenStream) -> String {
    let mut methods = String::new();
    let mut tokens = options.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) => {
                methods.push_str(&format!(".{name}"));
                if !matches!(tokens.peek(), Some(TokenTree::Group(_))) {
                    methods.push_str("()");
                }
            }
            TokenTree::Group(arguments) => methods.push_str(&arguments.to_string()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    methods
}
