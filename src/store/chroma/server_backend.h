// Palaces on Chroma servers, over HTTP v2: a database is a palace, its collections are the palace's.
//
// The address http://HOST:PORT[/TENANT[/DATABASE]] is the palace's id. A namespace is the name of the database where
// the address has none. A token is sent with every request; nothing here reads the environment.
#pragma once

#include <memory>

#include "loci/backend.h"
#include "store/chroma/server_client.h"

namespace loci {

std::unique_ptr<Backend> make_chroma_server_backend(chroma::ServerOptions options = {});

}  // namespace loci
