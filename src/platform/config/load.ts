import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { UserFacingError } from '../core/fault.ts'
import { nearestName } from '../json/strict-fields.ts'
import { proxyVariableNames, readProxyVariable } from '../net/proxies.ts'
import { type Environment, readVariable } from '../process/environment.ts'
import { lazyModules } from '../process/lazy-modules.ts'
import { readErrorText } from '../process/system-error.ts'
import { type Config, fileOnlySettings, type SettingName, Settings, settingNames } from './settings.ts'

/** The source of a setting: an environment variable, or the configuration file at a path. Undefined for a default. */
export type SettingSource = { kind: 'environment' | 'file'; name: string }
export type SettingSources = Readonly<Partial<Record<SettingName, SettingSource>>>

/** Loads the effective settings. @throws UserFacingError as `loadSettings`. */
export const loadConfig = (env: Environment): Config => loadSettings(env).config

/**
 * Loads the effective settings with their sources: environment variables override the configuration file (`CONFIG`), which
 * overrides the defaults.
 * @throws UserFacingError with one sentence that names the setting, its source and the valid values.
 */
export function loadSettings(env: Environment): { config: Config; sources: SettingSources } {
  const path = readVariable(env, 'CONFIG')
  const fromFile = path ? readConfigFile(path) : {}
  const fromEnv = readEnvironment(env)
  const parsed = Settings.safeParse({ ...fromFile, ...fromEnv })
  const toSources = (names: object, source: (name: string) => SettingSource) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, source(name)]))
  if (parsed.success) {
    const sources = {
      ...toSources(fromFile, () => ({ kind: 'file', name: path! })),
      ...toSources(fromEnv, (name) => ({ kind: 'environment', name: name.toUpperCase() })),
    }
    return { config: deepFreeze(parsed.data), sources }
  }
  throw new UserFacingError(parsed.error.issues.map((issue) => describeIssue(issue, fromEnv, path)).join('; '))
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}

/** Reads the environment. Empty variables count as not set, because shells and compose files pass unset ones as empty. */
function readEnvironment(env: Environment): Partial<Record<SettingName, string>> {
  const settings: Partial<Record<SettingName, string>> = {}
  for (const name of settingNames) {
    const variable = name.toUpperCase()
    const value = isProxyVariable(name) ? readProxyVariable(env, name) : readVariable(env, variable)
    if (value === undefined) continue
    if (fileOnlySettings.has(name)) {
      throw new UserFacingError(
        `${variable} is not an environment variable: set ${name} in the configuration file (CONFIG).`,
      )
    }
    requireReplaced(value, `The environment variable ${variable}`)
    settings[name] = value
  }
  return settings
}

const isProxyVariable = (name: string): name is (typeof proxyVariableNames)[number] =>
  proxyVariableNames.some((variable) => variable === name)

function readConfigFile(path: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserFacingError(`The configuration file ${path} (CONFIG) cannot be read: ${readErrorText(error)}.`)
  }
  const { LineCounter, parseDocument } = lazyModules.yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const firstError = document.errors[0]
  if (firstError?.code === 'MULTIPLE_DOCS')
    throw new UserFacingError(
      `The configuration file ${path} must contain one YAML document: remove "---" and what follows.`,
    )
  if (firstError)
    throw new UserFacingError(
      `The configuration file ${path} is not valid YAML: ${firstError.message.split('\n')[0]!.replace(/:$/, '')}.`,
    )
  const value = resolveAliases(document, path)
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new UserFacingError(`The configuration file ${path} must contain "name: value" lines.`)
  }
  const items = Object.entries(value as Record<string, unknown>).filter(([, item]) => item !== null && item !== '')
  for (const [name, item] of items) requireReplaced(item, `The setting ${name} in the configuration file ${path}`)
  return Object.fromEntries(items.map(([name, item]) => [name, settingText(item)]))
}

/** @throws UserFacingError for `${NAME}`, which would be used as it is, for example as a password. */
function requireReplaced(value: unknown, subject: string): void {
  if (typeof value === 'string' && /^\$\{[^}]*\}$/.test(value.trim()))
    throw new UserFacingError(`${subject} is "${value.trim()}", which was not replaced by the value of that variable.`)
}

/** @throws UserFacingError for an alias without an anchor. */
function resolveAliases(document: { toJS: () => unknown }, path: string): unknown {
  try {
    return document.toJS() ?? {}
  } catch (error) {
    throw new UserFacingError(`The configuration file ${path} is not valid YAML: ${(error as Error).message}.`)
  }
}

/** Converts a boolean of YAML to text, as in an environment variable, so that one schema parses both. */
function settingText(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'boolean' ? String(value) : value
}

function describeIssue(issue: z.core.$ZodIssue, fromEnv: object, path: string | undefined): string {
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => `"${[...issue.path, key].join('.')}"`).join(', ')
    const suggestion = issue.path.length === 0 ? nearestName(issue.keys[0]!, settingNames) : undefined
    return `The configuration file ${path} has no setting ${unknown}${suggestion ? ` (did you mean "${suggestion}"?)` : ''}; docs/configuration.md lists them all`
  }
  const name = String(issue.path[0])
  const source = name in fromEnv ? `the environment variable ${name.toUpperCase()}` : `the configuration file ${path}`
  return `The setting ${issue.path.map((step) => (step === '' ? '""' : step)).join('.')} from ${source} is invalid: ${issue.message}${quotesHint(issue)}`
}

/** YAML reads a password such as `12345` as a number, and drops zeros at its start. */
const quotesHint = ({ message }: z.core.$ZodIssue) =>
  message === 'expected string, received number' ? '; write the value in quotes' : ''
