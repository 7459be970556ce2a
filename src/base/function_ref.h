// A reference to something callable: two pointers, no allocation. For parameters only; it must not outlive the call.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace loci {

template <typename Signature>
class FunctionRef;

template <typename Return, typename... Arguments>
class FunctionRef<Return(Arguments...)> {
 public:
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Return, Callable&, Arguments...> &&
           !std::is_function_v<std::remove_reference_t<Callable>>)
      FunctionRef(Callable&& callable)  // NOLINT(google-explicit-constructor): a parameter takes any callable as it is
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Return {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Return operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Return (*call_)(void*, Arguments...);
};

}  // namespace loci
