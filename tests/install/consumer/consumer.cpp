// A program of somebody else, in C++.
#include <iostream>
#include <string>

#include <verge/status.h>
#include <verge/version.h>

int main()
{
    std::cout << "Verge " << vg_version() << ", " << vg_status_text(VG_OK) << "\n";
    return std::string(vg_version()) != VERGE_VERSION_STRING;
}
