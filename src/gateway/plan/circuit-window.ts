const slotMs = 15_000
/** Three minutes, so that a request that times out after two minutes still finds its slot. */
const maxSlots = 12
const minStarted = 10
const openingFailureRate = 0.5

/** The requests that started within the same 15 seconds, and their outcomes so far. */
type Slot = { readonly at: number; readonly started: number; readonly answered: number; readonly failed: number }

/** Oldest first. */
export type Window = readonly Slot[]

type Counts = Partial<Omit<Slot, 'at'>>

/** Adds counts to the slot of a start time. @returns the same window if that slot was dropped. */
export function countOutcomes(
  window: Window,
  startedAt: number,
  { started = 0, answered = 0, failed = 0 }: Counts,
): Window {
  const at = Math.floor(startedAt / slotMs)
  const index = window.findLastIndex((slot) => slot.at <= at)
  const slot = window[index]
  if (slot?.at === at) {
    const more = {
      at,
      started: slot.started + started,
      answered: slot.answered + answered,
      failed: slot.failed + failed,
    }
    return window.with(index, more)
  }
  // Only a request that starts now opens a slot.
  if (started <= 0 || index !== window.length - 1) return window
  const recent = window.length === maxSlots ? window.slice(1) : window
  return [...recent, { at, started, answered, failed }]
}

/**
 * Whether the endpoint fails too often: of at least ten requests in the slot of `startedAt` and the one before, half or
 * more failed, and later slots have no more answers than failures. A running request does not count as failed.
 */
export function isFailing(window: Window, startedAt: number): boolean {
  const at = Math.floor(startedAt / slotMs)
  let started = 0
  let failed = 0
  let nextBalance = 0
  for (const slot of window) {
    if (slot.at > at) nextBalance += slot.answered - slot.failed
    else if (slot.at >= at - 1) {
      started += slot.started
      failed += slot.failed
    }
  }
  return started >= minStarted && failed / started >= openingFailureRate && nextBalance <= 0
}
