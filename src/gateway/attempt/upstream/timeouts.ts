/** Timeouts for an upstream, in milliseconds. */
export type Timeouts = {
  /** From the request to the first byte of the answer, including the connection. */
  firstByteMs: number
  /** Between two chunks of an answer. */
  idleMs: number
  /** From the end of the content to the usage event, if the client has disconnected. */
  usageMs: number
}
