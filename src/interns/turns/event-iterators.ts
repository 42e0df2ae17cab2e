import type { IdleTimer } from '#platform/async/idle-timer.ts'
import { closesStream, type TurnEvent } from '../contract/turn-event.ts'

/** Calls `onDecision` for each decision of a rule, and `complete` for the closing event before it is passed on. */
export function completeLastEvent(
  events: AsyncIterator<TurnEvent>,
  onDecision: () => void,
  complete: (event: TurnEvent) => Promise<TurnEvent>,
): AsyncIterator<TurnEvent> {
  const next = async () => {
    const result = await events.next()
    if (!result.done && result.value.type === 'decision.made') onDecision()
    if (result.done || !closesStream(result.value)) return result
    return { done: false as const, value: await complete(result.value) }
  }
  return { next, return: async () => (await events.return?.()) ?? { done: true, value: undefined } }
}

/** Passes events on. Each event restarts the timer. When the timer has expired, `timeout` is the last event. */
export function nextUntilIdle(
  events: AsyncIterator<TurnEvent>,
  { idleTimer, idleTimeoutMs }: { idleTimer: IdleTimer; idleTimeoutMs: number },
  timeoutSignal: AbortSignal,
): AsyncIterableIterator<TurnEvent | 'timeout', undefined> {
  let hasLeft = false
  const close = async () => {
    hasLeft = true
    idleTimer.stop()
    await events.return?.()
    return { done: true as const, value: undefined }
  }
  const next = async () => {
    try {
      const result = await events.next()
      if (result.done) idleTimer.stop()
      else if (!hasLeft) idleTimer.start(idleTimeoutMs)
      return result
    } catch (error) {
      await close()
      if (!timeoutSignal.aborted) throw error
      return { done: false as const, value: 'timeout' as const }
    }
  }
  const iterator = { next, return: close, [Symbol.asyncIterator]: () => iterator }
  return iterator
}
