// TDL2048+ as a shared library. Build it with its own sources, in the folder of those:
// g++ -O3 -march=native -std=c++20 -pthread -fPIC -shared -I . PATH/tdl.cpp -o libtdl.so
#define main its_main
#include "2048.cpp"
#undef main

namespace {
moporgic::method its_method;
}

// Load a network and choose a search by the program's own options.
extern "C" void engine_start(int argc, const char* argv[]) {
    using namespace moporgic;
    utils::options opts = parse(argc, argv);
    utils::config_random(opts["seed"]);
    utils::config_memory(opts["thread"]);
    utils::config_weight(opts["alpha"]);
    utils::init_cache(opts["cache"]);
    utils::load_network(opts["load"]);
    utils::make_network(opts["make"]);
    for (std::string recipe : opts["recipes"]) its_method = method::parse(opts[recipe]);
}

// The best move of a board, the first cell in the lowest four bits: up, right, down, left, or -1.
extern "C" int engine_choose(uint64_t cells) {
    using namespace moporgic;
    struct select best;
    return best(board(cells), feature::feats(), its_method) ? int(best.opcode()) : -1;
}
