import { Refusal } from '#interns/contract/refusal.ts'
import { contractVersion, type Runs } from '#interns/contract/runs.ts'
import type { Transcripts } from '#interns/contract/transcript.ts'
import { z } from '#platform/json/schema.ts'
import { workspaceFiles } from './workspace-files.ts'

const Settings = z.object({
  token: z.string().min(1),
  workspace: z.string().min(1),
  state: z.string().min(1),
  limits: z.object({ maxUploadBytes: z.number(), maxDiskBytes: z.number() }),
})
export type FilesSettings = z.infer<typeof Settings>

export const readFilesSettings = (json: string): FilesSettings => Settings.parse(JSON.parse(json))

/** The files and transcripts of an intern that does not run, through the interface of a daemon. */
export function stoppedInternRuns(
  { token, ...settings }: FilesSettings,
  now: () => number,
): { token: string; runs: Runs } {
  const startedAt = now()
  const refuse = async () => {
    throw new Refusal('intern_unreachable', 'The intern is not running.')
  }
  const readTranscripts = async <Result>(read: (transcripts: Transcripts) => Result): Promise<Result> => {
    const { openStore, StoreFailed } = await import('../store/store.ts')
    const { DaemonTranscripts } = await import('../transcript/transcripts.ts')
    try {
      const store = openStore(settings.state, unlimited)
      // Opened for one synchronous read, because only one process can open it at a time.
      try {
        return read(new DaemonTranscripts({ store: store.transcripts, now, log: () => {} }))
      } finally {
        store.close()
      }
    } catch (error) {
      if (!(error instanceof StoreFailed)) throw error
      throw new Refusal(error.isLocked ? 'files_busy' : 'intern_unreachable', error.message)
    }
  }
  const transcripts: Transcripts = {
    list: async (page) => readTranscripts((stored) => stored.list(page)),
    read: async (sessionId, page) => readTranscripts((stored) => stored.read(sessionId, page)),
    ...{ follow: refuse, milestones: refuse },
  }
  const health: Runs['health'] = async () => ({
    ...{ contract: contractVersion, startedAt, agent: 'stopped', agentName: null, runs: 0, waiting: 0 },
  })
  const rules = { setRules: refuse, decisions: refuse, rest: refuse }
  const refused = { start: refuse, answer: refuse, cancel: refuse, question: refuse, health, ...rules }
  return { token, runs: { transcripts, ...refused, files: workspaceFiles(settings) } }
}

/** Deletes nothing: the daemon applies its own limits. */
const unlimited = {
  maxTranscriptBytes: Number.MAX_SAFE_INTEGER,
  maxSessionTranscriptBytes: Number.MAX_SAFE_INTEGER,
  transcriptMs: Number.MAX_SAFE_INTEGER,
}
