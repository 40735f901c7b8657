// The stepper, the controller and the dense output are the same source on the GPU: NVRTC, which knows no standard header, compiles a
// whole step of every method for sm_90. Needs libnvrtc but no GPU; without the library the test counts as skipped.
#include <QtTest>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace {

constexpr int skipped = 77;  // SKIP_RETURN_CODE in CMakeLists.txt

/// The part of NVRTC's C interface that is used here, opened at run time.
struct Nvrtc {
    using Program = void*;
    int (*create)(Program*, const char* source, const char* name, int headers, const char* const* sources, const char* const* names);
    int (*compile)(Program, int options, const char* const* values);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    int (*cubin_size)(Program, std::size_t*);
    int (*destroy)(Program*);

    bool open() {
        void* library = nullptr;
        for (const char* name : {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12"})
            if (library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) break;
        return library != nullptr && find(library, "nvrtcCreateProgram", create) && find(library, "nvrtcCompileProgram", compile) &&
               find(library, "nvrtcGetProgramLogSize", log_size) && find(library, "nvrtcGetProgramLog", log) &&
               find(library, "nvrtcGetCUBINSize", cubin_size) && find(library, "nvrtcDestroyProgram", destroy);
    }

private:
    template <class Function>
    static bool find(void* library, const char* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function != nullptr;
    }
};

Nvrtc nvrtc;

using Headers = std::map<std::string, std::string>;

/// Adds the headers of ours that `source` includes, and theirs, by the names under which they are included.
void add_headers(const std::string& source, Headers& headers) {
    static const std::regex include("#include \"([^\"]+)\"");
    for (std::sregex_iterator match(source.begin(), source.end(), include), end; match != end; ++match) {
        const std::string name = (*match)[1];
        if (headers.contains(name)) continue;
        std::ifstream file(std::filesystem::path(GRADSCAPE_SOURCE_DIR) / name);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        headers[name] = text;
        add_headers(text, headers);
    }
}

struct Compiled {
    bool ok = false;
    std::size_t cubin_bytes = 0;
    std::string log;
};

Compiled compile(const std::string& source) {
    Headers headers;
    add_headers(source, headers);
    std::vector<const char*> names, sources;
    for (const auto& [name, text] : headers) {
        names.push_back(name.c_str());
        sources.push_back(text.c_str());
    }
    const char* const options[] = {"--gpu-architecture=sm_90", "--std=c++20", "-default-device", "-fmad=false"};

    Compiled result;
    Nvrtc::Program program = nullptr;
    if (nvrtc.create(&program, source.c_str(), "step.cu", static_cast<int>(names.size()), sources.data(), names.data()) != 0) return result;
    result.ok = nvrtc.compile(program, static_cast<int>(std::size(options)), options) == 0;
    std::size_t size = 0;
    nvrtc.log_size(program, &size);
    result.log.resize(size);
    nvrtc.log(program, result.log.data());
    if (result.ok) nvrtc.cubin_size(program, &result.cubin_bytes);
    nvrtc.destroy(&program);
    return result;
}

/// One thread's first step of the Lorenz system, with the state in the middle of it.
std::string kernel(const std::string& tableau, const std::string& header) {
    return "#include \"engine/dense_output.hpp\"\n"
           "#include \"engine/explicit_rk.hpp\"\n"
           "#include \"engine/step_control.hpp\"\n"
           "#include \"" + header + "\"\n" + R"(
using namespace gradscape;

struct Lorenz {
    static constexpr int dimension() { return 3; }
    HOST_DEVICE void rhs(const double&, const double* y, double* dydt) const {
        dydt[0] = 10.0 * (y[1] - y[0]);
        dydt[1] = fma(y[0], rho - y[2], -y[1]);
        dydt[2] = fma(-8.0 / 3.0, y[2], y[0] * y[1]);
    }
    double rho;
};

extern "C" __global__ void one_step(const double* rho, const double* y0, double* result) {
    using Method = )" + tableau + R"(;
    using Controller = PiController<Method::embedded_order + 1>;
    const Lorenz system{rho[threadIdx.x]};
    const double atol[3] = {1e-8, 1e-8, 1e-8}, rtol = 1e-8, t = 0;
    double y[3] = {y0[0], y0[1], y0[2]}, y1[3], middle[3], scratch[9];
    double k[3 * (Method::stages + Method::extra_stages)];
    system.rhs(t, y, k);
    const double h = first_step<Method::order>(system, t, 1.0, 1.0, 1.0, y, k, atol, rtol, scratch);
    const double error_squared = step<Method>(system, t, t + h, h, y, atol, rtol, k, y1), error = Controller::log2_error(error_squared);
    dense_stages<Method>(system, t, t + h, h, y, k, scratch);
    interpolate<Method>(0.5, h, y, k, 3, middle);
    const bool accepted = error_squared <= 1;
    result[0] = Controller::next_step(h, error, Controller::log2_error_floor, Controller::log2_grow, accepted);
    for (int d = 0; d < 3; ++d) result[1 + d] = select(accepted, y1[d], middle[d]);
}
)";
}

}  // namespace

class TestNvrtc : public QObject {
    Q_OBJECT
private slots:
    void a_step_of_every_method_compiles_for_the_gpu_data() {
        QTest::addColumn<QString>("tableau");
        QTest::addColumn<QString>("header");
        QTest::newRow("tsit5") << "Tsit5" << "engine/methods/tsit5.hpp";
        QTest::newRow("vern7") << "Vern7" << "engine/methods/vern7.hpp";
    }
    void a_step_of_every_method_compiles_for_the_gpu() {
        QFETCH(QString, tableau);
        QFETCH(QString, header);
        const Compiled compiled = compile(kernel(tableau.toStdString(), header.toStdString()));
        QVERIFY2(compiled.ok, compiled.log.c_str());
        QVERIFY(compiled.cubin_bytes > 1000);
    }

    void a_standard_header_is_not_found_by_the_gpu_compiler() {
        const Compiled compiled = compile("#include <cmath>\n" + kernel("Tsit5", "engine/methods/tsit5.hpp"));
        QVERIFY(!compiled.ok);
        QVERIFY2(compiled.log.find("cmath") != std::string::npos, compiled.log.c_str());
    }
};

int main(int argc, char** argv) {
    if (!nvrtc.open()) {
        std::puts("skipped: libnvrtc is not installed");
        return skipped;
    }
    TestNvrtc test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_nvrtc.moc"
