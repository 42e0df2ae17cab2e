import type { Progress } from '#interns/intern.ts'
import type { Intern } from '#interns/store.ts'

/** What an intern's daemon needs besides the intern itself. */
export type Provision = {
  intern: Intern
  /** The secret of its own key. */
  secret: string
}

/** Where a daemon runs, to be kept with the intern. */
export type Place = { hostname: string; home: string }

/** Runs interns' daemons: as local processes here; as containers or pods elsewhere, without the service noticing. */
export type Provisioner = {
  /**
   * Starts the daemon and waits until it answers.
   * @throws Error that says, for the intern's owner, why it could not.
   */
  start: (provision: Provision, onProgress: (progress: Progress) => void) => Promise<Place>
  /** Takes over a daemon that an earlier life of the service started. False when it does not answer any more. */
  adopt: (intern: Intern) => Promise<boolean>
  /** Calls `gone`, within a second, when the daemon is no more. @returns the way to stop watching. */
  watch: (intern: Intern, gone: (reason: string) => void) => () => void
  /** Ends the daemon and what it started; its files stay. Quick when there is none. */
  stop: (intern: Intern) => Promise<void>
  /** Removes all that is left of the intern. */
  destroy: (intern: Intern) => Promise<void>
}
