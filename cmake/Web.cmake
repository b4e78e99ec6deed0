# The engine for JavaScript: engine.js and engine.wasm, which web/verge.js loads. The programs of the tests see the files of
# this machine, the engine has files in memory.
target_link_options(cross_cases PRIVATE -sNODERAWFS=1 -sEXIT_RUNTIME=1)
add_executable(engine EXCLUDE_FROM_ALL src/web/engine.c src/cli/page/live.c src/cli/page/answers.c src/cli/cli.c
                                       src/cli/progress.c)
verge_sources(engine)
target_link_libraries(engine PRIVATE verge_lib)
# verge.js compiles the module itself, so that two threads of a page can share it
target_link_options(engine PRIVATE -O3 -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web -sFILESYSTEM=1
  -sEXPORTED_RUNTIME_METHODS=ccall,FS,UTF8ToString -sEXPORTED_FUNCTIONS=_malloc,_free -sINVOKE_RUN=0 --no-entry
  -sDYNAMIC_EXECUTION=0)
