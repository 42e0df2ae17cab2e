import { noTokens } from '#chat/events.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { CompletionCall } from '../completion-call.ts'
import type { RoutingDeps } from '../deps.ts'
import { causeOf } from './failure-cause.ts'

/** The most characters of a requested model's name that are recorded: clients may send any text. */
const longestName = 200

/** The record of a request that was refused before any provider was chosen for it: it cost nothing. */
export function refusedGeneration(
  { newId, now, regionOf }: Pick<RoutingDeps, 'newId' | 'now' | 'regionOf'>,
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
    requestedModel: typeof body.model === 'string' ? body.model.slice(0, longestName) : '',
    candidateModels: [],
    preset: undefined,
    region: regionOf(host),
    modelId: undefined,
    endpointId: undefined,
    provider: undefined,
    upstreamId: undefined,
    upstreamModel: undefined,
    byok: false,
    tokens: noTokens,
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
    cause: causeOf(error),
  }
}
