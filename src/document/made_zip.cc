#include "document/made_zip.h"

#include <cstdint>
#include <stdexcept>

#include <zlib.h>

namespace loci {
namespace {

void append(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
}

std::string deflated(const std::string& content) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string result(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

// What the headers of a member, the one before it and the one in the list at the end, have in common.
std::string description(const std::string& name, const std::string& content, std::size_t packed) {
  std::string bytes;
  append(bytes, 20, 2);  // the version that can read it
  append(bytes, 0, 2);
  append(bytes, 8, 2);  // deflate
  append(bytes, 0, 4);  // time and date
  append(bytes, crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())), 4);
  append(bytes, packed, 4);
  append(bytes, content.size(), 4);
  append(bytes, name.size(), 2);
  append(bytes, 0, 2);
  return bytes;
}

}  // namespace

std::string make_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string bytes;
  std::string list;
  for (const auto& [name, content] : members) {
    const std::string packed = deflated(content);
    list += "PK\x01\x02";
    append(list, 20, 2);
    list += description(name, content, packed.size());
    list.append(10, '\0');  // comment, disk, attributes
    append(list, bytes.size(), 4);
    list += name;
    bytes += "PK\x03\x04" + description(name, content, packed.size()) + name + packed;
  }
  const std::size_t start = bytes.size();
  bytes += list + "PK\x05\x06";
  append(bytes, 0, 4);
  append(bytes, members.size(), 2);
  append(bytes, members.size(), 2);
  append(bytes, list.size(), 4);
  append(bytes, start, 4);
  append(bytes, 0, 2);
  return bytes;
}

}  // namespace loci
