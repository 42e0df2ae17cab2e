import type { TurnLimits } from '#gateway/admission/turn-limits.ts'
import type { Answer } from '#gateway/attempt/send-attempt.ts'
import { complete } from '#gateway/complete.ts'
import type { CompletionCall } from '#gateway/completion-call.ts'
import type { GatewayDeps } from '#gateway/deps.ts'
import type { Body, ClientProtocol } from '#gateway/protocol/protocol.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { type Pause, pauseForBody } from '#platform/async/long-work.ts'
import type { Call } from '#platform/http/route.ts'
import type { JsonSource } from '#platform/json/json-source.ts'
import { appOf } from './app.ts'

type Incoming = Pick<Call<Record<never, never>, Caller>, 'caller' | 'headers' | 'host' | 'requestId' | 'response'> & {
  body: Body
  source?: JsonSource | undefined
}

/**
 * The part of a request that the data plane needs. A session named in the body takes precedence over one in the header.
 */
function completionCall(
  { body, source, caller, headers, host, requestId, response }: Incoming,
  client: ClientProtocol,
  pause: Pause | undefined,
): CompletionCall {
  const header = headers['x-session-id']
  const session = body.session_id ?? (typeof header === 'string' && header.length <= 256 ? header : undefined)
  return {
    caller,
    client,
    body,
    source,
    pause,
    headers,
    requestId,
    sessionId: typeof session === 'string' && session !== '' ? session : undefined,
    app: appOf(headers),
    traceParent: headers.traceparent as string | undefined,
    host,
    response,
  }
}

/** The length of a body by its header. Without the header a body can have any length. */
export function declaredBytes({ 'content-length': length }: Incoming['headers']): number {
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length)
}

/** @returns the whole answer, or undefined if it was streamed. */
export function answerCompletion(routing: GatewayDeps, call: Incoming, client: ClientProtocol): Promise<Answer> {
  const pause = pauseForBody(declaredBytes(call.headers))
  const own = client.answerHeaders?.(call.requestId)
  for (const name in own) call.response.header(name, own[name]!)
  const completion = completionCall(call, client, pause)
  const isOfIntern = call.caller.keyKind === 'intern'
  return isOfIntern ? completeForIntern(routing, completion) : complete(routing, completion)
}

/** A request that an intern makes with its own key. */
async function completeForIntern(routing: GatewayDeps, completion: CompletionCall) {
  const { keyHash } = completion.caller
  const limits = await routing.turnLimits?.(keyHash)
  // Marks usage that is not in the ledger yet.
  const release = await routing.noteRequest?.(keyHash)
  const turns = limits && {
    ...limits,
    refused(...refused: Parameters<TurnLimits['refused']>) {
      // It waits for the end of its turn, so the turn must not wait for it.
      release?.()
      return limits.refused(...refused)
    },
  }
  try {
    return await complete(routing, { ...completion, turns })
  } finally {
    release?.()
  }
}
