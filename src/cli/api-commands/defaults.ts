import { findByHash, findGuardrailId, findMember, guardrailHelp, hashHelp } from '../kit/find.ts'
import type { Argument } from './api-command.ts'

const key: Argument = {
  name: 'hash',
  help: hashHelp,
  resolve: async (client, text) => (await findByHash(client, text)).hash,
}

/** Members by their email address. */
const member: Argument = {
  name: 'email',
  help: 'Email address of the member',
  resolve: async (client, text) => (await findMember(client, text)).id,
}

export const members: Argument = { ...member, help: 'Email addresses of the members' }
export const keys: Argument = { ...key, help: 'Hashes of the keys, or their first 6 or more digits' }

/** The arguments for parameters of paths, by name, or by the tag of the operation and the name. */
export const pathArguments: Record<string, Argument> = {
  'byok id': { name: 'id', help: 'ID of the provider key, as listed by "byok list"' },
  'guardrails id': { name: 'guardrail', help: guardrailHelp, resolve: findGuardrailId },
  'passkeys id': { name: 'id', help: 'ID of the passkey, as listed by "passkeys list"' },
  'presets slug': { name: 'slug', help: 'Slug of the preset' },
  'sessions id': { name: 'id', help: 'ID of the session, as listed by "sessions list"' },
  'workspaces id': { name: 'slug', help: 'Slug or ID of the workspace' },
  deliveryId: { name: 'delivery', help: 'ID of the delivery, as listed by "webhooks deliveries"' },
  hash: key,
  internId: { name: 'intern', help: 'Name or ID of the intern' },
  questionId: { name: 'question', help: 'ID of the question, as listed by "interns questions --json"' },
  runId: { name: 'run', help: 'ID of the run, as listed by "interns runs"' },
  sessionId: { name: 'session', help: 'ID of the session, as listed by "interns sessions"' },
  user_id: member,
  version: { name: 'version', help: 'Version number' },
  webhookId: { name: 'id', help: 'ID of the webhook, as listed by "webhooks list"' },
}

/** The options that many commands share, by field. */
export const sharedOptions: Record<string, [flags: string, help?: string]> = {
  q: ['--search <text>'],
  user_id: ['--for <email>', 'Only those of this member'],
  workspace_id: ['--workspace <slug>', 'Workspace (default: the workspace of your key)'],
}

/** The group of a tag that is not a group itself. */
export const groupOfTag: Record<string, string> = { usage: 'analytics', endpoints: 'models', providers: 'models' }
