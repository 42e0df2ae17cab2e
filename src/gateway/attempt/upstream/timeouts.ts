/** Timeouts for an upstream, in milliseconds. */
export type Timeouts = {
  /** From the request to the first byte of the response, including the connection. */
  firstByteMs: number
  /** Between two chunks of a response. */
  idleMs: number
  /** From the end of the content to the usage event, if the client has disconnected. */
  usageMs: number
}
