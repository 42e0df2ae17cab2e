import { isArgumentsField } from '#chat/fields/arguments-fields.ts'
import { MessagesCall } from '#chat/messages-call.ts'
import { messagesClientProtocol } from '#gateway/clients/messages/messages-client-protocol.ts'
import { countTokens } from '#gateway/count-tokens.ts'
import { selectPause } from '#platform/async/long-work.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { declaredBytes } from './call.ts'

export const countMessageTokens = route({
  method: 'post',
  path: '/messages/count_tokens',
  tag: 'completions',
  key: 'api',
  acceptsApiKeyHeader: () => true,
  summary: 'Count the tokens of a messages request',
  description:
    'Endpoints with Anthropic’s protocol count the tokens. For other endpoints, the number is an estimate, which is usually too high. The response then has the header `x-tokens-estimated: true`. The call is not metered.',
  request: { body: MessagesCall },
  keepsOriginalBody: true,
  exactFields: isArgumentsField,
  response: z.object({ input_tokens: z.int() }),
  errorBody: messagesClientProtocol.operation.errorBody,
  headers: { success: ['request-id', 'x-tokens-estimated'], failure: ['request-id', 'x-should-retry'] },
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'unavailable'],
  handler: async ({ body, caller, headers, host, requestId }, { gateway }) => {
    const pause = selectPause(declaredBytes(headers))
    await pause?.()
    const call = { body, caller, headers, host, requestId, client: messagesClientProtocol, pause }
    const { tokens, isEstimated } = await countTokens(gateway, call)
    const estimateHeaders = isEstimated ? { 'x-tokens-estimated': 'true' } : undefined
    return new HttpResponse(
      200,
      { ...messagesClientProtocol.responseHeaders?.(requestId), ...estimateHeaders },
      { input_tokens: tokens },
    )
  },
})
