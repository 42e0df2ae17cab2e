import { setImmediate } from 'node:timers/promises'
import type { AgentContext } from '@agentclientprotocol/sdk'
import type { Usage } from '../../model/model.ts'
import type { AgentEvent, Notify } from '../agent-event.ts'
import { toConfigOptions } from '../config-options.ts'
import type { SessionLog } from '../session/session-store.ts'
import type { AgentSettings } from '../settings.ts'
import { toSessionUpdate } from './acp-updates.ts'

type NotifyDeps = {
  client: AgentContext
  log: SessionLog
  settings: Pick<AgentSettings, 'model'>
  windowTokens: number
}

/** A long series of events yields to the event loop at this interval. */
const yieldEveryMs = 10

/** Returns a function that sends a turn's events to the client. It appends the usage of each model call to `usages`. */
export function notifyClient({ client, log, settings, windowTokens }: NotifyDeps, usages: Usage[]): Notify {
  const sessionId = log.session.id
  let reportedModel = log.session.model ?? settings.model
  const separateText = separateParagraphs()
  let yieldedAt = performance.now()
  return async (event) => {
    // Writes to a pipe do not wait, so many events in a row would prevent reading, even of a cancellation.
    if (performance.now() - yieldedAt > yieldEveryMs) {
      await setImmediate()
      yieldedAt = performance.now()
    }
    await client.notify('session/update', { sessionId, update: toSessionUpdate(separateText(event), windowTokens) })
    if (event.type !== 'usage.counted') return
    usages.push(event.usage)
    if (!event.model || event.model === reportedModel) return
    reportedModel = event.model
    const configOptions = toConfigOptions(settings.model, reportedModel)
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'config_option_update', configOptions },
    })
  }
}

/**
 * Starts a new paragraph for the first text after a tool call. Many clients join all text, and would show no space between the
 * text before and after the call.
 */
function separateParagraphs(): (event: AgentEvent) => AgentEvent {
  let hasText = false
  let needsSeparator = false
  return (event) => {
    if (event.type === 'tool.finished') needsSeparator = hasText
    if (event.type !== 'text.added') return event
    const text = needsSeparator && !/^\s*\n/.test(event.text) ? `\n\n${event.text}` : event.text
    hasText = true
    needsSeparator = false
    return { ...event, text }
  }
}
