/** The size from which the work on a body is split into stages. Shorter bodies need a few milliseconds in total. */
const longBodyBytes = 256 * 1024

/** Waits between two stages of the work on a long body, until other events have been handled. */
export type Pause = () => Promise<void>

/** Returns the function that pauses the work on a body of this size; undefined if the work needs no pauses. */
export function selectPause(bodyBytes: number): Pause | undefined {
  return bodyBytes > longBodyBytes ? nextEventLoopTurn : undefined
}

/** Work in steps of at most a few milliseconds. The work can pause after each step. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** The work pauses after the step that exceeds this time. Other requests wait at most this time and one step longer. */
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
 * Resolves in a later turn of the event loop. Each turn resumes one waiting stage, in order. The first stage waits for two
 * immediates in a row, because the first immediate can run before the event loop has read other sockets.
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
