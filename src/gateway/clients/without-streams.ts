import type { ClientProtocol } from '../protocol/client-protocol.ts'

const neverStreamed = (): never => {
  throw new Error('responses of this protocol are never streamed')
}

/** The stream fields of a client protocol without streams: its requests have no field `stream`. */
export const withoutStreams: Pick<ClientProtocol, 'createWriter' | 'keepalive' | 'passThroughEnd' | 'addCostToEvent'> =
  {
    createWriter: neverStreamed,
    keepalive: '',
    passThroughEnd: '',
    addCostToEvent: neverStreamed,
  }
