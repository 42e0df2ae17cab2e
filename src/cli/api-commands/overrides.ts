import type { Overrides } from './api-command.ts'
import { accounts } from './overrides/accounts.ts'
import { interns } from './overrides/interns.ts'
import { models } from './overrides/models.ts'
import { usage } from './overrides/usage.ts'
import { webhooks } from './overrides/webhooks.ts'

/**
 * Differences from the description of the API: the words, options and output of a command; the name of the hand-written
 * command; or the reason for having none. An operation that is missing here gets a command named after its path.
 */
export const overrides: Overrides = { ...accounts, ...interns, ...models, ...usage, ...webhooks }

/** The descriptions of commands that only group others. */
export const subgroups: Record<string, string> = {
  'guardrails assignments': 'List the keys and members that guardrails are assigned to',
  'workspaces members': 'Manage the members of a workspace',
}
