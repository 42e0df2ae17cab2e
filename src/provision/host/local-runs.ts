import type { DaemonApi } from '#interns/contract/daemon-api.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { connectRuns } from '#interns/remote/connect-runs.ts'
import { readDaemonRecord } from './home/daemon-record.ts'

/** The runs of an intern of this host. Without a daemon, each call is refused. */
export function connectLocalRuns(home: string): DaemonApi {
  const record = readDaemonRecord(home)
  return record ? connectRuns(record) : createUnreachableRuns()
}

function createUnreachableRuns(): DaemonApi {
  const refuse = async () => {
    throw new Refusal('intern_unreachable', 'The intern cannot be reached: it has no daemon.')
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
    drain: refuse,
  }
}
