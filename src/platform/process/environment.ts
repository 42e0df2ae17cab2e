/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Reads a variable without the quotes that `docker run --env-file` keeps. Undefined if it is empty. */
export const readVariable = (env: Environment, name: string): string | undefined =>
  env[name]
    ?.trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim() || undefined
