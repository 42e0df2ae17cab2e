import type { Environment } from '#config/load.ts'

/** What a command may touch: the environment it was started in, and two streams. */
export type Terminal = {
  env: Environment
  out: (text: string) => void
  err: (text: string) => void
  /** Where a person types and looks, for commands that talk with one. */
  screen?: () => { input: NodeJS.ReadStream; output: NodeJS.WriteStream }
}
