/** Measurements of endpoints and models. */
export type CatalogueTables = {
  endpoint_minutes: {
    endpoint: string
    /** Minutes since the epoch. */
    minute: number
    /** The server process that counted. Each writes separate rows, which readers sum up. */
    writer: string
    successes: number
    errors: number
    /** Distributions in the format of src/platform/metrics/sketch.ts. */
    latency: string
    throughput: string
    /** The speeds of responses that were long enough to measure it. */
    speed: string
    written_at: number
  }
  endpoint_hours: {
    endpoint: string
    hour: number
    writer: string
    successes: number
    errors: number
    written_at: number
  }
  /** The sums of all servers by hour. Finished minutes are added to it. */
  endpoint_history: {
    endpoint: string
    hour: number
    successes: number
    errors: number
    latency: string
    throughput: string
  }
  model_hours: {
    model: string
    hour: number
    writer: string
    requests: number
    tokens: number
    tool_calls: number
    written_at: number
  }
  /** Endpoints that billed more than a request could cost, with the number of such requests. */
  overbilled_endpoints: { endpoint: string; requests: number; last_at: number; last_generation: string }
}
