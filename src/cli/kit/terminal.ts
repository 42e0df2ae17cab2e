import type { Environment } from '#platform/config/load.ts'

/** The environment and the two streams of a command. */
export type Terminal = {
  env: Environment
  out: (text: string) => void
  err: (text: string) => void
  /** Input and output of a person, for interactive commands. */
  screen?: () => { input: NodeJS.ReadStream; output: NodeJS.WriteStream }
}
