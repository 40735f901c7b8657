# cmake -DSOURCE=... -DVERSION=... -DOUTPUT=... -DGIT=... -P write_version.cmake: the version header, rewritten only when it changes.
set(COMMIT "")
if(GIT AND EXISTS ${SOURCE}/.git)   # not a tarball unpacked inside some other repository
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${SOURCE}/app/version.hpp.in ${OUTPUT} @ONLY)
