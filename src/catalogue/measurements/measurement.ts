/**
 * The result of one attempt at one endpoint. `rate_limited` does not show whether the endpoint works, so it does not count
 * in the uptime.
 */
type Outcome = 'success' | 'upstream_error' | 'rate_limited'

/** One attempt at one endpoint, recorded at its end. A request with fallbacks has several. */
export type Measurement = {
  endpointId: string
  modelId: string
  outcome: Outcome
  /** The end, in milliseconds since the epoch; defaults to now. */
  at?: number
  /** From sending the request to the first token; absent if there was none. */
  firstTokenMs?: number
  /** From the first token to the last, for the throughput; absent if the response was not streamed to its end. */
  generationMs?: number
  promptTokens?: number
  completionTokens?: number
  /** The tokens generated between the first token and the last; defaults to `completionTokens`. */
  generatedTokens?: number
  /** Tokens per second after the start of the response, which limits charges; absent for a short response. */
  speed?: number
  /** Whether the finish reason was `tool_calls`. */
  calledTools?: boolean
}
