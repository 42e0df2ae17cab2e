import type { Environment } from '#platform/process/environment.ts'

/** A terminal: standard input and output. */
export type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }

/** The environment and the output streams of a command. */
export type Terminal = {
  env: Environment
  out: (text: string) => void
  err: (text: string) => void
  /** For interactive commands. */
  screen?: () => Screen
}
