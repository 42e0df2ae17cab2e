import { contractVersion, type DaemonApi } from '#interns/contract/daemon-api.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Transcripts } from '#interns/contract/transcript.ts'
import { createWorkspaceFiles, type WorkspaceDeps } from './workspace-files.ts'

export type FilesSettings = { token: string } & WorkspaceDeps

/** Reads the settings that the server passes to this process. @throws Error for malformed settings. */
export function readFilesSettings(json: string): FilesSettings {
  const { token, workspace, state, limits } = JSON.parse(json) as FilesSettings
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const hasLimits = typeof limits?.maxUploadBytes === 'number' && typeof limits.maxDiskBytes === 'number'
  if ([token, workspace, state].every(isText) && hasLimits) return { token, workspace, state, limits }
  throw new Error('The settings need token, workspace, state and limits (maxUploadBytes, maxDiskBytes).')
}

/** The interface of a daemon for an intern that does not run: reads its files and transcripts, and refuses all other calls. */
export function createStoppedInternApi(
  { token, ...settings }: FilesSettings,
  now: () => number,
): { token: string; api: DaemonApi } {
  const startedAt = now()
  const refuse = async () => {
    throw new Refusal('intern_unreachable', 'The intern is not running.')
  }
  const readTranscripts = async <Result>(read: (transcripts: Transcripts) => Result): Promise<Result> => {
    // Loaded at the first use, because most processes for files read no transcript.
    const { openStore, StoreError } = await import('../store/store.ts')
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
      if (!(error instanceof StoreError)) throw error
      throw new Refusal(error.isLocked ? 'files_busy' : 'intern_unreachable', error.message)
    }
  }
  const transcripts: Transcripts = {
    list: async (page) => readTranscripts((stored) => stored.list(page)),
    read: async (sessionId, page) => readTranscripts((stored) => stored.read(sessionId, page)),
    follow: refuse,
    milestones: refuse,
  }
  const health: DaemonApi['health'] = async () => ({
    contract: contractVersion,
    startedAt,
    agent: 'stopped',
    agentName: null,
    runs: 0,
    waiting: 0,
  })
  const turnCalls = { start: refuse, answer: refuse, cancel: refuse, question: refuse }
  const supervisorCalls = { setRules: refuse, decisions: refuse, drain: refuse }
  return {
    token,
    api: { transcripts, files: createWorkspaceFiles(settings), health, ...turnCalls, ...supervisorCalls },
  }
}

/** No limits, so that reading deletes nothing. The daemon applies its limits. */
const unlimited = {
  maxTranscriptBytes: Number.MAX_SAFE_INTEGER,
  maxSessionTranscriptBytes: Number.MAX_SAFE_INTEGER,
  transcriptMs: Number.MAX_SAFE_INTEGER,
}
