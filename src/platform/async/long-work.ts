/** The size from which the work on a body is split into stages. Shorter bodies need a few milliseconds in total. */
const longBodyBytes = 256 * 1024

/** Waits between two stages of the work on a long body, until other events have been handled. */
export type Pause = () => Promise<void>

/** @returns undefined for a body that is processed without pauses. */
export function pauseForBody(bodyBytes: number): Pause | undefined {
  return bodyBytes > longBodyBytes ? nextEventLoopTurn : undefined
}

/** Work in steps of at most a few milliseconds. It can pause after each. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** The time after which the next step waits for a pause. Other requests are delayed by a slice and its last step at most. */
const sliceMs = 8

/** Runs all steps without pauses. */
export function runWithoutPauses<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Runs the steps in slices of `sliceMs`, with a pause after each slice. Without `pause`, runs all steps at once. */
export async function runInSlices<Result>(steps: Steps<Result>, pause: Pause | undefined): Promise<Result> {
  if (!pause) return runWithoutPauses(steps)
  let sliceEndsAt = performance.now() + sliceMs
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() < sliceEndsAt) continue
    await pause()
    sliceEndsAt = performance.now() + sliceMs
  }
}

const waitingStages: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. Each turn resumes one waiting stage, in order. The first one waits for two
 * immediates, because those of the current turn run before other sockets are read.
 */
function nextEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waitingStages.push(resolve) === 1) setImmediate(() => setImmediate(resumeFirst))
  })
}

function resumeFirst(): void {
  waitingStages.shift()!()
  if (waitingStages.length > 0) setImmediate(resumeFirst)
}
