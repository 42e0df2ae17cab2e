import type { ChatRequest } from '#chat/chat-request.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ClientProtocol, StreamWriter } from '../../protocol/client-protocol.ts'
import { healJson } from './heal-json.ts'

/**
 * A client protocol that repairs the JSON of responses. A stream delivers its text at the end, when it is complete.
 * @throws Fault `invalid` for several choices, which completion events do not distinguish.
 */
export function createHealingClient(
  client: ClientProtocol,
  { response_format: format, n }: ChatRequest,
): ClientProtocol {
  if (format?.type !== 'json_schema' && format?.type !== 'json_object') return client
  if (n != null && n > 1) throw new Fault('invalid', 'Invalid request: n: must be 1 with the plugin "response-healing"')
  const { schema } = (format.json_schema ?? {}) as { schema?: unknown }
  const heal = (text: string) => healJson(text, schema)
  return {
    ...client,
    rewritesResponses: true,
    createWriter: (head, options) => createHealingWriter(client.createWriter(head, options), heal),
    writeBody: (head, events, cost) => client.writeBody(head, healEvents(events, heal), cost),
  }
}

function healEvents(events: CompletionEvent[], heal: (text: string) => string): CompletionEvent[] {
  let text = ''
  for (const event of events) if (event.type === 'text') text += event.text
  const first = events.findIndex(({ type }) => type === 'text')
  return events.flatMap((event, at): CompletionEvent[] => {
    if (event.type !== 'text') return [event]
    return at === first ? [{ type: 'text', text: heal(text) }] : []
  })
}

function createHealingWriter(writer: StreamWriter, heal: (text: string) => string): StreamWriter {
  let buffered = ''
  const release = (convert: (text: string) => string) => {
    const text = buffered === '' ? '' : writer.event({ type: 'text', text: convert(buffered) })
    buffered = ''
    return text
  }
  return {
    event(event) {
      if (event.type === 'finish') return release(heal) + writer.event(event)
      if (event.type !== 'text') return writer.event(event)
      buffered += event.text
      return ''
    },
    end: (cost) => release(heal) + writer.end(cost),
    // A response that broke off is written without repair.
    fail: (error) => release((text) => text) + writer.fail(error),
  }
}
