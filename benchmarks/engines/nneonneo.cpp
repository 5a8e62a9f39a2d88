// nneonneo/2048-ai as a shared library whose depth has a limit. Build it with its own sources:
// g++ -O3 -march=native -std=c++11 -DHAVE_UNORDERED_MAP -fPIC -shared -I SOURCES nneonneo.cpp -o ...
#define main its_main
#include "2048.cpp"
#undef main

// The value of a first move, searched `limit` moves further at most; 0: as deep as it likes.
extern "C" DLL_PUBLIC float engine_value(board_t board, int move, int limit) {
    eval_state state;
    int depth = std::max(3, count_distinct_tiles(board) - 2);
    state.depth_limit = limit ? std::min(limit, depth) : depth;
    return _score_toplevel_move(state, board, move);
}
