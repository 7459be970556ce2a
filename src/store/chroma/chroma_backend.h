// Chroma as one backend with two kinds of palaces: a folder, and a database on a server.
//
// A palace with a local folder is Chroma's own folder (folder_backend.h). One without, whose id is an address such as
// http://HOST:PORT/TENANT/DATABASE, is on a server. Each kind is a Backend by itself, with capabilities of its own, and
// runs the conformance suite as such; this one only asks which of the two a palace belongs to.
#pragma once

#include <memory>

#include "loci/backend.h"
#include "store/chroma/folder_palace.h"
#include "store/chroma/server_client.h"

namespace loci {
namespace chroma {

// Is the palace on a server?
bool is_on_server(const PalaceRef& palace);

// Without a part (null) its palaces are refused as unsupported. What info() promises holds for the palaces of both.
std::unique_ptr<Backend> make_backend_by_place(std::unique_ptr<Backend> folders, std::unique_ptr<Backend> servers);

}  // namespace chroma

// The backend `chroma` of the registry.
std::unique_ptr<Backend> make_chroma_backend(const chroma::FolderOptions& folders = {},
                                             chroma::ServerOptions servers = {});

}  // namespace loci
