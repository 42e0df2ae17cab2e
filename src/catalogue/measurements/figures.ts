export type Percentiles = { p50: number; p75: number; p90: number; p99: number }

/** Measurements of one endpoint; null if there are too few. */
export type EndpointFigures = {
  /** Milliseconds to the first token, over 30 minutes. */
  latencyMs: Percentiles | null
  /** Tokens per second, over 30 minutes. */
  throughput: Percentiles | null
  /** The fastest response in tokens per second, over 30 minutes. */
  fastest: number | null
  /** Percentages. */
  uptime5m: number | null
  uptime30m: number | null
  uptime1d: number | null
}

/** The traffic of one model over 7 days. */
export type ModelFigures = {
  requests7d: number
  tokens7d: number
  /** The share, from 0 to 1, of the finished requests that ended with tool calls; null if there were none. */
  toolSuccess: number | null
}

/** All measurements at one time. Immutable; newer figures are another object. */
export type Figures = {
  endpoint: (id: string) => EndpointFigures
  model: (id: string) => ModelFigures
}

export const unmeasuredEndpoint: EndpointFigures = Object.freeze({
  latencyMs: null,
  throughput: null,
  fastest: null,
  uptime5m: null,
  uptime30m: null,
  uptime1d: null,
})

export const unmeasuredModel: ModelFigures = Object.freeze({ requests7d: 0, tokens7d: 0, toolSuccess: null })

export const noFigures: Figures = { endpoint: () => unmeasuredEndpoint, model: () => unmeasuredModel }
