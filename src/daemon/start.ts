import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Launch, processLauncher } from './acp/launch.ts'
import { createHttpServer } from './http-server.ts'
import type { DaemonLog } from './log.ts'
import { createRuns } from './runs-of-intern.ts'
import type { DaemonSettings } from './settings.ts'
import { openStore } from './store.ts'
import { keepTranscripts } from './transcript/transcripts.ts'

const drainMs = 500

export type Daemon = { stop(): Promise<void> }

/** Opens the store, then the HTTP server. The agent starts with the first prompt. */
export async function startDaemon(
  settings: DaemonSettings,
  deps: { log: DaemonLog; now: () => number; newId: () => string; launch?: Launch },
): Promise<Daemon> {
  const { workspace, limits, agent, socketPath } = settings
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  // Held by one daemon at a time: a socket that is still there now belongs to none.
  const store = openStore(settings.state, limits)
  const transcripts = keepTranscripts({ store: store.transcripts, now: deps.now, log: deps.log })
  const runs = createRuns({
    launch: processLauncher(agent, workspace, limits),
    ...deps,
    store,
    transcripts,
    limits,
    workspace,
    state: settings.state,
    modes: agent.modes,
  })
  const server = createHttpServer({ runs, token: settings.token, log: deps.log })
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 })
  rmSync(socketPath, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, resolve)
  })
  chmodSync(socketPath, 0o600)
  return {
    stop: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      await runs.stop()
      transcripts.wake()
      // Attached callers have been sent the end of their run; they may need a moment to read it.
      const late = setTimeout(() => server.closeAllConnections(), drainMs)
      await closed
      clearTimeout(late)
      transcripts.close()
      store.close()
    },
  }
}
