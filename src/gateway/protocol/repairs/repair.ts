import type { Body } from '../request-body.ts'
import { type Aliases, type NameRule, withAliases } from './aliases.ts'

/**
 * Repairs one violation of a body. Adds removed fields to `dropped`, which the header `x-fields-left-out` lists. Returns the same body
 * if nothing changes. Functions that create a repair are named `…Repair`; repairs themselves are verbs.
 */
export type Repair = (body: Body, dropped: string[]) => Body

/**
 * The rules of a protocol whose violations this service can repair without changing the meaning of a request
 * (docs/decisions/0190).
 */
export type RequestRules = {
  repairs: readonly Repair[]
  /** Names of tools. */
  names: NameRule
  /** Ids of tool calls. */
  callIds?: NameRule
}

/** A body that its provider accepts, the removed fields, and the tool names that must be restored in the response. */
export type RepairedBody = { body: Body; dropped: readonly string[]; aliases: Aliases }

/** Applies the repairs in their order, and then replaces refused names and ids by aliases. */
export function repairBody(body: Body, { repairs, names, callIds }: RequestRules): RepairedBody {
  const dropped: string[] = []
  let current = body
  for (const repair of repairs) current = repair(current, dropped)
  const named = withAliases(current, names)
  // Ids need no restoring: the response has only new calls.
  const { body: bodyWithIds } = callIds ? withAliases(named.body, callIds) : named
  return { body: bodyWithIds, dropped, aliases: named.aliases }
}
