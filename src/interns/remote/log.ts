/** The requested length of the end of a log, in bytes or lines, depending on its storage. */
export type LogLength = { bytes: number; lines: number }

/** The end of the log of an intern's daemon, and whether it was cut; or why it has none. */
export type InternLog = { text: string; isCut: boolean } | { none: string }

/** For an intern that was never started on its host. */
export const neverStartedNote = 'It has not been started yet.'
