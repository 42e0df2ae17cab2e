import { createHash } from 'node:crypto'
import type { CompletionEvent } from '#chat/events.ts'
import { mapTexts } from '#platform/json/map-texts.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'
import type { Body } from '../request-body.ts'
import { mapCompletionEvents } from './map-completion-events.ts'

/** The names or ids that a provider accepts, and their paths in the bodies of its protocol. */
export type NameRule = {
  allowedCharacters: RegExp
  maxLength: number
  paths: readonly (readonly string[])[]
  /** Paths of values that can be the name of a tool or another name. They change only if a tool with that name changes. */
  dependentPaths?: readonly (readonly string[])[]
}

/** Splits paths such as `tools.*.name` into their steps. */
export const splitPaths = (...paths: string[]) => paths.map((path) => path.split('.'))

/** The original names, by alias. */
export type Aliases = ReadonlyMap<string, string>

const noAliases: Aliases = new Map()

/**
 * Replaces the names that a provider would refuse by aliases. An alias depends only on the name, so that all requests of a
 * conversation have the same aliases and match the prompt cache. Each alias differs from all other names of the body.
 */
export function withAliases(body: Body, rule: NameRule): { body: Body; aliases: Aliases } {
  return hasRefusedName(body, rule) ? replaceRefused(body, rule) : { body, aliases: noAliases }
}

function hasRefusedName(body: Body, rule: NameRule): boolean {
  let isRefused = false
  const check = (name: string) => {
    isRefused ||= !isAccepted(name, rule)
    return name
  }
  for (const path of rule.paths) mapTexts(body, path, check)
  return isRefused
}

function replaceRefused(body: Body, rule: NameRule): { body: Body; aliases: Aliases } {
  const names = new Set<string>()
  const collect = (name: string) => {
    names.add(name)
    return name
  }
  for (const path of rule.paths) mapTexts(body, path, collect)
  const refusedNames = [...names].filter((name) => !isAccepted(name, rule))
  const aliasOf = new Map<string, string>()
  for (const name of refusedNames) {
    const alias = unusedAlias(name, rule, names)
    names.add(alias)
    aliasOf.set(name, alias)
  }
  let changed: unknown = body
  for (const path of [...rule.paths, ...(rule.dependentPaths ?? [])])
    changed = mapTexts(changed, path, (name) => aliasOf.get(name) ?? name)
  return { body: changed as Body, aliases: new Map([...aliasOf].map(([name, alias]) => [alias, name])) }
}

const isAccepted = (name: string, { allowedCharacters, maxLength }: NameRule) =>
  name === '' || (name.length <= maxLength && allowedCharacters.test(name))

function unusedAlias(name: string, rule: NameRule, usedAliases: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const alias = aliasFor(attempt === 0 ? name : `${name}#${attempt}`, rule)
    if (!usedAliases.has(alias)) return alias
  }
}

/** The length of a hash in an alias, in characters. Enough to distinguish the names of one request. */
const hashLength = 8

/** Returns the readable start of a name with a hash, or only a hash if the provider does not accept the start. */
function aliasFor(name: string, { allowedCharacters, maxLength }: NameRule): string {
  const hash = createHash('sha256').update(name).digest('hex')
  // Gemini requires names to start with a letter or an underscore.
  const start = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^[^a-zA-Z_]/, '_')
  const readable = `${start.slice(0, maxLength - hashLength - 1)}_${hash.slice(0, hashLength)}`
  return allowedCharacters.test(readable) ? readable : hash.slice(0, maxLength)
}

/** Replaces aliases by the original names in the text of a provider's error. */
export function restoreNames(text: string, aliases: Aliases): string {
  let restored = text
  for (const [alias, name] of aliases) restored = restored.replaceAll(alias, () => name)
  return restored
}

/** Wraps a protocol, so that tool calls in responses have their original names. */
export function withOriginalNames(protocol: ProviderProtocol, aliases: Aliases): ProviderProtocol {
  const restore = (event: CompletionEvent): CompletionEvent[] => {
    const name = event.type === 'tool_call' ? aliases.get(event.name) : undefined
    return [name === undefined ? event : ({ ...event, name } as CompletionEvent)]
  }
  return mapCompletionEvents(protocol, () => restore)
}
