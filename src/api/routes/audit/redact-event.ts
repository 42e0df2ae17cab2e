import type { Caller } from '#identity/accounts/caller.ts'
import type { AuditEvent, Change } from '#identity/audit/audit.ts'

type State = Record<string, unknown>

const withheld = '[withheld]'

/** Fields of an intern that only members who can use it can read. */
const privateFields = [
  'description',
  'instructions',
  'agent',
  'repository',
  'mcp_servers',
  'web_hosts',
  'last_failure_message',
  'progress',
]

/**
 * Removes from an audit event what the reader cannot read by the routes of its object. The URL of a webhook can contain
 * a credential, so only its origin remains. In events of a private intern, `privateFields` are withheld from all members
 * but its creator.
 */
export function redactEvent(event: AuditEvent, reader: Reader): AuditEvent {
  // An event that another version has stored can have another kind.
  const redact = redactByKind[event.target.kind as Change['targetKind']] ?? keepState
  const redactState = (state: unknown) =>
    typeof state === 'object' && state !== null ? redact(state as State, reader) : state
  return { ...event, before: redactState(event.before), after: redactState(event.after) }
}

type Reader = Pick<Caller, 'userId'>

/** Removes nothing, for kinds of objects that every reader of the audit log can also read with `GET` routes. */
const keepState = (state: State) => state

/** Removes what a reader cannot see from a state. Lists every kind, so that a new kind is visible only after a decision. */
const redactByKind: Record<Change['targetKind'], (state: State, reader: Reader) => State> = {
  webhook: keepUrlOrigin,
  intern: withholdPrivateFields,
  key: keepState,
  guardrail: keepState,
  budget: keepState,
  assignment: keepState,
  preset: keepState,
  workspace: keepState,
  member: keepState,
  organization: keepState,
  catalogue: keepState,
  credential: keepState,
  session: keepState,
  passkey: keepState,
  generation: keepState,
}

function keepUrlOrigin(state: State): State {
  return typeof state.url === 'string' ? { ...state, url: URL.parse(state.url)?.origin ?? withheld } : state
}

/** The state at the time of the event decides who can read it. */
function withholdPrivateFields(state: State, { userId }: Reader): State {
  if (state.visibility !== 'creator' || state.creator_user_id === userId) return state
  const readable = { ...state }
  for (const name of privateFields) if (isFilled(state[name])) readable[name] = withheld
  return readable
}

function isFilled(value: unknown): boolean {
  return value != null && !(Array.isArray(value) && value.length === 0)
}
