import { mkdirSync } from 'node:fs'
import { createProcessLauncher, type Launch } from '../acp/launch.ts'
import { createRuns } from '../runs/create-runs.ts'
import { Decisions } from '../runs/questions/rule-decisions.ts'
import type { RunRegistryDeps } from '../runs/run-registry.ts'
import type { DaemonSettings } from '../settings/settings.ts'
import { openStore } from '../store/store.ts'
import { DaemonTranscripts } from '../transcript/transcripts.ts'
import { openListeners } from './listeners.ts'

/** Attached callers can read the end of their run for this time after a stop. */
const drainMs = 500

/** `port` is the port for servers on other hosts; undefined if the daemon listens only on its socket. */
export type Daemon = { port: number | undefined; stop(): Promise<void> }

/**
 * Opens the store, then the listeners. The store is first, because its lock prevents a second daemon from ending the agent or
 * replacing the socket of the first one. The agent starts with the first prompt, or now if `startsAgent` is set.
 */
export async function startDaemon(
  settings: DaemonSettings,
  deps: Pick<RunRegistryDeps, 'log' | 'now' | 'monotonicNow' | 'newId'> & { launch?: Launch },
): Promise<Daemon> {
  const { workspace, limits, agent } = settings
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  const store = openStore(settings.state, limits)
  const transcripts = new DaemonTranscripts({ store: store.transcripts, now: deps.now, log: deps.log })
  const runs = createRuns({
    ...deps,
    // A launcher kills leftover agents, so it must not be created after an agent was launched.
    launch: deps.launch ?? createProcessLauncher(agent, workspace, limits, deps.log),
    store,
    transcripts,
    decisions: new Decisions(store.decisions),
    limits,
    workspace,
    state: settings.state,
    modes: agent.modes,
    startsAgent: settings.startsAgent,
  })
  const listeners = await openListeners(settings, { api: runs, token: settings.token, log: deps.log })
  return {
    port: listeners.port,
    stop: async () => {
      const closed = listeners.close()
      await runs.stop()
      // Ends requests that wait for milestones. Otherwise the stop would wait for them until `drainMs`.
      transcripts.wake()
      const timer = setTimeout(listeners.closeConnections, drainMs)
      await closed
      clearTimeout(timer)
      transcripts.close()
      store.close()
    },
  }
}
