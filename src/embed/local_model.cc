#include "embed/local_model.h"

namespace loci {

Result<std::unique_ptr<Embedder>> load_local_model(const ModelFolder& model) {
  return Error{ErrorKind::unsupported,
               "this version cannot run the model " + model.name + " yet; choose an embedding server"};
}

}  // namespace loci
