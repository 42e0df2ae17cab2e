export type Percentiles = { p50: number; p75: number; p90: number; p99: number }

/** What was measured of one endpoint. Null while there is too little data. */
export type EndpointFigures = {
  /** Milliseconds to the first token, over the last 30 minutes. */
  latencyMs: Percentiles | null
  /** Tokens per second, over the last 30 minutes. */
  throughput: Percentiles | null
  /** Percentages, 0 to 100. */
  uptime5m: number | null
  uptime30m: number | null
  uptime1d: number | null
}

export type ModelFigures = {
  /** Tokens this service routed to the model in the last 7 days. */
  tokens7d: number
  /** The share of requests with tools that ended well, 0 to 1. */
  toolSuccess: number | null
}

/** All that was measured, at one moment: what is asked twice answers the same. */
export type Figures = {
  endpoint: (id: string) => EndpointFigures
  model: (id: string) => ModelFigures
}

const nothingOfEndpoint: EndpointFigures = {
  latencyMs: null,
  throughput: null,
  uptime5m: null,
  uptime30m: null,
  uptime1d: null,
}
const nothingOfModel: ModelFigures = { tokens7d: 0, toolSuccess: null }

/** Nothing measured yet. */
export const noFigures: Figures = { endpoint: () => nothingOfEndpoint, model: () => nothingOfModel }
