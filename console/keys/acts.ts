/** What a line of the audit trail says was done, by the machine's name of it. */
const acts: Record<string, string> = {
  'assignment.created': 'put under a guardrail',
  'assignment.deleted': 'taken from under a guardrail',
  'catalogue.reloaded': 'read the catalogue again',
  'content.deleted': 'deleted a prompt and its answer',
  'credential.created': 'stored a provider key',
  'credential.deleted': 'removed a provider key',
  'credential.updated': 'changed a provider key',
  'budget.created': 'created a budget',
  'budget.deleted': 'deleted a budget',
  'budget.updated': 'changed a budget',
  'guardrail.created': 'made a guardrail',
  'guardrail.deleted': 'deleted a guardrail',
  'guardrail.updated': 'changed a guardrail',
  'intern.answer_refused': 'gave an intern an answer that was not taken',
  'intern.answered': 'answered an intern',
  'intern.created': 'made an intern',
  'intern.deleted': 'deleted an intern',
  'intern.file_deleted': 'deleted a file of an intern',
  'intern.file_read': 'read a file of an intern',
  'intern.file_renamed': 'renamed a file of an intern',
  'intern.file_written': 'wrote a file of an intern',
  'intern.files_packed': 'downloaded files of an intern',
  'intern.files_refused': 'was refused at files of an intern',
  'intern.files_unpacked': 'unpacked files for an intern',
  'intern.folder_made': 'made a folder of an intern',
  'intern.given_up': 'gave up an intern',
  'intern.moved': 'moved an intern to another host',
  'intern.provisioned': 'started an intern',
  'intern.rule_decided': 'a rule decided for an intern',
  'intern.rules_changed': 'changed the rules of an intern',
  'intern.suspended': 'suspended an intern',
  'intern.turn_cancelled': 'ended a turn of an intern',
  'intern.updated': 'changed an intern',
  'key.created': 'made a key',
  'key.deleted': 'deleted a key',
  'key.updated': 'changed a key',
  'member.joined': 'a member joined',
  'member.left': 'a member left',
  'member.rejoined': 'a member joined again',
  'member.updated': 'changed a member',
  'organization.updated': 'changed the organization',
  'preset.created': 'made a preset',
  'preset.updated': 'changed a preset',
  'preset.version_added': 'saved a version of a preset',
  'preset.version_designated': 'put a version of a preset in use',
  'session.ended': 'signed a browser out',
  'session.link_made': 'made a link that signs in',
  'session.started': 'signed in',
  'webhook.created': 'made a webhook',
  'webhook.deleted': 'deleted a webhook',
  'webhook.disabled_by_service': 'the service disabled a webhook',
  'webhook.secret_rotated': 'gave a webhook another secret',
  'webhook.updated': 'changed a webhook',
  'workspace.contents_deleted': 'deleted all prompts and answers of a workspace',
  'workspace.created': 'made a workspace',
  'workspace.deleted': 'deleted a workspace',
  'workspace.intern_rules_changed': 'changed the rules for all interns of a workspace',
  'workspace.updated': 'changed a workspace',
}

/** What was done, in words; one that is not known here, as a service of another version may write it, by its name. */
export const actInWords = (action: string): string => acts[action] ?? action.replace('.', ': ').replaceAll('_', ' ')

export const knownActs = Object.keys(acts)

/** To whatever things were done: those that have another name here, and those that go by their own. */
const kinds: Record<string, string> = { credential: 'provider key', generation: 'request', session: 'browser' }

export const knownKinds = [...new Set(knownActs.map((name) => name.slice(0, name.indexOf('.')))), 'generation']
  .filter((kind) => kind !== 'content')
  .map((value) => ({ value, label: kinds[value] ?? value }))
