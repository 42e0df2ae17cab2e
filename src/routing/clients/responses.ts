import type { AnswerHead, ClientWire, StreamWriter } from '../wire.ts'
import { responsesToChat } from './responses-to-chat.ts'
import { ResponseWriter } from './responses-writer.ts'

/** Clients of OpenAI responses. They are always told the usage. */
export const responsesClient: ClientWire = {
  protocol: 'openai-responses',
  toChat: responsesToChat,
  writer: (head, { passedEvents }): StreamWriter => new ResponseWriter(head, passedEvents),
  writeBody(head: AnswerHead, events, cost) {
    const writer = new ResponseWriter(head)
    for (const event of events) writer.event(event)
    writer.end(cost)
    return writer.response
  },
  passThroughEnd: '',
  usageEvent(raw, cost) {
    const text = raw.toString('utf8')
    const at = text.indexOf('data:')
    const event = JSON.parse(text.slice(text.indexOf('{', at))) as { response?: { usage?: object | null } }
    if (!event.response?.usage) return raw
    event.response.usage = { ...event.response.usage, cost: cost.costUsd }
    return `${text.slice(0, at)}data: ${JSON.stringify(event)}\n\n`
  },
}
