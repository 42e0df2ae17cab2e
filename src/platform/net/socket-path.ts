/** The longest path that a Unix socket can have on Linux, in bytes. */
export const maxSocketPath = 107
