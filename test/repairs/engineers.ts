import { failed } from './reading.ts'
import { type Call, read, run, type Slip, type Task } from './task.ts'

export type ModelTurn = { text?: string; calls?: Call[] }

/** A scripted engineer: gives responses of a model, and gets what the tools said to their calls. */
export type Engineer = Generator<ModelTurn, void, string[]>

/** After how many messages each slip was set right; undefined where none of them helped. */
export type SetRight = { slip: string; messages: number | undefined }[]

const mostTries = 4
const passes = (messages: string[]) => messages.at(-1)?.trimEnd().endsWith('[exit code 0]')

/** Looks, plans, patches, checks, and says what he did. */
export function* goodEngineer(task: Task): Engineer {
  yield { text: 'I look first.', calls: [{ name: 'list_files', input: {} }, read('README.md')] }
  yield { calls: [run(task.check)] }
  yield { calls: [plan('in_progress', 'pending', 'pending'), ...task.look.map((path) => read(path))] }
  yield { calls: [task.repair] }
  const checked = yield { calls: [run(task.check), plan('completed', 'completed', 'completed')] }
  yield { text: passes(checked.slice(0, 1)) ? 'Repaired; the check passes.' : 'The check still fails.' }
}

function plan(...statuses: string[]): Call {
  const steps = ['find the fault', 'repair it', 'check'].map((text, index) => ({ text, status: statuses[index] }))
  return { name: 'update_plan', input: { steps } }
}

/**
 * Makes the task's mistakes, and repeats each until a message of a tool helps to correct it. If no message helps, the
 * engineer gives up and claims that the task is done.
 */
export function* sloppyEngineer(task: Task, setRight: SetRight): Engineer {
  for (const slip of task.slips) {
    const messages = yield* slipping(slip)
    setRight.push({ slip: slip.name, messages })
    if (messages === undefined) {
      yield { text: 'It should work now.' }
      return
    }
  }
  if (task.hasty) {
    yield { calls: [task.hasty] }
    const claim: SetRight[number] = { slip: 'claims to be done without a check', messages: undefined }
    setRight.push(claim)
    yield { text: 'Done, it works.' }
    // Reached only after a request to continue.
    claim.messages = 1
    yield { calls: [run(task.check)] }
  }
  if (!task.slips.some(({ repairs }) => repairs)) yield { calls: [task.repair] }
  const checked = yield { calls: [run(task.check)] }
  yield { text: passes(checked) ? 'Done.' : 'It should work now.' }
}

function* slipping(slip: Slip): Generator<ModelTurn, number | undefined, string[]> {
  let calls = [slip.call]
  for (let tries = 0; tries < mostTries; tries++) {
    const messages = yield { calls }
    const message = messages[0]!
    if (slip.succeeded?.(message)) return tries
    const next = slip.next(message)
    if (!next) continue
    const corrected = yield { calls: next }
    if (!corrected.some(failed)) return tries + 1
    const better = slip.next(corrected[0]!)
    if (better) calls = better
  }
  return undefined
}
