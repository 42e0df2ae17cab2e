import type { TurnLimits } from '#gateway/admission/turn-limits.ts'
import type { ModelResponse } from '#gateway/attempt/send-attempt.ts'
import { complete } from '#gateway/complete.ts'
import type { CompletionCall } from '#gateway/completion-call.ts'
import type { GatewayDeps } from '#gateway/deps.ts'
import type { ClientProtocol } from '#gateway/protocol/client-protocol.ts'
import type { Body } from '#gateway/protocol/request-body.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { type Pause, selectPause } from '#platform/async/long-work.ts'
import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import type { Call } from '#platform/http/route.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import { readApp } from './client-app.ts'

type IncomingCompletion = Pick<
  Call<Record<never, never>, Caller>,
  'caller' | 'headers' | 'host' | 'requestId' | 'response'
> & {
  body: Body
  source?: JsonSource | undefined
}

/** A longer session in the header is ignored. */
const maxSessionLength = 256

/**
 * The part of a request that the data plane needs. A session named in the body takes precedence over one in the header.
 */
function completionCall(
  { body, source, caller, headers, host, requestId, response }: IncomingCompletion,
  client: ClientProtocol,
  pause: Pause | undefined,
): CompletionCall {
  const header = headers['x-session-id']
  const session =
    body.session_id ?? (typeof header === 'string' && header.length <= maxSessionLength ? header : undefined)
  return {
    caller,
    client,
    body,
    source,
    pause,
    headers,
    requestId,
    sessionId: nonEmptyText(session),
    app: readApp(headers),
    traceParent: nonEmptyText(headers.traceparent),
    host,
    response,
  }
}

/** The length of a body by its header. Without the header a body can have any length. */
export function declaredBytes({ 'content-length': length }: IncomingCompletion['headers']): number {
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length)
}

/** @returns the whole response, or undefined if it was streamed. */
export function sendCompletion(
  gateway: GatewayDeps,
  call: IncomingCompletion,
  client: ClientProtocol,
): Promise<ModelResponse> {
  const pause = selectPause(declaredBytes(call.headers))
  const responseHeaders = client.responseHeaders?.(call.requestId) ?? {}
  for (const [name, value] of Object.entries(responseHeaders)) call.response.header(name, value)
  const completion = completionCall(call, client, pause)
  const isInternRequest = call.caller.keyKind === 'intern'
  return isInternRequest ? completeForIntern(gateway, completion) : complete(gateway, completion)
}

/** A request that an intern makes with its own key. */
async function completeForIntern(gateway: GatewayDeps, completion: CompletionCall) {
  const { keyHash } = completion.caller
  const limits = await gateway.turnLimits?.(keyHash)
  // Marks usage that is not in the ledger yet.
  const release = await gateway.markRequest?.(keyHash)
  const turns = limits && {
    ...limits,
    onRefusal(...refusal: Parameters<TurnLimits['onRefusal']>) {
      // `limits.onRefusal` waits for the end of the turn, and the turn waits until no usage is marked.
      release?.()
      return limits.onRefusal(...refusal)
    },
  }
  try {
    return await complete(gateway, { ...completion, turns })
  } finally {
    release?.()
  }
}
