import { toUsd } from '#platform/core/pico-usd.ts'
import { createLineWriter, type Log } from '#platform/process/log.ts'
import type { AttemptNote, Generation } from '#spend/ledger/generation.ts'

/** Logs one line for each completion: caller, model, endpoint and usage, or the failure. Never logs contents. */
type CompletionLog = {
  logCompletion: (generation: Generation) => void
  logRefusal: (refused: Generation) => void
}

/** An attempt without the provider's error, which can quote the prompt. */
const withoutError = ({ error: _, ...attempt }: AttemptNote) => attempt

export function completionLog(log: Log): CompletionLog {
  const line = createLineWriter(log, 'completion')
  return {
    logCompletion(generation) {
      const { caller, requestId, id, app, modelId, requestedModel, provider, outcome } = generation
      const { cause, attempts, tokens, cost, latencyMs, durationMs } = generation
      line({
        requestId,
        generation: id,
        key: caller.keyHash,
        member: caller.userId,
        workspace: caller.workspaceId,
        app,
        model: modelId ?? requestedModel,
        provider,
        outcome,
        error: cause,
        attempts: attempts.length > 1 || outcome === 'failed' ? attempts.map(withoutError) : undefined,
        promptTokens: tokens.prompt,
        completionTokens: tokens.completion,
        costUsd: toUsd(cost),
        firstTokenMs: latencyMs,
        ms: durationMs,
      })
    },
    logRefusal({ requestId, id, caller, requestedModel, cause }) {
      const { keyHash: key, userId: member, workspaceId: workspace } = caller
      const requestFields = { requestId, generation: id, key, member, workspace, model: requestedModel }
      line({ ...requestFields, outcome: 'refused', error: cause })
    },
  }
}
