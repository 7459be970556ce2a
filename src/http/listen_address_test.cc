#include "http/listen_address.h"

#include <gtest/gtest.h>

namespace loci::http {
namespace {

TEST(ListenAddressTest, TakesTheFormsThatPeopleType) {
  EXPECT_EQ(*parse_listen_address("127.0.0.1:8765"), (ListenAddress{"127.0.0.1", 8765}));
  EXPECT_EQ(*parse_listen_address("localhost:1"), (ListenAddress{"127.0.0.1", 1}));
  EXPECT_EQ(*parse_listen_address("[::1]:0"), (ListenAddress{"::1", 0}));
  EXPECT_EQ(*parse_listen_address(":65535"), (ListenAddress{"127.0.0.1", 65535}));
  EXPECT_EQ(*parse_listen_address("8765"), (ListenAddress{"127.0.0.1", 8765}));
  EXPECT_EQ(to_string(ListenAddress{"::1", 5}), "[::1]:5");
  EXPECT_EQ(to_string(ListenAddress{"127.0.0.1", 5}), "127.0.0.1:5");
}

TEST(ListenAddressTest, RefusesEveryAddressThatOtherMachinesCanReach) {
  for (const char* text : {"0.0.0.0:80", "[::]:80", "192.168.1.2:80", "10.0.0.1:80", "example.com:80", "*:80",
                           "[fe80::1]:80", "128.0.0.1:80", "[::ffff:10.0.0.1]:80", "127.0.0.1.example.com:80"}) {
    const auto address = parse_listen_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(ListenAddressTest, RefusesWhatIsNoAddress) {
  for (const char* text :
       {"", ":", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8x", "::1:80", "[:80"}) {
    EXPECT_FALSE(parse_listen_address(text).ok()) << text;
  }
}

TEST(ListenAddressTest, KnowsTheNamesOfTheLoopbackInterface) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const char* host :
       {"", "localhost.example.com", "127.0.0.1.example.com", "evil.com", "127.0.1", "0x7f.0.0.1", "[::]"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

}  // namespace
}  // namespace loci::http
