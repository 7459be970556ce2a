// How much one client may ask of the server before it is sent away.
#pragma once

#include <chrono>
#include <cstddef>

namespace loci::http {

struct ServerLimits {
  std::size_t connections = 256;
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{32} << 20;
  // Of an answer that waits for a client which does not read.
  std::size_t unsent_bytes = std::size_t{64} << 20;

  std::chrono::milliseconds head_time{10'000};       // from the first byte of a request to the end of its headers
  std::chrono::milliseconds body_time{60'000};       // until the whole body is there
  std::chrono::milliseconds idle_time{75'000};       // between two requests of a connection
  std::chrono::milliseconds write_time{30'000};      // until a client has taken one part of an answer
  std::chrono::milliseconds heartbeat_time{20'000};  // between signs of life on an open stream
  std::chrono::milliseconds stop_time{5'000};        // for what is under way when the server stops
};

}  // namespace loci::http
