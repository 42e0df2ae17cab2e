import type { DaemonApi } from '#interns/contract/daemon-api.ts'
import type { Progress } from '#interns/registry/intern.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import type { InternLog, LogLength } from '#interns/remote/log.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import type { StorageListener } from '../processes/storage-listener.ts'

/** The location of a daemon, stored with the intern: its host, and its folder on that host or the name of its pod's objects. */
export type DaemonLocation = { hostname: string; home: string }

/** Runs the daemons of interns, as local processes or as pods. The rest of the service does not depend on which. */
export type Provisioner = {
  /** The location of the intern, or its future location if this server starts it. */
  locationOf: (intern: Intern) => DaemonLocation
  /** The secret of the intern's key that its daemon was last started with. */
  secretOf: (intern: Intern) => Promise<string | undefined>
  /**
   * Starts the daemon, which replaces any other one of this intern, and waits until it answers.
   * @returns the access for servers on other hosts, if they can reach it.
   * @throws Error with the reason, written for the intern's owner.
   */
  start: (intern: Intern, secret: string, onProgress: (progress: Progress) => void) => Promise<TcpAccess | undefined>
  /** Whether a daemon that an earlier process of the service started still answers. */
  adopt: (intern: Intern) => Promise<boolean>
  /**
   * Calls `onEnd` within a second after the daemon has ended, or when it does not answer; `onOutdated` when a newer daemon
   * must replace it and no run is active. @returns a function that stops the watch.
   */
  watch: (intern: Intern, onEnd: (reason: string) => void, onOutdated: () => void) => () => void
  /** Ends the daemon and all of its processes; its files remain. Returns at once if no daemon runs. */
  stop: (intern: Intern) => Promise<void>
  /**
   * Ends the daemon when the server stops, or aborts its start; a daemon on another host keeps running. Also called to abort
   * a start that is no longer needed.
   */
  leave: (intern: Intern) => Promise<void>
  /**
   * Ends daemons on this host of interns that were moved or deleted. `idsHere` is called after the running daemons were
   * listed, so that an intern that is created in between keeps its daemon.
   */
  endForeignDaemons: (idsHere: () => Promise<ReadonlySet<string>>) => Promise<void>
  /** Removes the intern's processes and files. */
  destroy: (intern: Intern) => Promise<void>
  /** The connection to the daemon, also from other hosts. */
  runsOf: (intern: Intern) => DaemonApi
  /** The files of its workspace and its transcripts, whether it runs or not. */
  storageOf: (intern: Intern) => Pick<DaemonApi, 'files' | 'transcripts'>
  /** The end of its daemon's log, whether it runs or not. @throws Refusal if the log cannot be read. */
  readLog: (intern: Intern, range: LogLength) => Promise<InternLog>
  /**
   * Opens a port for servers of other hosts. They read the logs of this host's interns, and the stored files of those that do
   * not run.
   * @returns undefined without a port. @param find reads the current state of an intern.
   */
  serveStorage: (find: (id: string) => Promise<Intern | undefined>) => Promise<StorageListener | undefined>
}
