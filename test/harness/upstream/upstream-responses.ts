import type { Protocol } from '#platform/core/vocabulary.ts'
import { providerFacts, type ScriptedResponse, type UpstreamProtocol } from './provider-facts.ts'

type Reply = { status: number; type: string; body: string }

/** The response as an upstream of the protocol writes it, whole or streamed. */
export function encodeResponse(protocol: Protocol, result: ScriptedResponse, streamed: boolean): Reply {
  const { encodeResponse: encode, endMark = '' } = providerFacts[protocol as UpstreamProtocol]
  const body = encode(result, streamed)
  if (!streamed) return { status: 200, type: 'application/json', body: JSON.stringify(body) }
  const event = (data: object) => {
    const { type } = data as { type?: string }
    return `${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`
  }
  return { status: 200, type: 'text/event-stream', body: (body as object[]).map(event).join('') + endMark }
}

/** An error as the provider words it. */
export function failedBy(protocol: Protocol, status: number): Reply {
  const body = providerFacts[protocol as UpstreamProtocol].errorBody(status, `played ${status}`)
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
