/** Work on longer bodies is split into stages. Shorter bodies need a few milliseconds in total. */
const longBodyBytes = 256 * 1024

/** Waits between two stages of the work on a long body, until other events have been handled. */
export type Pause = () => Promise<void>

/** @returns undefined for a body that is handled in one step. */
export function pauseFor(bodyBytes: number): Pause | undefined {
  return bodyBytes > longBodyBytes ? nextTurn : undefined
}

/** Work in steps of at most a few milliseconds. It can pause after each. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** The longest time without a pause, plus one step. */
const sliceMs = 8

/** Does all steps at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Does the steps with pauses between slices of them, or all at once without a pause. */
export async function runInSlices<Result>(steps: Steps<Result>, pause: Pause | undefined): Promise<Result> {
  if (!pause) return runAtOnce(steps)
  let end = performance.now() + sliceMs
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() < end) continue
    await pause()
    end = performance.now() + sliceMs
  }
}

const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. Each turn continues one of those that wait, in order. A stage that was
 * started by a socket is followed by immediates of the same turn, so the first that waits skips them.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(() => setImmediate(continueFirst))
  })
}

function continueFirst(): void {
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(continueFirst)
}
