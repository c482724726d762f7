# yupana_embed(target namespace files...)
# Compiles text files into the target as `extern const std::string_view` constants of the C++
# namespace, each named after its file (page.css becomes page_css). The same file, run as a script
# at build time, writes the source; so an edited page is rebuilt without a new configuration.
function(yupana_embed target namespace)
  set(inputs "")
  foreach(file ${ARGN})
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAMESPACE=${namespace} -D "INPUTS=${inputs}" -P
            ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    COMMENT "Embedding the files of ${namespace}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  set(source "#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
  foreach(input ${INPUTS})
    get_filename_component(name ${input} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    file(READ ${input} text)
    string(APPEND source "extern const std::string_view ${name};\n"
                         "const std::string_view ${name} = R\"_text_(${text})_text_\";\n")
  endforeach()
  file(WRITE ${OUTPUT} "${source}}\n")
endif()
