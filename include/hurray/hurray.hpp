#pragma once

/// Sparse matrices in the Hurray file format: everything but partition.hpp,
/// plan.hpp, boost_sink.hpp and interop/.

#include <hurray/assemble.hpp>
#include <hurray/callback.hpp>
#include <hurray/catalog.hpp>
#include <hurray/checksum.hpp>
#include <hurray/compressed_view.hpp>
#include <hurray/descriptor.hpp>
#include <hurray/element.hpp>
#include <hurray/error.hpp>
#include <hurray/file.hpp>
#include <hurray/file_view.hpp>
#include <hurray/matrix.hpp>
#include <hurray/metadata.hpp>
#include <hurray/narrow.hpp>
#include <hurray/options.hpp>
#include <hurray/result.hpp>
#include <hurray/transpose.hpp>
#include <hurray/version.hpp>
#include <hurray/writer.hpp>
