import type { IdleTimer } from '#platform/async/idle-timer.ts'
import { closesStream, type TurnEvent } from '../contract/turn-event.ts'

/** Calls `decision` for each decision of a rule, and `complete` for the closing event before it is passed on. */
export function completeLastEvent(
  events: AsyncIterator<TurnEvent>,
  decision: () => void,
  complete: (event: TurnEvent) => Promise<TurnEvent>,
): AsyncIterator<TurnEvent> {
  const next = async () => {
    const result = await events.next()
    if (!result.done && result.value.type === 'decision.made') decision()
    if (result.done || !closesStream(result.value)) return result
    return { done: false as const, value: await complete(result.value) }
  }
  return { next, return: async () => (await events.return?.()) ?? { done: true, value: undefined } }
}

/** Passes events on. Each restarts the timer. After its end, `timeout` is the last event. */
export function nextUntilIdle(
  events: AsyncIterator<TurnEvent>,
  { idleTimer, idleMs }: { idleTimer: IdleTimer; idleMs: number },
  timedOut: AbortSignal,
): AsyncIterableIterator<TurnEvent | 'timeout', undefined> {
  let hasLeft = false
  const onReturn = async () => {
    hasLeft = true
    idleTimer.stop()
    await events.return?.()
    return { done: true as const, value: undefined }
  }
  const next = async () => {
    try {
      const result = await events.next()
      if (result.done) idleTimer.stop()
      else if (!hasLeft) idleTimer.start(idleMs)
      return result
    } catch (error) {
      await onReturn()
      if (!timedOut.aborted) throw error
      return { done: false as const, value: 'timeout' as const }
    }
  }
  const passed = { next, return: onReturn, [Symbol.asyncIterator]: () => passed }
  return passed
}
