import type { Environment } from '#platform/config/load.ts'

/** The environment and the output streams of a command. */
export type Terminal = {
  env: Environment
  out: (text: string) => void
  err: (text: string) => void
  /** Standard input and output, for interactive commands. */
  screen?: () => { input: NodeJS.ReadStream; output: NodeJS.WriteStream }
}
