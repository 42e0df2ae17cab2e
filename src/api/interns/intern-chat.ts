import type { Caller } from '#identity/accounts/caller.ts'
import { findIntern } from '#interns/registry/intern-store.ts'
import { InternRun, toRunItem } from '#interns/runs/run-record.ts'
import { requireRun } from '#interns/runs/run-store.ts'
import { type ChatTurnRequest, startChatTurn } from '#interns/turns/chat-turn.ts'
import { createReplyWriter } from '#interns/turns/reply.ts'
import { collectReply } from '#interns/turns/whole-reply.ts'
import { toAbortSignal } from '#platform/async/disconnect-signal.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import { sendEvents } from '#platform/http/response/send-events.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { RevocableResponse } from '#platform/net/revocable-response.ts'
import type { ApiDeps } from '../access/deps.ts'
import { requireInterns } from '../access/require-interns.ts'
import { dialects } from '../models/dialect.ts'
import { requireRegion } from './intern-region.ts'

/** Headers of refusals of a chat with an intern. A `busy` conflict has `retry-after`, too. */
export const chatFailureHeaders = ['retry-after', 'x-should-retry'] as const

/** The refusals of a chat with an intern. */
export const chatFaults = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'gone',
  'payload_too_large',
  'rate_limited',
  'bad_gateway',
  'unavailable',
  'gateway_timeout',
] as const

type Chat = {
  caller: Caller
  /** The host in the address of the request, which determines the region. */
  host: string | undefined
  response: ResponseStream
  turnRequest: Omit<ChatTurnRequest, 'onFound'>
  /** The reply as a stream, as a whole, or only the run, which continues in the background. */
  delivery: 'stream' | 'whole' | 'run'
}

/**
 * Sends a message to an intern and delivers the reply while the caller has access.
 * @returns the whole reply or the run; undefined if the reply was streamed.
 */
export async function chatWith(
  deps: ApiDeps,
  { caller, host, response, turnRequest, delivery }: Chat,
): Promise<unknown> {
  await requireRegion(deps, caller, host)
  const tracked = deps.gateway.inFlight.track(caller, response)
  tracked.recheckWith(async (laterCaller) => {
    requireInterns(laterCaller)
    await requireRegion(deps, laterCaller, host)
    if (tracked.internId !== undefined) await findIntern(deps, laterCaller, tracked.internId)
  })
  const onFound = (id: string) => {
    tracked.internId = id
  }
  try {
    const reply = await deliver[delivery](deps, caller, { ...turnRequest, onFound }, tracked.response)
    if (tracked.response.revocationFault && delivery !== 'stream') throw tracked.response.revocationFault
    return reply
  } catch (error) {
    throw tracked.response.revocationFault ?? error
  } finally {
    tracked.release()
  }
}

async function streamReply(deps: ApiDeps, caller: Caller, turnRequest: ChatTurnRequest, response: RevocableResponse) {
  const { config, chatTurnDeps, now } = deps
  const turn = await startChatTurn(chatTurnDeps, caller, turnRequest, toAbortSignal(response.signal))
  const writer = createReplyWriter(turn, dialects[config.dialect], { now, idleTimeoutMs: chatTurnDeps.idleTimeoutMs })
  response.onRevoked(({ kind, message }) => {
    response.write(writer.accessLost({ code: faultStatus[kind], message }) + writer.closing)
    response.end()
  })
  await sendEvents(response, turn.events, writer, config.intern_heartbeat_ms)
}

async function sendWholeReply(
  deps: ApiDeps,
  caller: Caller,
  turnRequest: ChatTurnRequest,
  response: RevocableResponse,
) {
  const { config, chatTurnDeps, now } = deps
  const turn = await startChatTurn(chatTurnDeps, caller, turnRequest, toAbortSignal(response.signal))
  return collectReply(turn, dialects[config.dialect], { now, idleTimeoutMs: chatTurnDeps.idleTimeoutMs })
}

/** Starts a background run, which its caller can then query. */
async function startBackgroundRun(
  deps: ApiDeps,
  caller: Caller,
  turnRequest: ChatTurnRequest,
  response: RevocableResponse,
) {
  const turn = await startChatTurn(deps.chatTurnDeps, caller, turnRequest, toAbortSignal(response.signal))
  // Leaves the reply, so that the run continues in the background.
  await turn.events.return?.()
  const intern = await findIntern(deps, caller, turnRequest.internId)
  return new HttpResponse(202, {}, { data: toRunItem(await requireRun(deps, intern.id, turn.startedEvent.runId)) })
}

const deliver = { stream: streamReply, whole: sendWholeReply, run: startBackgroundRun } satisfies Record<
  Chat['delivery'],
  unknown
>

/** The response to the start of a background run. */
export const AcceptedRun = z.object({ data: InternRun })
