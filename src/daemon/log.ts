/** Logs one line for the operator. It must not contain prompts, replies or secrets. */
export type DaemonLog = (event: string, details?: Record<string, unknown>) => void

// Without a listener, an error would end the daemon when the reader of its log has ended.
process.stderr.on('error', () => {})

/** JSON lines on standard error. The logger of the server is too large for a process that must stay small. */
export const stderrLog: DaemonLog = (event, details) => {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...details })}\n`)
}
