import type { Now } from '#platform/core/clock.ts'
import type { ModelEvent } from '../model/model.ts'
import type { SessionLog } from './session/session-store.ts'
import type { Notify } from './turn-event.ts'

/** Stores and reports the usage of one model call. */
export async function countUsage(
  deps: { log: SessionLog; notify: Notify; now: Now },
  { usage, model }: Pick<Extract<ModelEvent, { type: 'answer.completed' }>, 'usage' | 'model'>,
): Promise<void> {
  if (!usage) return
  await deps.log.add({ type: 'usage.counted', usage, model, at: deps.now() })
  const usedTokens = usage.promptTokens + usage.completionTokens
  await deps.notify({ type: 'usage.counted', usage, usedTokens, costUsd: deps.log.session.costUsd, model })
}
