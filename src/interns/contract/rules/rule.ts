/** The effects of rules, from the least to the most strict. */
export const effects = ['allow', 'ask', 'deny'] as const
export type Effect = (typeof effects)[number]

/** A rule. All its conditions must match, each with one of its values. A rule without conditions matches everything. */
export type Rule = {
  effect: Effect
  /** The display name. */
  name?: string | undefined
  agents?: string[] | undefined
  tools?: string[] | undefined
  commands?: string[] | undefined
  /** Matches only commands that cannot be parsed reliably, or that run other commands. */
  unclear?: true | undefined
  paths?: string[] | undefined
  hosts?: string[] | undefined
}

export const scopes = ['workspace', 'intern'] as const
/** The rules of all interns of a workspace, or of one intern. */
export type RuleScope = (typeof scopes)[number]

/** A version of a list of rules. */
export type RuleSet = { scope: RuleScope; version: number; rules: Rule[] }

/** An action of an intern, as reported by its agent. */
export type Action = {
  /** The kind of tool in one word, as in a permission; null if unknown. */
  operation: string | null
  command: string | null
  /** Relative to the workspace if inside, otherwise absolute. `..` and links are resolved. */
  paths: string[]
  /** The targets of links among the words of its command. A `deny` matches them, an `allow` does not. */
  linked?: string[] | undefined
  /** The hosts of the URLs that it fetches. */
  hosts: string[]
  /** The workspace. */
  root: string
  /** The absolute working folder of the call, if it is another folder of the workspace. */
  folder?: string | undefined
  /** A part of the action is unknown: an invalid path or URL, or more than is stored. */
  unsure: boolean
}

/** The longest action that a server accepts from a daemon: its texts in UTF-16 units, and the values of each list. */
export const actionLimits = { operation: 500, command: 100_000, path: 5000, host: 500, listed: 200 }

/** The rule that decided, by its position in its set, from 1. `ask` can also result from a `deny` that possibly matches. */
export type Decision = {
  effect: Effect
  scope: RuleScope
  version: number
  rule: number
  name: string | null
  /** Why a rule with `deny` only requires a question. */
  why: string | null
}

/** The rules in force for an intern, and the name of its agent. */
export type RulesInForce = { agent: string; sets: RuleSet[] }

/** A decision in a run, for the audit log. `seq` rises with each decision of a daemon. */
export type LoggedDecision = {
  seq: number
  sessionId: string
  runId: string
  at: number
  operation: string | null
  /** The details of the action, cut to 2,000 characters. */
  detail: string | null
  decision: Decision
}

/** The name of an intern's agent in rules. */
export const agentNameOf = (agent: string | object | null): string =>
  agent === null ? 'builtin' : typeof agent === 'string' ? agent : 'custom'
