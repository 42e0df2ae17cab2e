import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserFacingError } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { isWebHost } from '#platform/net/addresses/web-hosts.ts'
import type { SandboxFallback } from '../sandbox/shell.ts'

export type AgentSettings = {
  /** `script`: the built-in model that plays fixed scenarios without a network. Any other name: a model that `baseUrl` serves. */
  model: string
  /** Returns the current address. It is called for each request, because another server can take the intern over. */
  baseUrl: (() => string) | undefined
  apiKey: string | undefined
  /** Returns the current instructions. They are read for each prompt, because they can change while the agent runs. */
  instructions: () => string
  stateDir: string
  windowTokens: number | undefined
  maxSteps: number
  sandboxReadable: string[]
  sandboxProgram: string | undefined
  /** The treatment of commands on a host without a sandbox. */
  sandboxFallback: SandboxFallback
  webHosts: string[]
}

/** An empty environment variable counts as not set. */
const Environment = z.object({
  HOME: z.string().default('/'),
  SIGNALBOX_MODEL: z.string().default('script'),
  SIGNALBOX_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  SIGNALBOX_BASE_URL_FILE: z.string().optional(),
  SIGNALBOX_API_KEY: z.string().trim().optional(),
  SIGNALBOX_INSTRUCTIONS: z.string().optional(),
  SIGNALBOX_INSTRUCTIONS_FILE: z.string().optional(),
  SIGNALBOX_STATE_DIR: z.string().optional(),
  SIGNALBOX_CONTEXT_TOKENS: z.coerce.number().int().positive().optional(),
  SIGNALBOX_MAX_STEPS: z.coerce.number().int().positive().default(200),
  SIGNALBOX_SANDBOX_READ: z.string().default(''),
  SIGNALBOX_SANDBOX_PROGRAM: z.string().optional(),
  SIGNALBOX_WEB_HOSTS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter(Boolean))
    .refine((hosts) => hosts.every(isWebHost), { error: 'must be hosts with "," between them' }),
  SIGNALBOX_WITHOUT_SANDBOX: z.enum(['refuse', 'consent', 'pod']).default('refuse'),
})

/** Reads the settings of the builtin agent from its environment. @throws UserFacingError naming the variable. */
export function readSettings(env: Record<string, string | undefined>): AgentSettings {
  const parsed = Environment.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value)))
  if (!parsed.success) throw new UserFacingError(z.prettifyError(parsed.error))
  const variables = parsed.data
  if (variables.SIGNALBOX_MODEL !== 'script' && !variables.SIGNALBOX_BASE_URL && !variables.SIGNALBOX_BASE_URL_FILE) {
    throw new UserFacingError(
      `SIGNALBOX_BASE_URL must name the model service that serves ${variables.SIGNALBOX_MODEL}.`,
    )
  }
  const { SIGNALBOX_INSTRUCTIONS: text, SIGNALBOX_INSTRUCTIONS_FILE: file } = variables
  const instructions = () => text ?? readTextFile(file, 'SIGNALBOX_INSTRUCTIONS_FILE')
  // Reports an unreadable file at the start instead of at the first prompt.
  instructions()
  return {
    model: variables.SIGNALBOX_MODEL,
    baseUrl: createBaseUrlReader(variables),
    apiKey: variables.SIGNALBOX_API_KEY,
    instructions,
    stateDir: variables.SIGNALBOX_STATE_DIR ?? join(variables.HOME, '.local/state/signalbox-agent'),
    windowTokens: variables.SIGNALBOX_CONTEXT_TOKENS,
    maxSteps: variables.SIGNALBOX_MAX_STEPS,
    sandboxReadable: variables.SIGNALBOX_SANDBOX_READ.split(':').filter(Boolean),
    sandboxProgram: variables.SIGNALBOX_SANDBOX_PROGRAM,
    sandboxFallback: variables.SIGNALBOX_WITHOUT_SANDBOX,
    webHosts: variables.SIGNALBOX_WEB_HOSTS,
  }
}

function createBaseUrlReader({ SIGNALBOX_BASE_URL: url, SIGNALBOX_BASE_URL_FILE: file }: z.infer<typeof Environment>) {
  if (file) return () => readTextFile(file, 'SIGNALBOX_BASE_URL_FILE').trim()
  return url ? () => url : undefined
}

function readTextFile(file: string | undefined, variable: string): string {
  if (!file) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserFacingError(`${variable} cannot be read: ${(error as Error).message}`)
  }
}
