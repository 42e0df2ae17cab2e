import type { Log } from '#lib/log.ts'
import { toUsd } from '#lib/pico-usd.ts'
import type { Generation } from '#usage/generation.ts'

/** One line a completion: what was asked, who answered, what it took. Never what was said. */
export function completionLog(log: Log): (generation: Generation) => void {
  // None of these members is one that others may hide a secret in, and looking for those costs half of the line.
  const plain = log.child({}, { redact: [] })
  return (generation) => {
    if (!plain.isLevelEnabled('info')) return
    const { requestId, id, requestedModel, modelId, provider, outcome, tokens, durationMs, latencyMs } = generation
    plain.info(
      {
        requestId,
        generation: id,
        model: modelId ?? requestedModel,
        provider,
        outcome,
        ...((generation.attempts.length > 1 || outcome === 'failed') && { attempts: generation.attempts }),
        promptTokens: tokens.prompt,
        completionTokens: tokens.completion,
        costUsd: toUsd(generation.cost),
        firstTokenMs: latencyMs,
        ms: durationMs,
      },
      'completion',
    )
  }
}
