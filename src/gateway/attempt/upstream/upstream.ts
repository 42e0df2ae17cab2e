import type { Timeouts } from './timeouts.ts'

export type UpstreamRequest = {
  origin: string
  path: string
  /** POST by default. */
  method?: 'GET'
  headers: Record<string, string>
  body: UpstreamBody
  /** Whether the response is a stream, which can last for hours. */
  isStream?: boolean
}

/** The body as text, or as bytes in any number of pieces. */
export type UpstreamBody = string | readonly Buffer[]

/** The reason why a response is missing or incomplete, and the phase in which the request failed. */
export type TransportFailure = {
  kind: 'refused' | 'timeout' | 'reset' | 'aborted'
  phase: 'connect' | 'first_byte' | 'response'
  message: string
  /** The reason and its remedy, for a failure of a certificate or of the proxy. */
  explanation?: string | undefined
}

/** Receives a response as it arrives. `end` or `fail` is called exactly once, last. */
export type Sink = {
  head: (status: number, headers: Record<string, string | string[] | undefined>) => void
  data: (chunk: Buffer) => void
  end: () => void
  fail: (failure: TransportFailure) => void
}

/** One request in flight. Pausing stops reading, so that back-pressure reaches the upstream. */
export type Exchange = {
  abort: () => void
  pause: () => void
  resume: () => void
  /** The time to connect, in milliseconds; undefined if the request has no connection yet. */
  readonly connectMs?: number | undefined
}

export type Upstreams = {
  send: (request: UpstreamRequest, timeouts: Timeouts, sink: Sink) => Exchange
  close: () => Promise<void>
}
