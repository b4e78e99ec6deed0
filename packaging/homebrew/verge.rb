# Untested: written for the release archive of scripts/tarball. Fill in url and sha256 of a release.
class Verge < Formula
  desc "Multibody dynamics engine"
  homepage "URL-OF-THE-PROJECT"
  url "URL-OF-THE-RELEASE/verge-0.1.0.tar.xz"
  sha256 "SHA256-OF-THE-RELEASE"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkg-config" => :build
  depends_on "cairo"
  depends_on "libmicrohttpd"
  depends_on "libyaml"
  depends_on "nlopt"
  depends_on "suite-sparse"
  depends_on "sundials"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DVERGE_TESTS=OFF", "-DVERGE_LINK_PARTS=ON", *std_cmake_args
    system "cmake", "--build", "build", "--target", "product"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"verge", "run", share/"verge/models/cart.yaml", "--end", "0.1"
  end
end
