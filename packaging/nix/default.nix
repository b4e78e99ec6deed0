# Untested: nix-build packaging/nix in an unpacked release archive (it has the pages of the viewer inside).
{ pkgs ? import <nixpkgs> { } }:
pkgs.stdenv.mkDerivation {
  pname = "verge";
  version = "0.1.0";
  src = ../..;
  nativeBuildInputs = with pkgs; [ cmake pkg-config ];
  buildInputs = with pkgs; [ suitesparse libyaml sundials cairo libmicrohttpd nlopt ];
  cmakeFlags = [ "-DVERGE_TESTS=OFF" "-DVERGE_LINK_PARTS=ON" ];
  doInstallCheck = true;
  installCheckPhase = "$out/bin/verge run $out/share/verge/models/cart.yaml --end 0.1";
  meta = {
    description = "Multibody dynamics engine";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
  };
}
