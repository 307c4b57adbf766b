//! Enums whose values have texts, declared once.

/// Declares an enum with one line for each value and its texts. `ALL` contains the values in the order of declaration,
/// and a function returns each text. Separate functions keep unused texts out of a program.
#[macro_export]
macro_rules! named {
    (
        $(#[$of:meta])* pub enum $name:ident {
            $($(#[$doc:meta])* $value:ident $(= $number:literal)?: $text:literal;)*
        }
        $(#[$about:meta])* fn $function:ident;
    ) => {
        $(#[$of])*
        pub enum $name { $($(#[$doc])* $value $(= $number)?),* }

        impl $name {
            /// All values, in the order of declaration.
            pub const ALL: [Self; [$(Self::$value),*].len()] = [$(Self::$value),*];

            $(#[$about])*
            pub const fn $function(self) -> &'static str {
                match self { $(Self::$value => $text),* }
            }
        }
    };
    (
        $(#[$of:meta])* pub enum $name:ident {
            $($(#[$doc:meta])* $value:ident $(= $number:literal)?: $text:literal, $second_text:literal;)*
        }
        $(#[$about:meta])* fn $function:ident;
        $(#[$about_second:meta])* fn $second:ident;
    ) => {
        $crate::named! {
            $(#[$of])* pub enum $name { $($(#[$doc])* $value $(= $number)?: $text;)* }
            $(#[$about])* fn $function;
        }

        impl $name {
            $(#[$about_second])*
            pub const fn $second(self) -> &'static str {
                match self { $(Self::$value => $second_text),* }
            }
        }
    };
}
