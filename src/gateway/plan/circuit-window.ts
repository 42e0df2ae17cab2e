/** The length of a slot. These two values come from docs/decisions/0037. */
const slotMs = 15_000
/** Three minutes, so that a request that times out after two minutes still finds its slot. */
const maxSlots = 12
const minStarted = 10
const openingFailureRate = 0.5

/** The requests that started within the same 15 seconds, and their outcomes so far. */
type Slot = {
  readonly slotNumber: number
  readonly started: number
  readonly responses: number
  readonly failed: number
}

/** Oldest first. */
export type Window = readonly Slot[]

type Counts = Partial<Omit<Slot, 'slotNumber'>>

/** Adds counts to the slot of a start time. @returns the same window if that slot was dropped. */
export function countOutcomes(
  window: Window,
  startedAt: number,
  { started = 0, responses = 0, failed = 0 }: Counts,
): Window {
  const slotNumber = Math.floor(startedAt / slotMs)
  const index = window.findLastIndex((slot) => slot.slotNumber <= slotNumber)
  const slot = window[index]
  if (slot?.slotNumber === slotNumber) {
    const updatedSlot = {
      slotNumber,
      started: slot.started + started,
      responses: slot.responses + responses,
      failed: slot.failed + failed,
    }
    return window.with(index, updatedSlot)
  }
  // Only a request that starts now opens a slot.
  if (started <= 0 || index !== window.length - 1) return window
  const recent = window.length === maxSlots ? window.slice(1) : window
  return [...recent, { slotNumber, started, responses, failed }]
}

/**
 * Whether the endpoint fails too often. That needs ten requests in the slot of `startedAt` and the one before, of which
 * half failed, and later slots without more responses than failures. A running request does not count as failed.
 */
export function isFailing(window: Window, startedAt: number): boolean {
  const slotNumber = Math.floor(startedAt / slotMs)
  let started = 0
  let failed = 0
  let laterBalance = 0
  for (const slot of window) {
    if (slot.slotNumber > slotNumber) laterBalance += slot.responses - slot.failed
    else if (slot.slotNumber >= slotNumber - 1) {
      started += slot.started
      failed += slot.failed
    }
  }
  return started >= minStarted && failed / started >= openingFailureRate && laterBalance <= 0
}
