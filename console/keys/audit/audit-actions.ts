/** Descriptions of the actions in the audit log. */
const actionNames: Record<string, string> = {
  'assignment.created': 'assigned a guardrail',
  'assignment.deleted': 'removed a guardrail assignment',
  'catalogue.reloaded': 'reloaded the catalogue',
  'content.deleted': 'deleted a prompt and its response',
  'credential.created': 'added a provider key',
  'credential.deleted': 'removed a provider key',
  'credential.updated': 'updated a provider key',
  'budget.created': 'created a budget',
  'budget.deleted': 'deleted a budget',
  'budget.updated': 'updated a budget',
  'generation.released': 'released unconfirmed amounts of requests',
  'guardrail.created': 'created a guardrail',
  'guardrail.deleted': 'deleted a guardrail',
  'guardrail.updated': 'updated a guardrail',
  'intern.answer_refused': 'gave an intern an answer that was rejected',
  'intern.answered': 'answered an intern',
  'intern.created': 'created an intern',
  'intern.deleted': 'deleted an intern',
  'intern.file_deleted': 'deleted a file of an intern',
  'intern.file_read': 'read a file of an intern',
  'intern.file_renamed': 'renamed a file of an intern',
  'intern.file_written': 'wrote a file of an intern',
  'intern.files_packed': 'downloaded files of an intern',
  'intern.files_refused': 'was denied access to files of an intern',
  'intern.files_unpacked': 'unpacked files for an intern',
  'intern.folder_made': 'created a folder of an intern',
  'intern.given_up': 'gave up the files of an intern',
  'intern.moved': 'moved an intern to another host',
  'intern.provisioned': 'started an intern',
  'intern.rule_decided': 'a rule decided for an intern',
  'intern.rules_changed': 'updated the rules of an intern',
  'intern.suspended': 'suspended an intern',
  'intern.turn_cancelled': 'cancelled a run of an intern',
  'intern.updated': 'updated an intern',
  'key.created': 'created a key',
  'key.deleted': 'deleted a key',
  'key.updated': 'updated a key',
  'member.joined': 'a member joined',
  'member.left': 'a member left',
  'member.rejoined': 'a member joined again',
  'member.updated': 'updated a member',
  'organization.updated': 'updated the organization',
  'passkey.created': 'added a passkey',
  'passkey.deleted': 'deleted a passkey',
  'passkey.updated': 'renamed a passkey',
  'preset.created': 'created a preset',
  'preset.updated': 'updated a preset',
  'preset.version_added': 'saved a version of a preset',
  'preset.version_designated': 'selected the version of a preset',
  'session.ended': 'ended a browser session',
  'session.link_made': 'created a sign-in link',
  'session.started': 'signed in',
  'webhook.created': 'created a webhook',
  'webhook.deleted': 'deleted a webhook',
  'webhook.disabled_by_service': 'the service disabled a webhook',
  'webhook.secret_rotated': 'rotated the secret of a webhook',
  'webhook.updated': 'updated a webhook',
  'workspace.member_added': 'added a member to a workspace',
  'workspace.member_removed': 'removed a member from a workspace',
  'workspace.member_updated': 'updated the role of a member in a workspace',
  'workspace.contents_deleted': 'deleted all prompts and responses of a workspace',
  'workspace.created': 'created a workspace',
  'workspace.deleted': 'deleted a workspace',
  'workspace.intern_rules_changed': 'updated the rules for all interns of a workspace',
  'workspace.updated': 'updated a workspace',
}

/** Describes an action. Unknown actions, perhaps of a newer version, are displayed by name. */
export const describeAction = (action: string): string =>
  actionNames[action] ?? action.replace('.', ': ').replaceAll('_', ' ')

export const knownActions = Object.keys(actionNames)

/** Labels of target types that differ from their names in the API. */
const kindNames: Record<string, string> = {
  credential: 'provider key',
  generation: 'request',
  session: 'browser session',
}

/** The target types of the log: the first words of its actions. Only `content.deleted` has another target, a request. */
export const targetKinds = [...new Set(knownActions.map((name) => name.slice(0, name.indexOf('.'))))]
  .filter((kind) => kind !== 'content')
  .map((value) => ({ value, label: kindNames[value] ?? value }))
