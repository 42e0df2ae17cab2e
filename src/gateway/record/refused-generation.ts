import { zeroTokens } from '#chat/events.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { CompletionCall } from '../completion-call.ts'
import { toCause } from './failure-cause.ts'

export type RefusalDeps = {
  /** Takes the record of a request that was refused before its own record was open. */
  onRefused: (refused: Generation) => void
  /** The region of a host name. */
  regionOf: (host: string | undefined) => Region
  now: () => number
  newId: NewId
}

/** Limits the recorded model name, because clients can send any text. */
const maxNameLength = 200

/** The record of a request that was refused before any attempt. Its cost is zero. */
export function createRefusedGeneration(
  { newId, now, regionOf }: Pick<RefusalDeps, 'newId' | 'now' | 'regionOf'>,
  { requestId, caller, sessionId, app, traceParent, client, body, host }: CompletionCall,
  error: unknown,
): Generation {
  return {
    id: `gen-${newId()}`,
    requestId,
    caller,
    sessionId,
    app,
    traceParent,
    protocol: client.protocol,
    streamed: body.stream === true,
    createdAt: now(),
    requestedModel: typeof body.model === 'string' ? body.model.slice(0, maxNameLength) : '',
    candidateModels: [],
    preset: undefined,
    region: regionOf(host),
    modelId: undefined,
    endpointId: undefined,
    provider: undefined,
    upstreamId: undefined,
    upstreamModel: undefined,
    byok: false,
    tokens: zeroTokens,
    estimated: false,
    capped: false,
    cost: 0n,
    margin: 0n,
    finish: undefined,
    nativeFinish: undefined,
    toolCalls: 0,
    latencyMs: undefined,
    durationMs: 0,
    outcome: 'refused',
    attempts: [],
    cause: toCause(error),
  }
}
