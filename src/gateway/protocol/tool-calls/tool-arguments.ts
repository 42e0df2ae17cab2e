import type { ChatRequest } from '#chat/chat-request.ts'
import { Fault } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import { isDeeper } from '#platform/json/depth.ts'
import { parseExactly } from '#platform/json/json-text/exact-numbers.ts'
import { isJson } from '#platform/json/json-text/is-json.ts'
import type { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { parseJson } from '#platform/json/json-text/plain-names.ts'

/**
 * Parses the arguments of a call. Missing or invalid arguments become an empty object.
 * @throws Fault `invalid` if they are nested too deep, or exceed the quota.
 */
export function parseArguments(json: string | undefined, quota: JsonParseQuota): object {
  if (json && !quota.take(json))
    throw new Fault('invalid', 'The arguments of the tool calls have too many items and fields. Send fewer.')
  const value = parseJsonText(json || '{}')
  return isObject(value) ? value : {}
}

/**
 * Returns the arguments of a call as the JSON text of an object, which servers parse. Valid text stays; an invalid object becomes
 * an empty object.
 */
export function toArgumentsText(rawArguments: unknown, quota: JsonParseQuota): string {
  const text = typeof rawArguments === 'string' ? rawArguments : JSON.stringify(rawArguments ?? {})
  if (!/^\s*\{/.test(text)) return JSON.stringify(parseArguments(text, quota))
  // Text above the quota is not checked, because that would take long.
  const isUnchecked = typeof rawArguments !== 'string' || !quota.take(text)
  return isUnchecked || isJson(text) ? text : '{}'
}

/** Parses JSON, with exact numbers; undefined for other text. @throws Fault `invalid` if it is nested too deep. */
export function parseJsonText(json: string): unknown {
  // A failing parse costs microseconds, and most results of tools are plain text.
  if (!startsLikeJson.test(json)) return undefined
  let value: unknown
  try {
    value = parseJson(json, parseExactly)
  } catch {
    return undefined
  }
  if (isDeeper(value, maxDepth))
    throw new Fault('invalid', `JSON within a text is nested more than ${maxDepth} levels deep. Send a flatter one.`)
  return value
}

const startsLikeJson = /^\s*[[{"\-\dtfn]/

/** Deeper than the arguments of any function, in levels. */
const maxDepth = 500

/** The function that a tool choice requires; undefined if it requires none. */
export function readChosenFunction(choice: unknown): string | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined
  const { type, function: called, name } = choice as { type?: string; function?: { name?: string }; name?: string }
  return called?.name ?? (type === 'function' || type === 'tool' ? name : undefined)
}

type RawCall = { function?: { name?: string; arguments?: string }; custom?: { name?: string; input?: string } }

/** Reads a call as a function call. The text of a custom call becomes the argument `input`. */
export function readCalledFunction(call: RawCall, quota: JsonParseQuota): { name: string | undefined; args: object } {
  const { function: called, custom } = call
  const args = !called && custom ? { input: custom.input ?? '' } : parseArguments(called?.arguments, quota)
  return { name: readCalledName(call), args }
}

export function readCalledName({ function: called, custom }: RawCall): string | undefined {
  return called ? called.name : custom?.name
}

/**
 * The names of the functions and custom tools that a chat declares, with their aliases. Undefined if it declares none.
 */
export function collectToolNames(
  { tools }: ChatRequest,
  aliases: ReadonlyMap<string, string> | undefined,
): ReadonlySet<string> | undefined {
  if (!tools?.length) return undefined
  const names = tools.flatMap((tool) => tool.function?.name ?? (tool as RawCall).custom?.name ?? [])
  return new Set([...names, ...(aliases?.keys() ?? [])])
}
