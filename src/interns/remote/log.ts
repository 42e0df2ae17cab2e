/** How much of the end of a log is wanted. Who has it by lines gives so many, who has it by bytes so much. */
export type LogWanted = { bytes: number; lines: number }

/** The end of what an intern's daemon has said, and whether there is more before it; or why there is nothing. */
export type InternLog = { text: string; isCut: boolean } | { none: string }

/** Of an intern that was never started where it lives. */
export const neverStarted = 'It has not been started yet.'
