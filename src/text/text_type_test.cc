#include "text/text_type.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(TextTypeTest, ExtensionsDecideInAnyCaseAndFolder) {
  EXPECT_EQ(detect_text_type("/a/b.c/Main.CPP", ""), (TextType{TextKind::code, "cpp"}));
  EXPECT_EQ(detect_text_type("notes.MD", ""), (TextType{TextKind::markdown, ""}));
  EXPECT_EQ(detect_text_type("x.test.tsx", ""), (TextType{TextKind::code, "typescript"}));
  EXPECT_EQ(detect_text_type("a.yml", ""), (TextType{TextKind::yaml, "yaml"}));
  EXPECT_EQ(detect_text_type("a.csv", ""), (TextType{TextKind::csv, "csv"}));
}

TEST(TextTypeTest, WholeNamesComeBeforeExtensions) {
  EXPECT_EQ(detect_text_type("src/CMakeLists.txt", ""), (TextType{TextKind::code, "cmake"}));
  EXPECT_EQ(detect_text_type("Makefile", ""), (TextType{TextKind::code, "make"}));
  EXPECT_EQ(detect_text_type(".bashrc", ""), (TextType{TextKind::code, "shell"}));
}

TEST(TextTypeTest, TheFirstLineNamesTheInterpreter) {
  EXPECT_EQ(detect_text_type("run", "#!/bin/sh\n"), (TextType{TextKind::code, "shell"}));
  EXPECT_EQ(detect_text_type("run", "#! /usr/bin/env -S python3.11 -u\r\n"), (TextType{TextKind::code, "python"}));
  EXPECT_EQ(detect_text_type("run", "#!/usr/bin/env"), TextType{});
  EXPECT_EQ(detect_text_type("run", "#!"), TextType{});
}

TEST(TextTypeTest, DocumentTypesAreSeen) {
  EXPECT_EQ(detect_text_type("page", "<!DOCTYPE html>\n<html>"), (TextType{TextKind::html, "html"}));
  EXPECT_EQ(detect_text_type("feed", "<?xml version=\"1.0\"?>"), (TextType{TextKind::xml, "xml"}));
}

TEST(TextTypeTest, WhatIsUnknownIsPlainText) {
  EXPECT_EQ(detect_text_type("README", "Some words"), TextType{});
  EXPECT_EQ(detect_text_type("", ""), TextType{});
  EXPECT_EQ(detect_text_type("notes.txt", ""), TextType{});
  EXPECT_EQ(detect_text_type(".md", ""), TextType{}) << "a hidden file without an extension";
}

}  // namespace
}  // namespace loci
