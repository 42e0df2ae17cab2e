import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { isWebHost } from '#platform/net/addresses/web-hosts.ts'
import { approvalModes } from '../contract/approval-mode.ts'
import { InternBudget, NewInternBudget } from './intern-budget.ts'
import { McpServer, NewMcpServers } from './mcp-server-schema.ts'
import { NewRepository, Repository } from './repository.ts'

export const internStatuses = [
  'queued',
  'provisioning',
  'running',
  'failed',
  'stopped',
  'destroying',
  'destroy_failed',
] as const
export type InternStatus = (typeof internStatuses)[number]

/** The states in which an intern counts for the capacity of its host, and is started after a move. */
export const statusesInService: readonly InternStatus[] = ['queued', 'provisioning', 'running', 'failed']

const InternName = z
  .string()
  .min(2)
  .max(17)
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'must be lowercase letters and digits, in words joined by "-", a letter first',
  )

const Description = text({ max: 1000 }).nullable()
const Instructions = text({ max: 32_000 }).nullable().describe('Instructions for every session.')
const Model = text({ min: 1, max: 256 })
  .nullable()
  .describe('The model of the agent. Defaults to the model of the service.')

const InternApprovalMode = z
  .enum(approvalModes)
  .describe(
    'Default for prompts without `approval_mode`. With `manual`, the intern always asks before it acts, and a prompt with `self-drive` is rejected.',
  )

export const visibilities = ['creator', 'workspace'] as const
export type Visibility = (typeof visibilities)[number]
const InternVisibility = z
  .enum(visibilities)
  .describe(
    'Who can see the intern, send prompts and answer questions. `creator`: the member who created it. `workspace`: every member with an API key of its workspace.',
  )

const WebHosts = z
  .array(
    text({ min: 1, max: 260 }).refine(isWebHost, {
      error:
        'must be a host such as "example.com", "*.example.com" or "example.com:8080", an address, a network, or "*"',
    }),
  )
  .max(100)
  .describe(
    'Hosts from which the builtin agent can fetch pages. Defaults to none. `*` allows every public host. A host without a public address is allowed only if its address or network is also listed.',
  )

/** An agent of the Agent Client Protocol: a configured one, by name, or a custom command. */
export const AgentChoice = z.union(
  [
    text({ min: 1, max: 100 }),
    z.strictObject({
      command: text({ min: 1, max: 4096 }),
      args: z
        .array(text({ max: 4096 }))
        .max(100)
        .default([]),
      env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), text({ max: 32_768 })).default({}),
    }),
  ],
  { error: 'must be the name of a configured agent, or an object with "command", "args" and "env"' },
)
export type AgentChoice = z.infer<typeof AgentChoice>

const HostLabels = z
  .array(z.string().regex(/^[a-z0-9][a-z0-9._=/-]{0,62}$/, 'must be labels in the form of the setting intern_labels'))
  .max(20)
  .describe('Labels that the host must have (setting `intern_labels`).')

/** The host of an intern, as clients see it. */
export const InternHost = z
  .object({
    name: z.string(),
    state: z.enum(['up', 'gone']).describe('`gone`: the server was stopped, or does not respond.'),
    reason: z.string().nullable().describe('Why the host is lost.'),
    since: z.iso
      .datetime()
      .nullable()
      .describe('The time since which the host is lost; null if it is available or was never seen.'),
  })
  .meta({ id: 'InternHost', description: 'The host that stores the intern’s files.' })
export type InternHost = z.infer<typeof InternHost>

/** A host of interns in a list. */
export const ListedHost = InternHost.extend({
  labels: HostLabels.describe('Labels of the host (setting `intern_labels`).'),
  capacity: z
    .int()
    .nullable()
    .describe('Maximum number of interns in service (setting `intern_capacity`); null for no limit.'),
  capacity_used: z.int().describe('Number of interns on the host that are not stopped, of all organizations.'),
  interns: z.int().describe('Number of interns of your organization with files on the host, including stopped ones.'),
}).meta({ id: 'ListedInternHost', description: 'A host of interns.' })
export type ListedHost = z.infer<typeof ListedHost>

