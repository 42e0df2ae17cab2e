/** Time limits for an upstream, in milliseconds. */
export type Deadlines = {
  /** From the request to the first byte of the answer, including the connection. */
  firstByteMs: number
  /** Between two chunks of an answer. */
  silenceMs: number
  /** For the usage at the end of a finished answer, after the client disconnected. */
  usageMs: number
}
