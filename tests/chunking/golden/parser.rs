//! Parses numbers.

use std::fmt;

/* a comment /* with one inside */ that goes on */
const HELP: &str = r#"usage: parse "number" {"#;

#[derive(Debug, Clone)]
pub struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// A parser at the beginning of the text.
    pub fn new(text: &'a str) -> Self {
        Parser { text, at: 0 }
    }

    /// The next number, if there is one.
    pub fn next(&mut self) -> Option<i64> {
        let quote = '"';
        let brace = '{';
        let start = self.at;
        while self.peek().map_or(false, |c| c.is_ascii_digit() || c == quote || c == brace) {
            self.at += 1;
        }
        self.text[start..self.at].parse().ok()
    }
}

mod tests {
    use super::*;

    #[test]
    fn reads_a_number() {
        assert_eq!(Parser::new("42").next(), Some(42));
    }

    #[test]
    fn reads_nothing() {
        assert_eq!(Parser::new("a line
        and another {").next(), None);
    }
}
