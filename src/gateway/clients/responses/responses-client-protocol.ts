import { ResponsesCall } from '#chat/responses-call.ts'
import type { ClientProtocol, ResponseHead, StreamWriter } from '../../protocol/client-protocol.ts'
import { changeLastObject } from '../../protocol/passthrough-rewriter.ts'
import { addCostToUsage } from '../../protocol/usage-with-cost.ts'
import { completeUsage, toResponseUsage } from './object.ts'
import { responsesPreset } from './preset.ts'
import { createResponsesRewriter } from './rewriter.ts'
import { Response, ResponseEvent } from './schema.ts'
import { listUntranslatedFields, responsesToChat } from './to-chat.ts'
import { ResponseWriter } from './writer.ts'

/** The client protocol of OpenAI's Responses API. Clients always get the usage. */
export const responsesClientProtocol: ClientProtocol = {
  protocol: 'openai-responses',
  operation: {
    id: 'createResponse',
    path: '/responses',
    summary: 'Create a response',
    description:
      'The OpenAI Responses API for every model of the catalogue. Nothing is stored: send the whole conversation with each request.',
    request: ResponsesCall,
    response: Response,
    events: ResponseEvent,
  },
  conversation: 'input',
  apiType: 'responses',
  toChat: responsesToChat,
  listUntranslatedFields: listUntranslatedFields,
  preset: responsesPreset,
  keepalive: ': keepalive\n\n',
  createWriter: (head, { passedEvents }): StreamWriter => new ResponseWriter(head, passedEvents),
  writeBody(head: ResponseHead, events, cost) {
    const writer = new ResponseWriter(head)
    for (const event of events) writer.event(event)
    writer.end(cost)
    return writer.response
  },
  passThroughEnd: '',
  createRewriter: createResponsesRewriter,
  toUsage: toResponseUsage,
  addCostToEvent: (raw, cost) =>
    changeLastObject<{ response?: { usage?: object | null } }>(raw, (event) => {
      const { response } = event
      if (!response?.usage) return undefined
      const usage = completeUsage(addCostToUsage(response.usage, cost, toResponseUsage))
      return { ...event, response: { ...response, usage } }
    }),
}
