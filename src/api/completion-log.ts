import type { Caller } from '#accounts/caller.ts'
import type { Log } from '#lib/log.ts'
import { toUsd } from '#lib/pico-usd.ts'
import type { Generation } from '#usage/generation.ts'

/** One line a completion: who asked for what, who answered, what it took; or why not. Never what was said. */
export type CompletionLog = {
  completed: (generation: Generation) => void
  refused: (refused: Generation) => void
}

export function completionLog(log: Log): CompletionLog {
  // None of these members is one that others may hide a secret in, and looking for those costs half of the line.
  const plain = log.child({}, { redact: [] })
  return {
    completed(generation) {
      if (!plain.isLevelEnabled('info')) return
      const { requestId, id, modelId, provider, outcome, tokens, attempts, cause } = generation
      plain.info(
        {
          requestId,
          generation: id,
          ...who(generation.caller),
          ...(generation.app && { app: generation.app }),
          model: modelId ?? generation.requestedModel,
          provider,
          outcome,
          ...(cause && { error: cause }),
          ...((attempts.length > 1 || outcome === 'failed') && { attempts }),
          promptTokens: tokens.prompt,
          completionTokens: tokens.completion,
          costUsd: toUsd(generation.cost),
          firstTokenMs: generation.latencyMs,
          ms: generation.durationMs,
        },
        'completion',
      )
    },
    refused({ requestId, id, caller, requestedModel, cause }) {
      if (!plain.isLevelEnabled('info')) return
      const asked = { requestId, generation: id, ...who(caller), model: requestedModel }
      plain.info({ ...asked, outcome: 'refused', error: cause }, 'completion')
    },
  }
}

const who = ({ keyHash, userId, workspaceId }: Caller) => ({
  key: keyHash,
  member: userId,
  workspace: workspaceId,
})
