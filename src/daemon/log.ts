/** One line about something an operator may want to know. Never prompts, answers or secrets. */
export type DaemonLog = (event: string, details?: Record<string, unknown>) => void

// The reader of the log may be gone; the intern goes on.
process.stderr.on('error', () => {})

/** JSON lines on standard error. The logger of the server is too large for a process that must stay small. */
export const stderrLog: DaemonLog = (event, details) => {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...details })}\n`)
}
