//! Enums whose variants are words of the language, each row with its word.

/// Declares an enum with `keyword`, `from_keyword` and all variants in `ALL`.
macro_rules! keywords {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$meta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$meta])* $variant,)* }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word in the text.
            pub fn keyword(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The variant of a word.
            pub fn from_keyword(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }
        }
    };
}
pub(crate) use keywords;
