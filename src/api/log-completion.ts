import type { Log } from '#lib/log.ts'
import { toUsd } from '#lib/pico-usd.ts'
import type { Generation } from '#usage/generation.ts'

/** One line a completion: what was asked, who answered, what it took. Never what was said. */
export function logCompletion(log: Log, generation: Generation): void {
  if (!log.isLevelEnabled('info')) return
  const { requestId, id, requestedModel, modelId, provider, outcome, tokens, durationMs, latencyMs } = generation
  log.info(
    {
      requestId,
      generation: id,
      model: modelId ?? requestedModel,
      provider,
      outcome,
      ...(generation.attempts.length > 1 && { attempts: generation.attempts }),
      promptTokens: tokens.prompt,
      completionTokens: tokens.completion,
      costUsd: toUsd(generation.cost),
      firstTokenMs: latencyMs,
      ms: durationMs,
    },
    'completion',
  )
}
