/** The ids of a daemon: without control characters. They are stored, and form paths, logs and cursors. */
export const idPattern = /^\P{Cc}*$/u

/** Replaces U+0000, which Postgres cannot store, by U+FFFD. */
export const replaceNul = (text: string): string => text.replaceAll('\0', '\ufffd')
