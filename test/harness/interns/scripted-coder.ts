import type { Protocol } from '#platform/core/vocabulary.ts'
import { providerFacts, type ScriptedResponse, type UpstreamProtocol } from '../upstream/provider-facts.ts'
import { parseRequest, type Received } from '../upstream/scripted-upstream.ts'
import { encodeResponse } from '../upstream/upstream-responses.ts'

/** The results of an agent's tools so far, in order, as the upstream received them. */
export function toolResultsIn(protocol: Protocol, body: any): unknown[] {
  return providerFacts[protocol as UpstreamProtocol].toolResults(body)
}

/**
 * A model that follows a script, one step for each result of a tool, in the protocol of the request. Requests without
 * tools, such as for a title, get a word.
 */
export function playScript(script: readonly ScriptedResponse[]) {
  return (received: Received) => {
    if (received.path.endsWith('/count_tokens'))
      return { status: 200, type: 'application/json', body: '{"input_tokens":100}' }
    const { protocol, streamed } = parseRequest(received)
    const isWork = JSON.stringify(received.body.tools ?? []).includes('"Bash"')
    const step = isWork ? script[toolResultsIn(protocol, received.body).length] : { text: 'Title' }
    return encodeResponse(protocol, step ?? { text: 'There is nothing left to do.' }, streamed)
  }
}
