import type { Runs } from '#interns/contract/runs.ts'
import type { Progress } from '#interns/registry/intern.ts'
import type { Intern } from '#interns/registry/store.ts'
import type { InternLog, LogWanted } from '#interns/remote/log.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import type { KeptListener } from '../processes/kept-listener.ts'

/** The place of a daemon, stored with the intern: its host, and its folder or whatever it is called there. */
export type Place = { hostname: string; home: string }

/** Runs interns' daemons: as local processes here; as containers or pods elsewhere, without the service noticing. */
export type Provisioner = {
  /** The place where the intern lives, or will live if it is started here. */
  placeOf: (intern: Intern) => Place
  /** The secret of the intern's key that its daemon was last started with. */
  secretOf: (intern: Intern) => Promise<string | undefined>
  /**
   * Starts the daemon, in the place of any other of this intern, and waits until it answers.
   * @returns how servers on other hosts reach it, where they can.
   * @throws Error that says, for the intern's owner, why it could not.
   */
  start: (intern: Intern, secret: string, onProgress: (progress: Progress) => void) => Promise<TcpAccess | undefined>
  /** Whether a daemon that an earlier process of the service started still answers. */
  adopt: (intern: Intern) => Promise<boolean>
  /**
   * Calls `gone` when the daemon is no more, within a second, or no longer answers; `outdated` when it is to be replaced
   * by a newer one and nothing goes on in it. @returns the way to stop watching.
   */
  watch: (intern: Intern, gone: (reason: string) => void, outdated: () => void) => () => void
  /** Ends the daemon and all it started; its files stay. Quick when there is none. */
  stop: (intern: Intern) => Promise<void>
  /**
   * The server stops, and this intern is not to be left running: its daemon is ended, or at least its start is broken off
   * where the daemon is none of this host. Also called while it is being started, when that is not wanted any more.
   */
  leave: (intern: Intern) => Promise<void>
  /**
   * Ends daemons that still run here of interns that live elsewhere by now, or nowhere. `idsHere` is asked once it is known
   * what runs: one that was made meanwhile is no stranger.
   */
  endStrangers: (idsHere: () => Promise<ReadonlySet<string>>) => Promise<void>
  /** Removes all that is left of the intern. */
  destroy: (intern: Intern) => Promise<void>
  /** The way to the daemon, also from other hosts. */
  runs: (intern: Intern) => Runs
  /** The files of its workspace and its transcripts, whether it runs or not. */
  kept: (intern: Intern) => Pick<Runs, 'files' | 'transcripts'>
  /** The end of what its daemon has said, whether it runs or not. @throws Refusal where it cannot be had. */
  log: (intern: Intern, wanted: LogWanted) => Promise<InternLog>
  /**
   * Opens the port at which servers of other hosts get at what is kept of interns here that do not run, and at the logs
   * of all; undefined where there is none, or nobody to come. @param find reads an intern as it is now.
   */
  serveKept: (find: (id: string) => Promise<Intern | undefined>) => Promise<KeptListener | undefined>
}
