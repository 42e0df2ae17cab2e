import { mkdirSync } from 'node:fs'
import { type Launch, processLauncher } from '../acp/launch.ts'
import type { DaemonLog } from '../log.ts'
import { createRuns } from '../runs/create-runs.ts'
import { createDecisions } from '../runs/rule-decisions.ts'
import type { DaemonSettings } from '../settings/settings.ts'
import { openStore } from '../store/store.ts'
import { DaemonTranscripts } from '../transcript/transcripts.ts'
import { openListeners } from './listeners.ts'

const drainMs = 500

/** `port` is where it listens for other hosts, if it does. */
export type Daemon = { port: number | undefined; stop(): Promise<void> }

/** Opens the store, then its listeners. The agent starts with the first prompt, unless that is what it is started for. */
export async function startDaemon(
  settings: DaemonSettings,
  deps: { log: DaemonLog; now: () => number; newId: () => string; launch?: Launch },
): Promise<Daemon> {
  const { workspace, limits, agent } = settings
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  // Held by one daemon at a time: a socket that is still there now belongs to none.
  const store = openStore(settings.state, limits)
  const transcripts = new DaemonTranscripts({ store: store.transcripts, now: deps.now, log: deps.log })
  const runs = createRuns({
    ...deps,
    // To make one ends what is left of agents: the one that was launched ahead must not be among them.
    launch: deps.launch ?? processLauncher(agent, workspace, limits, deps.log),
    store,
    transcripts,
    decisions: createDecisions(store.decisions),
    limits,
    workspace,
    state: settings.state,
    modes: agent.modes,
    startsAgent: settings.startsAgent,
  })
  const listeners = await openListeners(settings, { runs, token: settings.token, log: deps.log })
  return {
    port: listeners.port,
    stop: async () => {
      const closed = listeners.close()
      await runs.stop()
      transcripts.wake()
      // Attached callers have been sent the end of their run; they may need a moment to read it.
      const late = setTimeout(listeners.breakOff, drainMs)
      await closed
      clearTimeout(late)
      transcripts.close()
      store.close()
    },
  }
}
