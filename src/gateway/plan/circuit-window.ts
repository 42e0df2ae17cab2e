const slotMs = 15_000
/** Three minutes: a request that timed out after two still finds those that began with it. */
const mostSlots = 12
const fewestBegun = 10
const tooHighRate = 0.5

/** The requests that began within the same 15 seconds, and what became of them; of the others nobody knows yet. */
type Slot = { readonly at: number; readonly begun: number; readonly answered: number; readonly failed: number }

/** Oldest first. */
export type Window = readonly Slot[]

type Counts = Partial<Omit<Slot, 'at'>>

/** Adds to what became of the requests of a time. @returns the same window when that is too long ago. */
export function counted(window: Window, begunAt: number, { begun = 0, answered = 0, failed = 0 }: Counts): Window {
  const at = Math.floor(begunAt / slotMs)
  const place = window.findLastIndex((slot) => slot.at <= at)
  const slot = window[place]
  if (slot?.at === at) {
    const more = { at, begun: slot.begun + begun, answered: slot.answered + answered, failed: slot.failed + failed }
    return window.with(place, more)
  }
  // Only those that begin now open a slot.
  if (begun <= 0 || place !== window.length - 1) return window
  const kept = window.length === mostSlots ? window.slice(1) : window
  return [...kept, { at, begun, answered, failed }]
}

/**
 * Whether the endpoint fails too often: at least ten requests began when this one did or shortly before, and half of
 * them or more failed. It is not failing if later requests were answered more often than they failed. A request that is
 * still running does not count as failed.
 */
export function isFailing(window: Window, begunAt: number): boolean {
  const at = Math.floor(begunAt / slotMs)
  let [begun, failed, balanceSince] = [0, 0, 0]
  for (const slot of window) {
    if (slot.at > at) balanceSince += slot.answered - slot.failed
    else if (slot.at >= at - 1) {
      begun += slot.begun
      failed += slot.failed
    }
  }
  return begun >= fewestBegun && failed / begun >= tooHighRate && balanceSince <= 0
}
