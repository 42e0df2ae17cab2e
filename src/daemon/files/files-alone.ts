import { Refusal } from '#interns/refusal.ts'
import { contractVersion, type Runs } from '#interns/runs.ts'
import type { Transcripts } from '#interns/transcript.ts'
import { z } from '#lib/schema.ts'
import type { DaemonStore } from '../store.ts'
import { workspaceFiles } from './workspace-files.ts'

const Settings = z.object({
  token: z.string().min(1),
  workspace: z.string().min(1),
  state: z.string().min(1),
  limits: z.object({ maxUploadBytes: z.number(), maxDiskBytes: z.number() }),
})
export type FilesSettings = z.infer<typeof Settings>

export const readFilesSettings = (json: string): FilesSettings => Settings.parse(JSON.parse(json))

/** What a daemon offers while its intern does not run: its files and transcripts. */
export function filesAlone(
  { token, ...settings }: FilesSettings,
  now: () => number,
): { token: string; runs: Runs; close: () => void } {
  const startedAt = now()
  const refuse = async () => {
    throw new Refusal('intern_unreachable', 'The intern is not running.')
  }
  let store: DaemonStore | undefined
  const kept = async () => {
    const { openStore } = await import('../store.ts')
    const { keepTranscripts } = await import('../transcript/transcripts.ts')
    store ??= openStore(settings.state, keepsAll)
    return keepTranscripts({ store: store.transcripts, now, log: () => {} })
  }
  const transcripts: Transcripts = {
    list: async (page) => (await kept()).list(page),
    read: async (sessionId, page) => (await kept()).read(sessionId, page),
    ...{ follow: refuse, milestones: refuse },
  }
  const health: Runs['health'] = async () => ({
    ...{ contract: contractVersion, startedAt, agent: 'stopped', agentName: null, runs: 0, waiting: 0 },
  })
  const rules = { judgeBy: refuse, decisions: refuse, rest: refuse }
  const none = { start: refuse, answer: refuse, cancel: refuse, question: refuse, health, ...rules }
  return { token, runs: { transcripts, ...none, files: workspaceFiles(settings) }, close: () => store?.close() }
}

/** What is kept for how long is the daemon's to say. */
const keepsAll = {
  maxTranscriptBytes: Number.MAX_SAFE_INTEGER,
  maxSessionTranscriptBytes: Number.MAX_SAFE_INTEGER,
  transcriptMs: Number.MAX_SAFE_INTEGER,
}
