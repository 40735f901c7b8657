# Sources that are compiled once per instruction set. Each copy defines GRADSCAPE_SET as the set's name; types and functions in it
# carry the set in their names (the pack's architecture is a template argument), so that no copy replaces another at link time.

set(GRADSCAPE_FLAGS_scalar)
set(GRADSCAPE_FLAGS_baseline)
set(GRADSCAPE_FLAGS_avx2 -mavx2 -mfma)
set(GRADSCAPE_FLAGS_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)

# add_for_each_instruction_set(<target> <source.cpp>): the source, compiled once per set, joins the target.
function(add_for_each_instruction_set target source)
  cmake_path(GET source STEM stem)
  foreach(set IN LISTS GRADSCAPE_INSTRUCTION_SETS)
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${set}.cpp)
    file(CONFIGURE OUTPUT ${copy} CONTENT
         "// ${stem} for the instruction set ${set}\n#define GRADSCAPE_SET ${set}\n#define GRADSCAPE_SET_IS_${set}\n#include \"${source}\"\n" @ONLY)
    target_sources(${target} PRIVATE ${copy})
    # The AVX-512 headers of g++ 12 warn falsely. Address sanitizer's watch on the ends of scopes would make compiling these thousands of
    # inlined temporaries four times slower.
    set_source_files_properties(${copy} PROPERTIES COMPILE_OPTIONS
      "${GRADSCAPE_FLAGS_${set}};-Wno-maybe-uninitialized;-Wno-uninitialized;-fno-sanitize-address-use-after-scope")
  endforeach()
endfunction()

# add_models(<target> <header>:<Struct> ...): describes the models (namespace gradscape::models) and compiles their functions once
# per instruction set; models written as <header>:<Struct>:inlined also get the whole solve compiled for them. The target defines
# `const std::vector<Model>& <target>_models()`.
function(add_models target)
  set(includes "")
  set(describe "")
  set(table "")
  foreach(model IN LISTS ARGN)
    string(REPLACE ":" ";" parts ${model})
    list(GET parts 0 header)
    list(GET parts 1 struct)
    set(inlined "")
    if("inlined" IN_LIST parts)
      set(inlined "_inlined")
    endif()
    string(APPEND includes "#include \"${header}\"\n")
    string(APPEND describe "    models.push_back({describe<models::${struct}>(), kernels_of(${target}_kernels, models.size())});\n")
    string(APPEND table "    kernels${inlined}<models::${struct}>(),\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
"// Generated from the list of models in CMakeLists.txt.
#include \"engine/cpu/model_kernels.hpp\"
${includes}
namespace gradscape {
extern const Kernels GRADSCAPE_NAME(${target}_kernels)[];
const Kernels GRADSCAPE_NAME(${target}_kernels)[] = {
${table}};
}  // namespace gradscape
" @ONLY)
  add_for_each_instruction_set(${target} ${source})
  set(declarations "")
  set(lists "")
  foreach(set IN LISTS GRADSCAPE_INSTRUCTION_SETS)
    string(APPEND declarations "extern const Kernels ${target}_kernels_${set}[];\n")
    string(APPEND lists "${target}_kernels_${set}, ")
  endforeach()
  set(catalogue ${CMAKE_CURRENT_BINARY_DIR}/${target}_catalogue.cpp)
  file(CONFIGURE OUTPUT ${catalogue} CONTENT
"// Generated from the list of models in CMakeLists.txt.
#include \"engine/kernels.hpp\"
${includes}
namespace gradscape {
${declarations}
namespace {
const Kernels* const ${target}_kernels[] = {${lists}};
std::vector<Kernels> kernels_of(std::span<const Kernels* const> sets, std::size_t model) {
    std::vector<Kernels> kernels;
    for (const Kernels* set : sets) kernels.push_back(set[model]);
    return kernels;
}
std::vector<Model> make_models() {
    std::vector<Model> models;
${describe}    return models;
}
}  // namespace

const std::vector<Model>& ${target}_models();
const std::vector<Model>& ${target}_models() {
    static const std::vector<Model> models = make_models();
    return models;
}
}  // namespace gradscape
" @ONLY)
  target_sources(${target} PRIVATE ${catalogue})
endfunction()

# write_built_sets(<file>): a header that lists the sets which were built.
function(write_built_sets file)
  set(declarations "")
  set(list "")
  foreach(set IN LISTS GRADSCAPE_INSTRUCTION_SETS)
    string(APPEND declarations "extern const CpuCode cpu_code_${set};\n")
    string(APPEND list "&cpu_code_${set}, ")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT
"// Generated from GRADSCAPE_INSTRUCTION_SETS.
#pragma once

#include \"engine/cpu/instruction_set.hpp\"

namespace gradscape {
${declarations}
inline constexpr const CpuCode* built_cpu_codes[] = {${list}};
}  // namespace gradscape
" @ONLY)
endfunction()
