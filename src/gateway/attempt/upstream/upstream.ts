import type { Deadlines } from './deadlines.ts'

export type UpstreamRequest = {
  origin: string
  path: string
  headers: Record<string, string>
  body: UpstreamBody
  /** Whether the answer is to be a stream, which may last for hours. */
  streams?: boolean
}

/** Text, or its bytes in as many pieces as there are. */
export type UpstreamBody = string | readonly Buffer[]

/** Why no whole answer came. `phase` says how far it had got. */
export type TransportFailure = {
  kind: 'refused' | 'timeout' | 'reset' | 'aborted'
  phase: 'connect' | 'first_byte' | 'answer'
  message: string
  /** The reason and its remedy, for a failure of a certificate or of the proxy. */
  explanation?: string | undefined
}

/** Takes an answer as it arrives. Exactly one of `end` and `failed` is called, last. */
export type Sink = {
  head: (status: number, headers: Record<string, string | string[] | undefined>) => void
  data: (chunk: Buffer) => void
  end: () => void
  failed: (failure: TransportFailure) => void
}

/** One request under way. Pausing stops reading, so that the upstream feels a slow reader. */
export type Exchange = {
  abort: () => void
  pause: () => void
  resume: () => void
  /** How long it took until there was a connection for it; undefined without one. */
  readonly connectMs?: number | undefined
}

export type Upstreams = {
  send: (request: UpstreamRequest, deadlines: Deadlines, sink: Sink) => Exchange
  close: () => Promise<void>
}
