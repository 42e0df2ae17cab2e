/** The requested length of the end of a log, in bytes or lines, depending on its storage. */
export type LogLength = { bytes: number; lines: number }

/** The end of the log of an intern's daemon, and whether its start was cut; or the reason why the daemon has no log. */
export type InternLog = { text: string; isCut: boolean } | { none: string }

/** Why an intern has no log if it was never started on its host. */
export const neverStartedNote = 'It has not been started yet.'
