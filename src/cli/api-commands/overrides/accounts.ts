import type { z } from 'zod'
import type { ListedPasskey } from '#api/routes/passkeys/list.ts'
import type { ListedSession } from '#api/routes/sessions/session.ts'
import type { WorkspaceMember } from '#identity/accounts/members/workspace-member.ts'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import type { ListedMember } from '../../kit/find.ts'
import { countWithNoun, day, minute, usd } from '../../kit/format.ts'
import { columns, type Overrides } from '../api-command.ts'
import { auditColumns } from './audit.ts'

type Passkey = z.infer<typeof ListedPasskey>
type Session = z.infer<typeof ListedSession>
type KeyBudget = {
  layer: string
  limit_usd: number
  reset_interval: string | null
  spent_usd: number
  held_usd: number
  resets_at: string | null
}

const browserOnly = { without: 'Browser only: a part of the sign-in to the console.' }
const slugArgument = { name: 'slug', help: 'Identifier in URLs: lowercase letters, digits and "-"' }
/** Unlike other routes, these accept email addresses in place of IDs. */
const emailsArgument = { name: 'emails', help: 'Email addresses of the members' }

/** Fields for compatibility. They are always false. */
const workspaceHidden = ['is_data_discount_logging_enabled', 'is_observability_broadcast_enabled']