export const NewIntern = strictFields({
  name: InternName,
  description: Description.optional(),
  instructions: Instructions.optional(),
  model: Model.optional(),
  agent: AgentChoice.nullable()
    .optional()
    .describe('Name of an agent in the setting `agents`, or its command. Defaults to the builtin agent.'),
  approval_mode: InternApprovalMode.optional(),
  visibility: InternVisibility.optional(),
  repository: NewRepository.nullable().optional(),
  mcp_servers: NewMcpServers.optional(),
  web_hosts: WebHosts.optional(),
  budget: NewInternBudget.nullable().optional(),
  host_labels: HostLabels.optional(),
  provision: z.boolean().default(false).describe('Whether to start the intern immediately.'),
  workspace_id: z.string().optional().describe('The workspace of the calling key. Other values are rejected.'),
}).meta({ id: 'NewIntern' })
export type NewIntern = z.infer<typeof NewIntern>

export const InternPatch = strictFields({
  name: InternName,
  description: Description,
  instructions: Instructions,
  model: Model,
  approval_mode: InternApprovalMode,
  visibility: InternVisibility,
  repository: NewRepository.nullable().describe(
    'Replaced completely, including the credential. Cloned at the next start if no repository was cloned before.',
  ),
  mcp_servers: NewMcpServers,
  web_hosts: WebHosts,
  budget: NewInternBudget.nullable().describe('Replaced completely. Takes effect with the next prompt. Null for none.'),
})
  .partial()
  .meta({
    id: 'InternPatch',
    description: 'The fields of an intern that can be updated. Missing fields stay unchanged.',
  })
export type InternPatch = z.infer<typeof InternPatch>

export const Progress = z.object({ step_label: z.string(), step_number: z.int(), total_steps: z.int() })
export type Progress = z.infer<typeof Progress>

/** An intern as clients see it. */
export const InternResponse = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    instructions: z.string().nullable(),
    model: z.string().nullable(),
    agent: AgentChoice.nullable().describe('Null for the builtin agent. Values of `env` are not returned.'),
    approval_mode: InternApprovalMode,
    visibility: InternVisibility,
    repository: Repository.nullable(),
    mcp_servers: z.array(McpServer),
    web_hosts: WebHosts,
    budget: InternBudget.nullable(),
    creator_user_id: z
      .string()
      .describe(
        'The member who created it. Only this member can change and delete it, until they leave the organization.',
      ),
    status: z.enum(internStatuses),
    last_failure_message: z.string().nullable(),
    progress: Progress.nullable(),
    hostname: z.string().nullable().describe('The name of its host; null before the first start.'),
    host: InternHost.nullable(),
    host_labels: HostLabels,
    asleep_since: z.iso
      .datetime()
      .nullable()
      .describe(
        'The time since which the intern is asleep. A sleeping intern counts as running; the next prompt starts its processes (setting `intern_idle_ms`).',
      ),
    workspace_id: z.string(),
    vault_id: z.null(),
    attached_vault_id: z.null(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Intern', description: 'A long-running agent that answers prompts.' })
export type InternResponse = z.infer<typeof InternResponse>

/** The actions on an intern, and the states in which each is allowed. In any other state the action is a conflict. */
export const allowedStatuses = {
  provision: ['stopped', 'failed'],
  suspend: ['running', 'failed'],
  delete: ['running', 'failed', 'stopped', 'destroy_failed'],
} as const satisfies Record<string, InternStatus[]>
export type InternCommand = keyof typeof allowedStatuses

export function isAllowedFrom(command: InternCommand, status: InternStatus): boolean {
  return (allowedStatuses[command] as readonly InternStatus[]).includes(status)
}
