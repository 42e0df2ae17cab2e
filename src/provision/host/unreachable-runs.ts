import { Refusal } from '#interns/contract/refusal.ts'
import type { Runs } from '#interns/contract/runs.ts'

/** The runs of an intern that cannot be reached: each call is refused with `message`. */
export function createUnreachableRuns(message: string): Runs {
  const refuse = async () => {
    throw new Refusal('intern_unreachable', message)
  }
  const transcripts = { list: refuse, read: refuse, follow: refuse, milestones: refuse }
  const files = {
    list: refuse,
    read: refuse,
    write: refuse,
    remove: refuse,
    makeFolder: refuse,
    rename: refuse,
    pack: refuse,
    unpack: refuse,
  }
  return {
    transcripts,
    files,
    start: refuse,
    answer: refuse,
    cancel: refuse,
    question: refuse,
    health: refuse,
    setRules: refuse,
    decisions: refuse,
    rest: refuse,
  }
}
