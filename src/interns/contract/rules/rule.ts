/** What a rule decides. Each is stricter than the one before. */
export const effects = ['allow', 'ask', 'deny'] as const
export type Effect = (typeof effects)[number]

/** One rule. All of its conditions must hold; of the values of one condition, one. Without conditions it is about everything. */
export type Rule = {
  effect: Effect
  /** What people call it. */
  name?: string | undefined
  agents?: string[] | undefined
  tools?: string[] | undefined
  commands?: string[] | undefined
  /** Only commands that cannot be read with certainty. */
  unclear?: true | undefined
  paths?: string[] | undefined
  hosts?: string[] | undefined
}

export const scopes = ['workspace', 'intern'] as const
/** Whose rules they are: of all interns of a workspace, or of one intern. */
export type RuleScope = (typeof scopes)[number]

/** Rules in their order, as one version of them says. */
export type RuleSet = { scope: RuleScope; version: number; rules: Rule[] }

/** What an intern wants to do, as far as its agent tells. */
export type Action = {
  /** The kind of tool in one word, as in a permission; null where it is not known. */
  operation: string | null
  command: string | null
  /** As seen from the workspace where they are within it, else from the root; `..` and links are resolved. */
  paths: string[]
  /** Where words of its command lead by links that are there: what a `deny` is about, and no reason to allow. */
  linked?: string[] | undefined
  /** The hosts of the addresses that it would fetch. */
  hosts: string[]
  /** The folder that it works in. */
  root: string
  /** Something of it cannot be told: a path or an address that is none, or more than is kept. */
  unsure: boolean
}

/** What decided: a rule by its place in its set, from 1 on. `ask` may also come of a `deny` that perhaps holds. */
export type Decision = {
  effect: Effect
  scope: RuleScope
  version: number
  rule: number
  name: string | null
  /** Why it is only asked where the rule says `deny`. */
  why: string | null
}

/** What a daemon is told to judge by: the rules that hold for its intern, and the name of the agent that runs it. */
export type RulesInForce = { agent: string; sets: RuleSet[] }

/** A decision that was made in a run, in the words of the audit trail. `seq` rises with each of a daemon. */
export type LoggedDecision = {
  seq: number
  sessionId: string
  runId: string
  at: number
  operation: string | null
  /** What it was about, cut to 2,000 characters. */
  detail: string | null
  decision: Decision
}

/** What rules call the agent of an intern. */
export const agentNameOf = (agent: string | object | null): string =>
  agent === null ? 'builtin' : typeof agent === 'string' ? agent : 'custom'