/** Commands for keys, members, workspaces, sessions and the audit log. */
export const accounts = {
  getCurrentKey: { name: 'keys current', description: 'Show the key in SIGNALBOX_KEY' },
  getCurrentKeyByOldPath: { without: 'An older path of "keys current".' },
  listKeys: { handWritten: 'keys list' },
  createKey: { handWritten: 'keys create' },
  deleteKey: { handWritten: 'keys revoke' },
  listKeyBudgets: {
    name: 'budgets key',
    description: 'List the budgets that count the spending of a key, in the order in which they are checked',
    columns: columns<KeyBudget>({
      LAYER: (budget) => budget.layer,
      INTERVAL: (budget) => budget.reset_interval ?? 'lifetime',
      LIMIT: (budget) => `$${budget.limit_usd}`,
      SPENT: (budget) => usd(budget.spent_usd),
      RESERVED: (budget) => usd(budget.held_usd),
      RESETS: (budget) => budget.resets_at?.slice(0, 10) ?? 'never',
    }),
  },
  getKeyThresholds: { handWritten: 'budgets thresholds key' },
  setKeyThresholds: { handWritten: 'budgets thresholds key' },
  createToken: { without: 'Programs exchange tokens of their issuer. For a person: "keys create".' },

  listOrganizationMembers: {
    name: 'members list',
    description: 'List the members of the organization',
    columns: columns<ListedMember>({
      EMAIL: (member) => member.email,
      NAME: (member) => [member.first_name, member.last_name].filter(Boolean).join(' '),
      ROLE: (member) => member.access,
      JOINED: (member) => day(member.joined_at),
      ID: (member) => member.id,
    }),
  },
  addOrganizationMember: { handWritten: 'members add' },
  updateOrganizationMember: { name: 'members set', options: { role: false } },
  removeOrganizationMember: {
    name: 'members remove',
    description: 'Remove a member from the organization',
    options: { disable_keys: ['--disable-keys', 'Also disable the keys of the member, except those of interns'] },
    resultMessage: ({ user_id, disable_keys }, { disabled_keys }) =>
      `Removed ${String(user_id).toLowerCase()}${disable_keys ? `, and disabled ${countWithNoun(disabled_keys, 'key')}` : ''}.`,
  },
  giveUpInternHost: { handWritten: 'interns give-up' },
  moveInternHost: { handWritten: 'interns move' },
  listOrganizationBudgets: { handWritten: 'budgets list' },
  getOrganizationBudget: { handWritten: 'budgets list' },
  setOrganizationBudget: { handWritten: 'budgets set' },
  deleteOrganizationBudget: { handWritten: 'budgets delete' },

  listWorkspaces: {
    columns: columns<WorkspaceRecord>({
      SLUG: (workspace) => workspace.slug,
      NAME: (workspace) => workspace.name,
      PROMPTS: (workspace) => (workspace.is_observability_io_logging_enabled ? 'stored' : '-'),
      CREATED: (workspace) => day(workspace.created_at),
      ID: (workspace) => workspace.id,
      DESCRIPTION: (workspace) => workspace.description ?? '',
    }),
  },
  getWorkspace: { hides: workspaceHidden },
  createWorkspace: {
    arguments: { slug: slugArgument, name: { name: 'name', help: 'Display name' } },
    hides: workspaceHidden,
  },
  updateWorkspace: {
    description: 'Change fields of a workspace',
    fields: 'Fields such as name=Research or is_observability_io_logging_enabled=true',
    hides: workspaceHidden,
  },
  deleteWorkspace: {
    description: 'Delete a workspace without keys, with its guardrails and presets',
    resultMessage: ({ id }) => `Deleted "${id}".`,
  },
  deleteWorkspaceContents: {
    name: 'workspaces delete-contents',
    resultMessage: ({ id }, { deleted_count }) =>
      `Deleted the contents of ${countWithNoun(deleted_count, 'request')} of "${id}".`,
  },
  listWorkspaceMembers: {
    name: 'workspaces members list',
    description: 'List the members of a workspace',
    columns: columns<WorkspaceMember>({
      EMAIL: (member) => member.email,
      NAME: (member) => member.name,
      ROLE: (member) => member.access,
      'ADDED BY': (member) => member.source,
      SINCE: (member) => day(member.created_at),
      'USER ID': (member) => member.user_id,
    }),
  },
  bulkAddWorkspaceMembers: {
    name: 'workspaces members add',
    description: 'Add members of the organization to a workspace, or change their role in it',
    arguments: { user_ids: emailsArgument },
    options: { access: ['--access <role>', 'Role in the workspace (default: as in the organization)'] },
    resultMessage: ({ id }, { data }) =>
      (data as WorkspaceMember[]).map(({ email, access }) => `${email} is ${access} of "${id}".`).join('\n'),
  },
  bulkRemoveWorkspaceMembers: {
    name: 'workspaces members remove',
    arguments: { user_ids: emailsArgument },
    options: { disable_keys: ['--disable-keys', 'Disable the keys of the members in the workspace'] },
    resultMessage: ({ id }, { removed_count }) => `Removed ${countWithNoun(removed_count, 'member')} from "${id}".`,
  },
  listWorkspaceBudgets: { handWritten: 'budgets list' },
  getWorkspaceBudget: { handWritten: 'budgets list' },
  setWorkspaceBudget: { handWritten: 'budgets set' },
  deleteWorkspaceBudget: { handWritten: 'budgets delete' },
  getWorkspaceInternRules: { handWritten: 'interns rules get' },
  setWorkspaceInternRules: { handWritten: 'interns rules set' },
  replayWorkspaceInternRules: { handWritten: 'interns rules replay' },

  listSessions: {
    columns: columns<Session>({
      ID: (session) => session.id,
      MEMBER: (session) => session.member.email,
      METHOD: (session) => session.method,
      ADDRESS: (session) => session.address ?? '-',
      'LAST USED (UTC)': (session) => minute(session.last_used_at),
      'IDLE EXPIRY (UTC)': (session) => minute(session.idle_expires_at),
    }),
  },
  deleteSession: {
    name: 'sessions end',
    description: 'End a browser session immediately',
    resultMessage: ({ id }) => `Ended session ${id}.`,
  },
  createSignInLink: { handWritten: 'sessions link' },
  createSession: browserOnly,
  getCurrentSession: browserOnly,
  deleteCurrentSession: browserOnly,
  listSignInMethods: browserOnly,
  getOidcSignIn: browserOnly,
  getOidcCallback: browserOnly,
  createPasskeySignInOptions: browserOnly,
  createPasskey: { without: 'Browser only: the browser creates the passkey.' },
  createPasskeyOptions: { without: 'Browser only: the browser creates the passkey.' },
  listPasskeys: {
    columns: columns<Passkey>({
      ID: (passkey) => passkey.id,
      MEMBER: (passkey) => passkey.member.email,
      HOST: (passkey) => passkey.relying_party,
      'CREATED (UTC)': (passkey) => minute(passkey.created_at),
      'LAST USED (UTC)': (passkey) => (passkey.last_used_at === null ? 'never' : minute(passkey.last_used_at)),
      NAME: (passkey) => passkey.name,
    }),
  },
  updatePasskey: { name: 'passkeys rename' },
  deletePasskey: {
    name: 'passkeys revoke',
    description: 'Delete a passkey, and end the sessions that it started',
    resultMessage: ({ id }, { ended_sessions }) => `Revoked passkey ${id}. Ended sessions: ${ended_sessions}.`,
  },

  listAuditEvents: {
    name: 'audit',
    options: {
      action: ['--action <name>', 'Filter by action, such as "key.updated" or "intern.answered"'],
      target_kind: ['--kind <kind>', 'Filter by kind of target, such as "intern"'],
      target_id: ['--target <id>', 'Filter by ID of the target'],
      from: ['--from <instant>', 'Only entries from this time on, such as 2030-01-31T00:00:00Z'],
      to: ['--to <instant>', 'Only entries before this time'],
    },
    limit: [50, 'Maximum number of entries, 1 to 100'],
    columns: auditColumns,
  },
} satisfies Overrides
