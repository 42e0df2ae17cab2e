import type { Now } from '#platform/core/clock.ts'
import type { Usage } from '../model/model.ts'
import type { Notify } from './agent-event.ts'
import type { SessionLog } from './session/session-store.ts'

/** Stores the usage of one model call in the session, and reports it to the client. Does nothing if the service reported none. */
export async function recordUsage(
  deps: { log: SessionLog; notify: Notify; now: Now },
  { usage, model }: { usage?: Usage | undefined; model?: string | undefined },
): Promise<void> {
  if (!usage) return
  await deps.log.add({ type: 'usage.counted', usage, model, at: deps.now() })
  const contextTokens = usage.promptTokens + usage.completionTokens
  await deps.notify({ type: 'usage.counted', usage, contextTokens, costUsd: deps.log.session.costUsd, model })
}
