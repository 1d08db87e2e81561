/* Two registers. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;
typedef __int128 signed_wide;
#else
typedef unsigned long long wide;
typedef long long signed_wide;
#endif
